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
  /// A total of 0 is not known: the note stands alone.
  Progress(std::string what, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Draws the bar at most ten times a second; `note` stands behind it. What is left is estimated
  /// from the share that is done, unless the caller knows better.
  void update(std::size_t done, const std::string& note = {},
              std::optional<double> seconds_left = {});
  /// Wipes the bar.
  void clear();

 private:
  std::mutex mutex_;
  std::string what_;
  std::size_t total_;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace croco::cli
