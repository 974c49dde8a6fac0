// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/interrupt.hpp>

#include <csignal>
#include <ctime>
#include <unistd.h>

#include <apps/cli/command.hpp>
#include <croco/remote/child_process.hpp>

namespace croco::cli {

Interrupt::Interrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  watcher_ = std::jthread([this, signals](const std::stop_token& end) {
    const timespec patience{0, 50'000'000};
    while (!end.stop_requested()) {
      if (sigtimedwait(&signals, nullptr, &patience) < 0) continue;
      if (source_.request_stop()) continue;
      // Nobody will be left to end the programs that models are.
      ChildProcess::kill_all();
      _exit(kInterrupted);
    }
  });
}

}  // namespace croco::cli
