// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/statistics/gap_intervals.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/audit/statistics/bootstrap.hpp>
#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/base/parallel.hpp>

namespace croco {
namespace {

bool is_share(const GroupStatistic& statistic) noexcept {
  switch (statistic.measure) {
    case GroupMeasure::refused:
    case GroupMeasure::certified:
    case GroupMeasure::impossible:
    case GroupMeasure::undecided:
      return true;
    default:
      return false;
  }
}

/// Differences of shares end at -1 and 1.
ConfidenceInterval within_range(ConfidenceInterval interval, const GroupStatistic& statistic) {
  if (!is_share(statistic) && statistic.measure != GroupMeasure::dominance) return interval;
  return {std::max(interval.lower, -1.0), std::min(interval.upper, 1.0)};
}

/// Pairs that differ, in either direction: by a certified yes, or by its cost.
double paired_error(const std::vector<SwappedPerson>& swapped, GroupMeasure measure) {
  std::size_t first = 0;
  std::size_t second = 0;
  for (const SwappedPerson& one : swapped) {
    const bool counts = measure == GroupMeasure::dominance ||
                        std::isfinite(one.as_group) != std::isfinite(one.as_reference);
    if (!counts) continue;
    first += one.as_group > one.as_reference ? 1U : 0U;
    second += one.as_group < one.as_reference ? 1U : 0U;
  }
  return agresti_min_error(first, second, swapped.size());
}

/// Successes and trials behind a raw share.
struct ShareCount {
  std::size_t successes = 0;
  std::size_t trials = 0;
};

ShareCount share_count(const GroupComparison& groups, std::size_t group, GroupMeasure measure) {
  const std::size_t refused = groups.refused_of(group);
  switch (measure) {
    case GroupMeasure::refused:
      return {refused, groups.people_of(group)};
    case GroupMeasure::certified:
      return {groups.count_of(group, Recourse::certified), refused};
    case GroupMeasure::impossible:
      return {groups.count_of(group, Recourse::impossible), refused};
    default:
      return {groups.count_of(group, Recourse::undecided), refused};
  }
}

/// The statements, and the same numbers of every resample.
class Gaps {
 public:
  Gaps(const RecoursePopulation& people, std::span<const Grouping> groupings,
       const GapOptions& options)
      : people_(people), groupings_(groupings), options_(options) {
    const std::size_t strata = options.strata < 2 ? 0 : options.strata;
    comparisons_.reserve(groupings.size());
    for (const Grouping& grouping : groupings) comparisons_.emplace_back(people, grouping, strata);
  }

  [[nodiscard]] GroupStatements state() {
    for (std::size_t a = 0; a < groupings_.size(); ++a) list(a);
    resample();
    for (std::size_t k = 0; k < places_.size(); ++k) add_interval(k);
    add_joint();
    return std::move(out_);
  }

 private:
  /// Where a statement stands among the numbers of a resample.
  struct Place {
    std::size_t grouping;
    std::size_t index;
  };

  void list(std::size_t a) {
    const std::vector<GroupStatistic>& statistics = group_statistics();
    const std::vector<std::uint8_t> once(people_.size(), 1);
    const std::vector<GroupValue> values = comparisons_[a].measure(once);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::isnan(values[k].group)) continue;
      GroupStatement one{.grouping = a,
                         .group = k / statistics.size(),
                         .statistic = statistics[k % statistics.size()],
                         .value = values[k]};
      const bool own = one.statistic.view == GapView::own;
      one.people = people_behind(one, one.group);
      one.reference_people = own ? 0 : people_behind(one, groupings_[a].reference);
      one.small = one.people < options_.least_people ||
                  (!own && one.reference_people < options_.least_people);
      out_.statements.push_back(one);
      places_.push_back({a, k});
    }
  }

  [[nodiscard]] std::size_t people_behind(const GroupStatement& one, std::size_t group) const {
    const GroupComparison& groups = comparisons_[one.grouping];
    if (one.statistic.view == GapView::paired) {
      return groupings_[one.grouping].swapped[one.group].size();
    }
    if (one.statistic.measure == GroupMeasure::refused) return groups.people_of(group);
    if (one.statistic.measure == GroupMeasure::premium) return groups.plain_of(group);
    return groups.refused_of(group);
  }

  void resample() {
    replicates_ = Matrix(options_.replicates, places_.size());
    if (places_.empty()) return;
    parallel_for(options_.replicates, options_.threads, [&](std::size_t b) {
      std::vector<std::uint8_t> times(people_.size());
      resample_people(options_.seed, b, times);
      std::vector<std::vector<GroupValue>> values;
      values.reserve(comparisons_.size());
      for (const GroupComparison& comparison : comparisons_) {
        values.push_back(comparison.measure(times));
      }
      const MutableView row = replicates_[b];
      for (std::size_t k = 0; k < places_.size(); ++k) {
        row[k] = values[places_[k].grouping][places_[k].index].gap;
      }
    });
  }

  [[nodiscard]] Vector replicates_of(std::size_t k) const {
    Vector out;
    out.reserve(options_.replicates);
    for (std::size_t b = 0; b < options_.replicates; ++b) out.push_back(replicates_[b][k]);
    return out;
  }

  /// The counts behind the shares that a statement compares.
  [[nodiscard]] std::array<ShareCount, 2> counts_of(const GroupStatement& one) const {
    const GroupComparison& groups = comparisons_[one.grouping];
    return {share_count(groups, one.group, one.statistic.measure),
            share_count(groups, groupings_[one.grouping].reference, one.statistic.measure)};
  }

  /// What the standard error of a gap is at least: resamples of a share of 0 or 1 do not vary.
  [[nodiscard]] double least_error(const GroupStatement& one) const {
    if (one.statistic.view == GapView::own) return 0;
    if (one.statistic.view == GapView::paired) {
      if (one.statistic.measure == GroupMeasure::mean_cost) return 0;
      return paired_error(groupings_[one.grouping].swapped[one.group], one.statistic.measure);
    }
    if (one.statistic.measure == GroupMeasure::dominance) {
      // Nothing is known more closely than one person's place among the others.
      return 1.0 / static_cast<double>(std::min(one.people, one.reference_people));
    }
    if (!is_share(one.statistic)) return 0;
    const auto [own, other] = counts_of(one);
    return agresti_caffo_error(own.successes, own.trials, other.successes, other.trials);
  }

  void add_interval(std::size_t k) {
    GroupStatement& one = out_.statements[k];
    const Vector replicates = replicates_of(k);
    if (is_share(one.statistic) && one.statistic.view == GapView::raw) {
      const auto [own, other] = counts_of(one);
      one.interval = newcombe_interval(own.successes, own.trials, other.successes, other.trials,
                                       options_.confidence);
    } else {
      const double reach = normal_quantile(0.5 + options_.confidence / 2) * least_error(one);
      one.interval = percentile_interval(replicates, options_.confidence);
      if (reach > 0) {
        one.interval.lower = std::min(one.interval.lower, one.value.gap - reach);
        one.interval.upper = std::max(one.interval.upper, one.value.gap + reach);
      }
      one.interval = within_range(one.interval, one.statistic);
    }
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (one.statistic.view != GapView::own && is_bounded(one.statistic) && !one.small &&
        std::ranges::all_of(replicates, is_finite)) {
      together_.push_back(k);
    }
  }

  void add_joint() {
    Vector estimates;
    Vector least;
    Vector freedom;
    Matrix chosen(options_.replicates, together_.size());
    for (std::size_t j = 0; j < together_.size(); ++j) {
      const GroupStatement& one = out_.statements[together_[j]];
      estimates.push_back(one.value.gap);
      least.push_back(least_error(one));
      freedom.push_back(static_cast<double>(std::min(one.people, one.reference_people) - 1));
      for (std::size_t b = 0; b < options_.replicates; ++b) {
        chosen[b][j] = replicates_[b][together_[j]];
      }
    }
    if (together_.empty()) return;
    const SimultaneousIntervals intervals =
        max_t_intervals(estimates, chosen, least, freedom, options_.confidence);
    for (std::size_t j = 0; j < together_.size(); ++j) {
      GroupStatement& one = out_.statements[together_[j]];
      one.joint = within_range(intervals.intervals[j], one.statistic);
    }
    out_.critical = intervals.critical;
    out_.joint = together_.size();
  }

  const RecoursePopulation& people_;
  std::span<const Grouping> groupings_;
  const GapOptions& options_;
  std::vector<GroupComparison> comparisons_;
  GroupStatements out_;
  std::vector<Place> places_;          ///< by statement
  Matrix replicates_;                  ///< a row for each resample
  std::vector<std::size_t> together_;  ///< the statements with joint intervals
};

}  // namespace

void validate(const GapOptions& options) {
  constexpr std::size_t kFewest = 100;
  constexpr std::size_t kMostStrata = 100;
  require_confidence(options.confidence);
  if (options.replicates < kFewest) {
    throw InvalidArgument(
        fmt::format("resamples is {}; it must be at least {}", options.replicates, kFewest));
  }
  if (options.strata > kMostStrata) {
    throw InvalidArgument(
        fmt::format("score-strata is {}; it must be at most {}", options.strata, kMostStrata));
  }
}

GroupStatements state_gaps(const RecoursePopulation& people, std::span<const Grouping> groupings,
                           const GapOptions& options) {
  validate(options);
  return Gaps(people, groupings, options).state();
}

}  // namespace croco
