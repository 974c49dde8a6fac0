// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/statistics/group_measures.hpp>

#include <algorithm>
#include <cmath>

namespace croco {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

std::size_t index_of_recourse(Recourse recourse) noexcept {
  return static_cast<std::size_t>(recourse);
}

/// Two infinite values differ by nothing that is known.
GroupValue difference_of(double group, double reference) noexcept {
  return {group, reference, group - reference};
}

/// Scores at which a stratum ends, those of refused people in equal shares.
Vector stratum_ends(const RecoursePopulation& people, const Grouping& grouping,
                    std::size_t strata) {
  Vector scores;
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (grouping.group[i] != Grouping::kNone && people.recourse[i] != Recourse::accepted) {
      scores.push_back(people.score[i]);
    }
  }
  std::ranges::sort(scores);
  Vector ends;
  for (std::size_t s = 1; s < strata && !scores.empty(); ++s) {
    ends.push_back(scores[(s * scores.size() + strata - 1) / strata - 1]);
  }
  return ends;
}

}  // namespace

std::string_view name_of(GroupMeasure measure) noexcept {
  switch (measure) {
    case GroupMeasure::refused:
      return "refused";
    case GroupMeasure::certified:
      return "certified";
    case GroupMeasure::impossible:
      return "impossible";
    case GroupMeasure::undecided:
      return "undecided";
    case GroupMeasure::cost:
      return "cost";
    case GroupMeasure::premium:
      return "premium";
    case GroupMeasure::dominance:
      return "dominance";
    case GroupMeasure::mean_cost:
      return "mean_cost";
  }
  return "";
}

std::string_view name_of(GapView view) noexcept {
  switch (view) {
    case GapView::own:
      return "own";
    case GapView::raw:
      return "raw";
    case GapView::standardised:
      return "standardised";
    case GapView::paired:
      return "paired";
  }
  return "";
}

const std::vector<GroupStatistic>& group_statistics() {
  static const std::vector<GroupStatistic> all = [] {
    using enum GroupMeasure;
    std::vector<GroupStatistic> out;
    const auto add = [&](GapView view, GroupMeasure measure) {
      if (measure != cost && measure != premium) {
        out.push_back({view, measure, 0});
        return;
      }
      for (const double share : kGroupQuantiles) out.push_back({view, measure, share});
    };
    for (const GroupMeasure measure : {cost, premium}) add(GapView::own, measure);
    add(GapView::raw, refused);
    for (const GapView view : {GapView::raw, GapView::standardised}) {
      for (const GroupMeasure measure : {certified, impossible, undecided, dominance, cost}) {
        add(view, measure);
      }
    }
    for (const GroupMeasure measure : {certified, dominance, mean_cost}) {
      add(GapView::paired, measure);
    }
    return out;
  }();
  return all;
}

bool is_bounded(const GroupStatistic& statistic) noexcept {
  return statistic.measure != GroupMeasure::cost && statistic.measure != GroupMeasure::premium;
}

GroupComparison::GroupComparison(const RecoursePopulation& people, const Grouping& grouping,
                                 std::size_t strata)
    : people_(people),
      grouping_(grouping),
      members_(grouping.groups),
      by_cost_(grouping.groups),
      by_premium_(grouping.groups),
      premium_(people.size()),
      strata_(strata),
      stratum_(people.size()) {
  const Vector ends = stratum_ends(people, grouping, strata);
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (grouping.group[i] == Grouping::kNone) continue;
    const auto person = static_cast<std::uint32_t>(i);
    members_[grouping.group[i]].push_back(person);
    if (people.recourse[i] == Recourse::accepted) continue;
    by_cost_[grouping.group[i]].push_back(person);
    stratum_[i] =
        static_cast<std::uint32_t>(std::ranges::lower_bound(ends, people.score[i]) - ends.begin());
    if (!std::isfinite(people.plain[i]) || !(people.plain[i] > 0)) continue;
    premium_[i] = people.cost[i] / people.plain[i] - 1;
    by_premium_[grouping.group[i]].push_back(person);
  }
  for (std::size_t g = 0; g < grouping.groups; ++g) {
    std::ranges::stable_sort(by_cost_[g], {}, [&](std::uint32_t i) { return people.cost[i]; });
    std::ranges::stable_sort(by_premium_[g], {}, [&](std::uint32_t i) { return premium_[i]; });
  }
  std::vector<std::vector<std::size_t>> counts(grouping.groups, std::vector<std::size_t>(strata));
  for (std::size_t g = 0; g < grouping.groups && strata > 0; ++g) {
    for (const std::uint32_t i : by_cost_[g]) ++counts[g][stratum_[i]];
  }
  for (const std::vector<std::size_t>& own : counts) {
    common_.emplace_back();
    for (std::size_t s = 0; s < strata; ++s) {
      common_.back().push_back(
          std::min(own[s], counts[grouping.reference][s]) >= kLeastInStratum ? 1 : 0);
    }
  }
}

std::size_t GroupComparison::count_of(std::size_t group, Recourse recourse) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      by_cost_[group], [&](std::uint32_t i) { return people_.recourse[i] == recourse; }));
}

double GroupComparison::common_support(std::size_t group) const {
  double inside = 0;
  double all = 0;
  for (const Order& order : by_cost_) {
    for (const std::uint32_t i : order) {
      all += 1;
      if (strata_ > 0 && common_[group][stratum_[i]] != 0) inside += 1;
    }
  }
  return all > 0 ? inside / all : 0;
}

GroupComparison::Sums GroupComparison::sums_of(std::size_t group,
                                               std::span<const std::uint8_t> times,
                                               const Factors& factors) const {
  Sums out;
  for (const std::uint32_t i : by_cost_[group]) {
    const double weight = times[i] * factors[stratum_[i]];
    out.refused += weight;
    out.by_recourse[index_of_recourse(people_.recourse[i])] += weight;
  }
  return out;
}

double GroupComparison::dominance(std::size_t group, std::span<const std::uint8_t> times,
                                  const Factors& of_group, const Factors& of_reference) const {
  const Order& own = by_cost_[group];
  const Order& others = by_cost_[grouping_.reference];
  double others_total = 0;
  for (const std::uint32_t i : others) others_total += times[i] * of_reference[stratum_[i]];
  double own_total = 0;
  double sum = 0;
  double below = 0;  // the weight of others who pay less
  for (std::size_t i = 0, j = 0; i < own.size();) {
    const double cost = people_.cost[own[i]];
    for (; j < others.size() && people_.cost[others[j]] < cost; ++j) {
      below += times[others[j]] * of_reference[stratum_[others[j]]];
    }
    double equal = 0;
    for (; j < others.size() && people_.cost[others[j]] == cost; ++j) {
      equal += times[others[j]] * of_reference[stratum_[others[j]]];
    }
    double weight = 0;
    for (; i < own.size() && people_.cost[own[i]] == cost; ++i) {
      weight += times[own[i]] * of_group[stratum_[own[i]]];
    }
    own_total += weight;
    sum += weight * (below - (others_total - below - equal));
    below += equal;
  }
  return sum / (own_total * others_total);
}

void GroupComparison::compare(std::size_t group, std::span<const std::uint8_t> times,
                              const Factors& of_group, const Factors& of_reference,
                              std::vector<GroupValue>& out) const {
  const std::size_t reference = grouping_.reference;
  const Sums own = sums_of(group, times, of_group);
  const Sums other = sums_of(reference, times, of_reference);
  for (const Recourse recourse : {Recourse::certified, Recourse::impossible, Recourse::undecided}) {
    const std::size_t at = index_of_recourse(recourse);
    out.push_back(
        difference_of(own.by_recourse[at] / own.refused, other.by_recourse[at] / other.refused));
  }
  const double delta = dominance(group, times, of_group, of_reference);
  out.push_back({delta, 0, delta});
  for (const double share : kGroupQuantiles) {
    const auto quantile = [&](std::size_t of, const Factors& factors) {
      return weighted_quantile(
          by_cost_[of], people_.cost,
          [&](std::uint32_t i) { return times[i] * factors[stratum_[i]]; }, share);
    };
    out.push_back(difference_of(quantile(group, of_group), quantile(reference, of_reference)));
  }
}

void GroupComparison::compare_swapped(std::size_t group, std::span<const std::uint8_t> times,
                                      std::vector<GroupValue>& out) const {
  double all = 0;
  double reach_own = 0;
  double reach_other = 0;
  double delta = 0;
  double both = 0;
  double cost_own = 0;
  double cost_other = 0;
  for (const SwappedPerson& one : grouping_.swapped[group]) {
    const double weight = times[one.person];
    const bool own = std::isfinite(one.as_group);
    const bool other = std::isfinite(one.as_reference);
    all += weight;
    reach_own += own ? weight : 0;
    reach_other += other ? weight : 0;
    delta += one.as_group > one.as_reference   ? weight
             : one.as_group < one.as_reference ? -weight
                                               : 0;
    if (!own || !other) continue;
    both += weight;
    cost_own += weight * one.as_group;
    cost_other += weight * one.as_reference;
  }
  out.push_back(difference_of(reach_own / all, reach_other / all));
  out.push_back({delta / all, 0, delta / all});
  out.push_back(difference_of(cost_own / both, cost_other / both));
}

std::vector<GroupValue> GroupComparison::measure(std::span<const std::uint8_t> times) const {
  const std::size_t count = group_statistics().size();
  std::vector<GroupValue> out;
  out.reserve(groups() * count);
  // How much of each group is in each stratum.
  std::vector<Factors> in_stratum(groups(), Factors(strata_));
  Factors pooled(strata_);
  Vector refused(groups());
  for (std::size_t g = 0; g < groups(); ++g) {
    for (const std::uint32_t i : by_cost_[g]) {
      refused[g] += times[i];
      if (strata_ == 0) continue;
      in_stratum[g][stratum_[i]] += times[i];
      pooled[stratum_[i]] += times[i];
    }
  }
  const auto refused_share = [&](std::size_t g) {
    double all = 0;
    for (const std::uint32_t i : members_[g]) all += times[i];
    return refused[g] / all;
  };
  const Factors alike(std::max<std::size_t>(strata_, 1), 1.0);
  const std::size_t reference = grouping_.reference;
  for (std::size_t g = 0; g < groups(); ++g) {
    const auto own_quantile = [&](const Order& order, const Vector& values, double share) {
      const double value = weighted_quantile(
          order, values, [&](std::uint32_t i) { return static_cast<double>(times[i]); }, share);
      out.push_back({value, kNoValue, value});
    };
    for (const double share : kGroupQuantiles) own_quantile(by_cost_[g], people_.cost, share);
    for (const double share : kGroupQuantiles) own_quantile(by_premium_[g], premium_, share);
    const std::size_t end = (g + 1) * count;
    if (g == reference) {
      out.resize(end, {kNoValue, kNoValue, kNoValue});
      continue;
    }
    out.push_back(difference_of(refused_share(g), refused_share(reference)));
    compare(g, times, alike, alike, out);
    Factors of_group(std::max<std::size_t>(strata_, 1));
    Factors of_reference = of_group;
    for (std::size_t s = 0; s < strata_; ++s) {
      const double own = in_stratum[g][s];
      const double other = in_stratum[reference][s];
      if (common_[g][s] == 0 || own == 0 || other == 0) continue;
      of_group[s] = pooled[s] / own;
      of_reference[s] = pooled[s] / other;
    }
    compare(g, times, of_group, of_reference, out);
    if (grouping_.swapped.empty()) {
      out.resize(end, {kNoValue, kNoValue, kNoValue});
    } else {
      compare_swapped(g, times, out);
    }
  }
  return out;
}

}  // namespace croco
