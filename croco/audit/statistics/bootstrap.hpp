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
///     estimate_j -+ t_j error_j,   t_j = q + (q^3 + q) / (4 freedom_j),
///
/// with q the quantile of `max_j |replicate_bj - estimate_j| / error_j` over replicates b (max-t;
/// Westfall and Young 1993, section 2.5). The error of a statistic is the standard deviation of its
/// replicates, or `least_errors[j]` when that is more: a share of 0 or 1 has no deviation at all.
/// Two corrections keep the error from exceeding what is stated: q is the 99 % upper limit of the
/// quantile that this many replicates estimate, and t_j is Student's quantile in place of the
/// normal one (to first order; Fisher 1941), since the error is estimated too. Nor is q below the
/// normal quantile of a single statement, which replicates that hardly vary would allow. What does
/// not vary has an interval of no width. `replicates` has a row for each resample; all numbers must
/// be finite.
struct SimultaneousIntervals {
  double critical = 0.0;  ///< q
  Vector errors;
  std::vector<ConfidenceInterval> intervals;
};
[[nodiscard]] SimultaneousIntervals max_t_intervals(std::span<const double> estimates,
                                                    const Matrix& replicates,
                                                    std::span<const double> least_errors,
                                                    std::span<const double> freedom,
                                                    double confidence);

}  // namespace croco
