// SPDX-License-Identifier: Apache-2.0
/// A progress bar on a terminal; nothing when standard error is a file or a pipe, or
/// with `--quiet`.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

namespace croco::cli {

/// `45 s`, `3 min 20 s`, `1 h 5 min`.
[[nodiscard]] std::string duration_text(double seconds);

/// May be drawn by several threads.
class Progress {
 public:
  /// A total of 0 is not known: the note stands alone. `begun` of it were done before.
  Progress(std::string what, std::size_t total, std::size_t begun = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Draws the bar at most ten times a second, with how many are done in a second; `note` stands
  /// behind it. What is left is estimated from that, unless the caller knows better.
  void update(std::size_t done, const std::string& note = {},
              std::optional<double> seconds_left = {});
  /// Wipes the bar.
  void clear();

 private:
  std::mutex mutex_;
  std::string what_;
  std::size_t total_;
  std::size_t begun_;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace croco::cli
