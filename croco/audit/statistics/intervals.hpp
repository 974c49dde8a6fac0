// SPDX-License-Identifier: Apache-2.0
/// Intervals for shares and curves, in closed form. `confidence` is two-sided.
#pragma once

#include <cstddef>
#include <span>

namespace croco {

struct ConfidenceInterval {
  double lower = 0.0;
  double upper = 0.0;

  bool operator==(const ConfidenceInterval&) const = default;
};

/// Wilson (1927): the p with `|successes / trials - p| <= z sqrt(p (1 - p) / trials)`. Unlike the
/// textbook's p +- z s it has a width at shares of 0 and 1. Requires successes <= trials; no trials
/// give [0, 1].
[[nodiscard]] ConfidenceInterval wilson_interval(std::size_t successes, std::size_t trials,
                                                 double confidence);

/// Newcombe (1998, Statistics in Medicine 17, method 10): the difference of two independent shares,
/// first less second, from their Wilson intervals,
///
///     d - sqrt((p1 - l1)^2 + (u2 - p2)^2) .. d + sqrt((u1 - p1)^2 + (p2 - l2)^2).
///
/// Requires trials on both sides.
[[nodiscard]] ConfidenceInterval newcombe_interval(std::size_t successes1, std::size_t trials1,
                                                   std::size_t successes2, std::size_t trials2,
                                                   double confidence);

/// The standard error of such a difference after one success and one failure were added to each
/// side (Agresti and Caffo 2000). It is never 0: a share of 0 or 1 among few people is not certain.
[[nodiscard]] double agresti_caffo_error(std::size_t successes1, std::size_t trials1,
                                         std::size_t successes2, std::size_t trials2) noexcept;

/// The standard error of the difference of two shares of the same `pairs`, of which `first` have it
/// the first time alone and `second` the second time alone, after half a pair was added to each of
/// the four cells (Agresti and Min 2005). It is never 0.
[[nodiscard]] double agresti_min_error(std::size_t first, std::size_t second,
                                       std::size_t pairs) noexcept;

/// Dvoretzky, Kiefer and Wolfowitz with Massart's constant (1990): the empirical distribution
/// function of `count` values is nowhere farther than this from the true one, with `confidence`.
[[nodiscard]] double distribution_band(std::size_t count, double confidence);

/// The percentile interval of replicates of a bootstrap, which may be infinite. A NaN (such as the
/// difference of two infinite values) may be anything: it counts as beyond either end. Rounded
/// outward. Requires replicates.
[[nodiscard]] ConfidenceInterval percentile_interval(std::span<const double> replicates,
                                                     double confidence);

}  // namespace croco
