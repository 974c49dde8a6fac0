// SPDX-License-Identifier: Apache-2.0
/// A progress bar on a terminal; nothing when standard error is a file or a pipe.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace croco::cli {

class Progress {
 public:
  Progress(std::string what, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Draws the bar at most ten times a second; `note` stands behind it.
  void update(std::size_t done, const std::string& note = {});
  /// Wipes the bar.
  void clear();

 private:
  std::string what_;
  std::size_t total_;
  bool visible_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace croco::cli
