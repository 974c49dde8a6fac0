// SPDX-License-Identifier: Apache-2.0
/// Resampled people, and intervals that hold for many statistics at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <croco/audit/statistics/intervals.hpp>
#include <croco/base/types.hpp>

namespace croco {

/// How often each person is in a resample: independent Poisson numbers of mean 1 (Hanley and
/// MacGibbon 2006), pure functions of seed, replicate and person. A person counts as often in every
/// group, attribute and measure, so that all of them are resampled jointly.
void resample_people(std::uint64_t seed, std::size_t replicate, std::span<std::uint8_t> times);

/// Intervals of statistics s_1 .. s_m that all hold at once with `confidence`,
///
///     estimate_j -+ q error_j,   q the quantile of  max_j |replicate_bj - estimate_j| / error_j
///
/// over replicates b (max-t; Westfall and Young 1993, section 2.5). The error of a statistic is the
/// standard deviation of its replicates, or `least_errors[j]` when that is more: a share of 0 or 1
/// has no deviation at all. What does not vary has an interval of no width. `replicates` has a row
/// for each resample; all numbers must be finite. The quantile is rounded up, to the next
/// replicate.
struct SimultaneousIntervals {
  double critical = 0.0;  ///< q
  Vector errors;
  std::vector<ConfidenceInterval> intervals;
};
[[nodiscard]] SimultaneousIntervals max_t_intervals(std::span<const double> estimates,
                                                    const Matrix& replicates,
                                                    std::span<const double> least_errors,
                                                    double confidence);

}  // namespace croco
