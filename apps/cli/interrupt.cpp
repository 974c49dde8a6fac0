// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/interrupt.hpp>

#include <csignal>
#include <ctime>
#include <system_error>
#include <unistd.h>

#include <apps/cli/command.hpp>
#include <croco/remote/child_process.hpp>

namespace croco::cli {

namespace {

/// A program that was started to survive the end of its terminal (nohup) ignores this signal.
bool is_ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupt::Interrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const auto watch = [this, signals](const std::stop_token& end) {
    const timespec patience{0, 50'000'000};
    while (!end.stop_requested()) {
      if (sigtimedwait(&signals, nullptr, &patience) < 0) continue;
      if (takes_requests_ && source_.request_stop()) continue;
      // Nobody will be left to end the programs that models are.
      ChildProcess::kill_all();
      _exit(kInterrupted);
    }
  };
  try {
    watcher_ = std::jthread(watch);
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
}

}  // namespace croco::cli
