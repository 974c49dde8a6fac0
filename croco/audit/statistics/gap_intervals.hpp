// SPDX-License-Identifier: Apache-2.0
/// Every statement of an audit about groups and gaps, with its intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <croco/audit/statistics/group_measures.hpp>
#include <croco/audit/statistics/intervals.hpp>
#include <croco/audit/statistics/population.hpp>

namespace croco {

struct GapOptions {
  double confidence = 0.95;       ///< of every interval, in (0, 1)
  std::size_t replicates = 1000;  ///< resamples of the people, at least 100
  std::size_t strata = 5;         ///< of the score, 0 .. 100; fewer than 2: nothing is standardised
  std::size_t least_people = 30;  ///< a group of fewer is small: its gaps are not stated jointly
  std::uint64_t seed = 0;
  unsigned threads = 1;
};
/// Throws InvalidArgument naming the field, the value and the rule.
void validate(const GapOptions& options);

struct GroupStatement {
  std::size_t grouping = 0;
  std::size_t group = 0;
  GroupStatistic statistic = {};
  std::size_t people = 0;            ///< of the group that it is about; pairs with `paired`
  std::size_t reference_people = 0;  ///< the same of the reference
  GroupValue value = {};
  /// Of `value.gap` alone: Newcombe's for raw gaps of shares, else percentiles of the bootstrap; of
  /// other shares and signs at least as wide as Agresti's intervals, since what happens to all or
  /// none of the people does not vary among resamples.
  ConfidenceInterval interval = {};
  /// Holds together with all others that there are: max-t over groupings, groups and measures. None
  /// for quantiles, which may be infinite, and for small groups.
  std::optional<ConfidenceInterval> joint = {};
  bool small = false;  ///< fewer people than `least_people` on either side
};

struct GroupStatements {
  std::vector<GroupStatement> statements;
  double critical = 0.0;  ///< of the joint intervals, in standard errors of very many people
  std::size_t joint = 0;  ///< how many of them there are
};

/// By grouping, group and statistic; what has no value is left out. The same on any number of
/// threads.
[[nodiscard]] GroupStatements state_gaps(const RecoursePopulation& people,
                                         std::span<const Grouping> groupings,
                                         const GapOptions& options);

}  // namespace croco
