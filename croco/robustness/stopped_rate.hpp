// SPDX-License-Identifier: Apache-2.0
/// The rate behind samples whose drawing may have stopped early. The quotient of the counts is
/// biased there: drawing stops when the failures happen to be few. The estimate here is the
/// unbiased one (Girshick, Mosteller and Savage 1946): of all sequences of samples that end at this
/// look with this count, the share whose first sample fails.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <croco/base/types.hpp>

namespace croco {

/// The counts with which drawing goes on after a look: from `lowest` to below `end`.
struct GoingOn {
  std::size_t lowest = 0;
  std::size_t end = 0;
};

/// Knows in how many ways samples lead to the counts at which drawing goes on. What it computes is
/// kept for further questions about the same plan; not thread-safe.
class StoppedRate {
 public:
  /// `looks`: samples made by each look, increasing. `goes_on` is asked about a look when that is
  /// needed, and once. `around`: the rate, in (0, 1), near which drawing goes on; it only scales
  /// intermediate numbers.
  StoppedRate(std::vector<std::size_t> looks, std::function<GoingOn(std::size_t look)> goes_on,
              double around);

  /// The unbiased estimate when drawing ends at a look with a count. The quotient where nothing
  /// could have stopped it earlier, where the count cannot be reached, and above `kMostExact`
  /// samples, where the bias is below 1e-4.
  [[nodiscard]] double at(std::size_t look, std::size_t invalid);

  static constexpr std::size_t kMostExact = std::size_t{1} << 22;

 private:
  /// What is known of the counts after which drawing goes on, from `lowest` upwards.
  struct Stage {
    std::size_t lowest = 0;
    Vector ways;    ///< that lead to each count, on a scale of their own
    Vector failed;  ///< the same, each counted with the rate before the first look
  };

  void add_stage();
  [[nodiscard]] Vector steps(std::size_t samples, std::size_t least, std::size_t most) const;

  std::vector<std::size_t> looks_;
  std::function<GoingOn(std::size_t)> goes_on_;
  double odds_;
  double around_;
  std::vector<Stage> stages_;
};

}  // namespace croco
