// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/spawn.hpp>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <future>
#include <mutex>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <croco/base/descriptor.hpp>
#include <croco/base/error.hpp>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

namespace croco {
namespace {

/// The environment, in which Python writes at once unless somebody wants it otherwise: an answer
/// that stays in a buffer is the most likely mistake of all.
std::vector<std::string> environment() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    out.emplace_back(*entry);
  }
  if (std::getenv("PYTHONUNBUFFERED") == nullptr) out.emplace_back("PYTHONUNBUFFERED=1");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// All that a child needs, made before it is: it may allocate nothing.
struct Start {
  char* const* words;
  char* const* variables;
  StandardStreams streams;
  int report;  ///< where it writes why it could not become the program
  pid_t parent;
  bool bound;  ///< to the life of the thread that forks
};

void reset_signals() noexcept {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGXFSZ})
    ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Runs between fork and exec, where only what signal handlers may do is allowed.
[[noreturn]] void become(const Start& start) noexcept {
  ::setpgid(0, 0);
  if (start.bound) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != start.parent) ::_exit(127);  // it was too late
  }
  reset_signals();
  const StandardStreams& streams = start.streams;
  const bool set = ::dup2(streams.input, STDIN_FILENO) >= 0 &&
                   ::dup2(streams.output, STDOUT_FILENO) >= 0 &&
                   ::dup2(streams.errors, STDERR_FILENO) >= 0;
  // Files of this process are closed by exec anyway; others of its program may not be.
  if (set && ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    constexpr int kFiles = 65'536;
    for (int file = STDERR_FILENO + 1; file < kFiles; ++file) ::fcntl(file, F_SETFD, FD_CLOEXEC);
  }
  if (set) ::execvpe(start.words[0], start.words, start.variables);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(start.report, &error, sizeof error);
  ::_exit(127);
}

/// Forks, and waits until the child is the program. Returns 0 or why it could not.
int start_child(Start start, pid_t& id) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  // Clear of 0, 1 and 2, which the child sets up.
  const Descriptor low_reading(ends[0]);
  Descriptor low_writing(ends[1]);
  const Descriptor reading = duplicate(ends[0]);
  Descriptor writing = duplicate(ends[1]);
  if (!reading.is_open() || !writing.is_open()) return errno;
  low_writing.close();
  start.report = writing.get();
  id = ::fork();
  if (id == 0) become(start);
  if (id < 0) return errno;
  writing.close();
  int error = 0;
  ssize_t size = 0;
  while ((size = ::read(reading.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (size != static_cast<ssize_t>(sizeof error)) return 0;  // closed by exec
  while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
  }
  return error;
}

/// A thread that forks for all others. The system kills a child when the thread that made it ends,
/// and this one ends with the process only.
class Spawner {
 public:
  /// Throws std::system_error when the thread cannot be made.
  static Spawner& instance() {
    // Never destroyed: the thread uses it as long as there is one.
    static auto* const spawner = new Spawner;
    return *spawner;
  }

  int run(const Start& start, pid_t& id) {
    std::packaged_task<int()> task([&] { return start_child(start, id); });
    std::future<int> result = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    waiting_.notify_one();
    return result.get();
  }

 private:
  Spawner() {
    // The signals of the process are for its other threads.
    sigset_t all;
    sigset_t previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    try {
      std::thread([this] { serve(); }).detach();
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &previous, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  }

  [[noreturn]] void serve() {
    while (true) {
      std::unique_lock lock(mutex_);
      waiting_.wait(lock, [this] { return !tasks_.empty(); });
      std::packaged_task<int()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable waiting_;
  std::deque<std::packaged_task<int()>> tasks_;
};

}  // namespace

pid_t spawn(const std::vector<std::string>& words, const StandardStreams& streams) {
  std::vector<std::string> arguments = words;
  std::vector<std::string> variables = environment();
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> variable_pointers = pointers(variables);
  Start start{argument_pointers.data(), variable_pointers.data(), streams, -1, ::getpid(), true};
  pid_t id = -1;
  int failed = 0;
  try {
    failed = Spawner::instance().run(start, id);
  } catch (const std::system_error&) {
    start.bound = false;
    failed = start_child(start, id);
  }
  if (failed != 0) {
    throw IoError(fmt::format("'{}' cannot be started: {}", words.front(),
                              std::generic_category().message(failed)));
  }
  return id;
}

}  // namespace croco
