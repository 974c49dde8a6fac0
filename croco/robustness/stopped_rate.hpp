// SPDX-License-Identifier: Apache-2.0
/// The rate behind samples that may have stopped early. The quotient of the counts is biased there:
/// sampling stops when the failures happen to be few. The estimate here is the unbiased one
/// (Girshick, Mosteller and Savage 1946): of all sequences of samples that end at this look with
/// this count, the share whose first sample fails,
///
///     estimate(look, count) = failed(look, count) / ways(look, count).
///
/// The first sample alone is unbiased, and all sequences with the same look and count are equally
/// likely, so averaging over them leaves no bias (Rao and Blackwell). Both numbers follow from look
/// to look by a sum over the counts with which sampling went on,
///
///     ways(i + 1, c) = sum_b ways(i, b) C(n, c - b),    n samples between the two looks,
///
/// and the same for `failed`, which begins at the first look with `ways c / samples`. The code
/// multiplies each binomial coefficient with a power of the odds, which cancels in the quotient and
/// keeps numbers within range.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <croco/base/types.hpp>

namespace croco {

/// The counts with which sampling goes on after a look: from `lowest` to below `end`.
struct GoingOn {
  std::size_t lowest = 0;
  std::size_t end = 0;
};

/// Knows in how many ways samples lead to the counts at which sampling goes on. What it computes is
/// kept for further questions about the same plan; not thread-safe.
class StoppedRate {
 public:
  /// `looks`: samples taken by each look, increasing. `goes_on` is asked about a look when that is
  /// needed, and once. `around`: the rate, in (0, 1), near which sampling goes on; it only scales
  /// intermediate numbers.
  StoppedRate(std::vector<std::size_t> looks, std::function<GoingOn(std::size_t look)> goes_on,
              double around);

  /// The unbiased estimate when sampling ends at a look with a count. The quotient where nothing
  /// could have stopped it earlier, where the count cannot be reached, and above `kMostExact`
  /// samples, where the bias is below 1e-4.
  [[nodiscard]] double at(std::size_t look, std::size_t invalid);

  static constexpr std::size_t kMostExact = std::size_t{1} << 22;

 private:
  /// What is known of the counts after which sampling goes on, from `lowest` upwards.
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
