// SPDX-License-Identifier: Apache-2.0
/// A program that runs beside this one and is talked to through pipes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace croco {

/// Runs until it is destroyed; then its standard input is closed, and what has not ended within a
/// second is killed with its whole process group. Never a zombie, and killed when this process is.
/// It inherits no file but the three pipes, blocks no signals, and is out of reach of the
/// terminal's Ctrl-C. One thread at a time.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// The first word is a program, looked up along PATH. Throws IoError naming it.
  explicit ChildProcess(const std::vector<std::string>& words);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Outcome : std::uint8_t {
    complete,  ///< everything was written, and the answer was complete
    ended,     ///< it closed its standard output: see `end`
    late,      ///< neither, by the deadline
    stopped,   ///< neither, when a stop was requested
  };
  /// Writes `bytes` to its standard input while `take` gets what it writes, until all is written
  /// and `take` has returned true. What `take` throws is thrown here.
  Outcome exchange(std::string_view bytes, const std::function<bool(std::string_view)>& take,
                   Clock::time_point deadline, const std::stop_token& stop = {});

  /// How it ended: "exited with code 3", "was killed by signal 9 (Killed)", "closed its standard
  /// output". Waits a moment for it, and for the rest of what it says.
  [[nodiscard]] std::string end();
  /// The last lines of its standard error, indented; empty when it said nothing.
  [[nodiscard]] std::string last_words();
  /// Kills it with its process group, at once.
  void kill() noexcept;

  /// Kills all of them, for a program that ends without destroying them.
  static void kill_all() noexcept;

 private:
  [[nodiscard]] bool has_exited() const noexcept;
  bool wait_for_exit(std::chrono::milliseconds patience) noexcept;
  void reap() noexcept;
  void read_errors();

  pid_t id_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;
  int status_ = 0;         ///< once it was reaped
  std::string tail_ = {};  ///< of its standard error
};

}  // namespace croco
