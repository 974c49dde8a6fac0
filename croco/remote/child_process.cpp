// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/child_process.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <set>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/printable.hpp>
#include <croco/base/sigpipe_block.hpp>
#include <croco/remote/spawn.hpp>

namespace croco {
namespace {

using std::chrono::milliseconds;

/// How long a program may take to end once its input is closed.
constexpr milliseconds kGrace{1000};
/// What is kept of its standard error, and shown of it.
constexpr std::size_t kKeptBytes = 16'384;
constexpr std::size_t kShownLines = 12;
constexpr std::size_t kShownLine = 240;

/// The process groups that are running.
struct Running {
  std::mutex mutex;
  std::set<pid_t> groups;
};

Running& running() {
  // Never destroyed: the program may end while other threads still use it.
  static auto* const all = new Running;
  return *all;
}

void close_once(int& file) noexcept {
  if (file >= 0) ::close(file);
  file = -1;
}

/// Both ends of a pipe, closed unless they are taken.
class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail();
    // Clear of 0, 1 and 2, which may be closed in this process and are set up in the other.
    for (std::size_t i = 0; i < ends.size(); ++i) {
      ends_[i] = ::fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
      ::close(ends[i]);
    }
    if (ends_[0] < 0 || ends_[1] < 0) {
      close();
      fail();
    }
  }
  ~Pipe() { close(); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int reading() const noexcept { return ends_[0]; }
  [[nodiscard]] int writing() const noexcept { return ends_[1]; }
  /// An end that stays here: reads and writes do not wait.
  [[nodiscard]] int take(bool for_reading) noexcept {
    const int file = std::exchange(ends_[for_reading ? 0 : 1], -1);
    ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);
#ifdef F_SETPIPE_SZ
    // Fewer turns for large batches; any size will do.
    constexpr int kBytes = 1 << 20;
    ::fcntl(file, F_SETPIPE_SZ, kBytes);
#endif
    return file;
  }

 private:
  [[noreturn]] static void fail() {
    throw IoError(fmt::format("a pipe cannot be made: {}", std::generic_category().message(errno)));
  }
  void close() noexcept {
    for (int& end : ends_) close_once(end);
  }

  std::array<int, 2> ends_{-1, -1};
};

/// Milliseconds until then, rounded up, as poll wants them; few, where a stop may be requested.
int patience(ChildProcess::Clock::time_point deadline, bool may_stop) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - ChildProcess::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, may_stop ? 100 : 60'000));
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words) {
  Pipe input;
  Pipe output;
  Pipe errors;
  // Registered under the lock, so that `kill_all` misses none.
  const std::lock_guard lock(running().mutex);
  id_ = spawn(words, {input.reading(), output.writing(), errors.writing()});
  running().groups.insert(id_);
  input_ = input.take(false);
  output_ = output.take(true);
  errors_ = errors.take(true);
}

ChildProcess::~ChildProcess() {
  close_once(input_);
  close_once(output_);
  if (id_ >= 0) {
    wait_for_exit(kGrace);
    reap();
  }
  close_once(errors_);
}

void ChildProcess::kill_all() noexcept {
  const std::lock_guard lock(running().mutex);
  for (const pid_t group : running().groups) ::kill(-group, SIGKILL);
}

bool ChildProcess::has_exited() const noexcept {
  siginfo_t info{};
  // It stays a zombie for now, so that nobody else gets its number before its group is killed.
  return ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

bool ChildProcess::wait_for_exit(milliseconds patience) noexcept {
  const Clock::time_point until = Clock::now() + patience;
  for (milliseconds pause{1}; !has_exited(); pause = std::min(2 * pause, milliseconds(16))) {
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

void ChildProcess::reap() noexcept {
  const std::lock_guard lock(running().mutex);
  ::kill(-id_, SIGKILL);
  while (::waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
  running().groups.erase(id_);
  id_ = -1;
}

void ChildProcess::kill() noexcept {
  if (id_ >= 0) reap();
}

void ChildProcess::read_errors() {
  std::array<char, 4096> piece{};
  while (errors_ >= 0) {
    const ssize_t size = ::read(errors_, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) return close_once(errors_);
    tail_.append(piece.data(), static_cast<std::size_t>(size));
    if (tail_.size() > 2 * kKeptBytes) tail_.erase(0, tail_.size() - kKeptBytes);
  }
}

ChildProcess::Outcome ChildProcess::exchange(std::string_view bytes,
                                             const std::function<bool(std::string_view)>& take,
                                             Clock::time_point deadline,
                                             const std::stop_token& stop) {
  const SigpipeBlock sigpipe_block;
  std::vector<char> piece(std::size_t{1} << 16);
  bool complete = false;
  while (!complete || !bytes.empty()) {
    if (stop.stop_requested()) return Outcome::stopped;
    // Whoever is asked last is not waited for: files below 0 are ignored.
    std::array<pollfd, 3> files{pollfd{bytes.empty() ? -1 : input_, POLLOUT, 0},
                                pollfd{output_, POLLIN, 0}, pollfd{errors_, POLLIN, 0}};
    const int ready = ::poll(files.data(), files.size(), patience(deadline, stop.stop_possible()));
    if (ready < 0 && errno != EINTR) {
      throw IoError(fmt::format("waiting for a child process failed: {}",
                                std::generic_category().message(errno)));
    }
    if (files[2].revents != 0) read_errors();
    if (files[0].revents != 0) {
      const ssize_t size = ::write(input_, bytes.data(), bytes.size());
      if (size > 0) bytes.remove_prefix(static_cast<std::size_t>(size));
      if (size < 0 && errno != EAGAIN && errno != EINTR) {
        // It reads no more; what it still has to say decides.
        close_once(input_);
        bytes = {};
      }
    }
    if (files[1].revents != 0) {
      const ssize_t size = ::read(output_, piece.data(), piece.size());
      if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return Outcome::ended;
      if (size > 0) complete = take({piece.data(), static_cast<std::size_t>(size)}) || complete;
    }
    if ((!complete || !bytes.empty()) && Clock::now() >= deadline) return Outcome::late;
  }
  return Outcome::complete;
}

std::string ChildProcess::end() {
  constexpr milliseconds kPatience{500};
  const bool exited = id_ < 0 || wait_for_exit(kPatience);
  read_errors();
  kill();
  if (!exited) return "closed its standard output";
  if (WIFEXITED(status_)) return fmt::format("exited with code {}", WEXITSTATUS(status_));
  const int signal = WTERMSIG(status_);
  return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
}

std::string ChildProcess::last_words() {
  read_errors();
  std::vector<std::string_view> lines;
  for (std::string_view rest = tail_; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const std::size_t first = lines.size() - std::min(kShownLines, lines.size());
  std::string out;
  for (std::size_t i = first; i < lines.size(); ++i) {
    out += fmt::format("\n  {}", excerpt(lines[i], kShownLine));
  }
  return out;
}

}  // namespace croco
