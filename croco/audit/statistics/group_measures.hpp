// SPDX-License-Identifier: Apache-2.0
/// What is measured of groups and of their differences, for people who count any number of times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <croco/audit/statistics/population.hpp>

namespace croco {

enum class GroupMeasure : std::uint8_t {
  refused,     ///< share of people whom the model refuses
  certified,   ///< share of the refused with certified advice
  impossible,  ///< share of the refused for whom none exists, as is proved
  undecided,   ///< share of the refused of whom neither is known
  cost,        ///< quantile of the cost of a certified yes among the refused
  premium,     ///< quantile of certified over plain cost, less 1, among those with a plain yes
  /// Cliff's delta (1993) of the cost: over all pairs of a refused member and a refused member of
  /// the reference, the share in which the member's yes costs more, minus the share in which it
  /// costs less. No recourse costs more than any other, and as much as itself: nobody is left out.
  dominance,
  mean_cost,  ///< of swapped people with a certified yes both ways
};
[[nodiscard]] std::string_view name_of(GroupMeasure measure) noexcept;

/// How a group is compared with the reference.
enum class GapView : std::uint8_t {
  own,           ///< not at all: the group itself
  raw,           ///< as they are
  standardised,  ///< as if the refused of both were spread alike over strata of the score
  paired,        ///< the same people, as members of one and of the other
};
[[nodiscard]] std::string_view name_of(GapView view) noexcept;

/// One number about a group.
struct GroupStatistic {
  GapView view = GapView::own;
  GroupMeasure measure = GroupMeasure::refused;
  double quantile = 0.0;  ///< of `cost` and `premium`
};

inline constexpr std::array<double, 4> kGroupQuantiles = {0.25, 0.5, 0.75, 0.9};
/// All of them, in the order in which they are measured.
[[nodiscard]] const std::vector<GroupStatistic>& group_statistics();
/// Whether the statistic is finite by itself, and may be stated together with others.
[[nodiscard]] bool is_bounded(const GroupStatistic& statistic) noexcept;

/// NaN where it has no value.
struct GroupValue {
  double group = 0.0;
  double reference = 0.0;
  double gap = 0.0;  ///< the group less the reference; with `own`, the group
};

/// Measures every group of a grouping. What does not depend on how often people count is made once.
class GroupComparison {
 public:
  /// People in fewer than this many of a stratum are not compared within it.
  static constexpr std::size_t kLeastInStratum = 5;

  /// `strata`: of the refused by score, equally many in each as far as equal scores allow; 0 for
  /// none. Keeps references.
  GroupComparison(const RecoursePopulation& people, const Grouping& grouping, std::size_t strata);

  /// For each group, for each of `group_statistics()`.
  [[nodiscard]] std::vector<GroupValue> measure(std::span<const std::uint8_t> times) const;

  [[nodiscard]] std::size_t groups() const noexcept { return grouping_.groups; }
  [[nodiscard]] std::size_t people_of(std::size_t group) const { return members_[group].size(); }
  [[nodiscard]] std::size_t refused_of(std::size_t group) const { return by_cost_[group].size(); }
  /// How many of the refused have this outcome.
  [[nodiscard]] std::size_t count_of(std::size_t group, Recourse recourse) const;
  /// The refused of a group with a plain yes.
  [[nodiscard]] std::size_t plain_of(std::size_t group) const { return by_premium_[group].size(); }
  /// The share of all refused people in strata that both groups are in: what a standardised gap is
  /// about.
  [[nodiscard]] double common_support(std::size_t group) const;

 private:
  using Order = std::vector<std::uint32_t>;
  /// What a member of each stratum counts for.
  using Factors = std::vector<double>;
  struct Sums {
    double refused = 0;
    std::array<double, 4> by_recourse = {};
  };

  [[nodiscard]] Sums sums_of(std::size_t group, std::span<const std::uint8_t> times,
                             const Factors& factors) const;
  [[nodiscard]] double dominance(std::size_t group, std::span<const std::uint8_t> times,
                                 const Factors& of_group, const Factors& of_reference) const;
  void compare(std::size_t group, std::span<const std::uint8_t> times, const Factors& of_group,
               const Factors& of_reference, std::vector<GroupValue>& out) const;
  void compare_swapped(std::size_t group, std::span<const std::uint8_t> times,
                       std::vector<GroupValue>& out) const;

  const RecoursePopulation& people_;
  const Grouping& grouping_;
  std::vector<Order> members_;     ///< by group
  std::vector<Order> by_cost_;     ///< its refused members, the cheapest first
  std::vector<Order> by_premium_;  ///< those with a plain yes, the smallest premium first
  Vector premium_;
  std::size_t strata_;
  std::vector<std::uint32_t> stratum_;     ///< by person
  std::vector<std::vector<char>> common_;  ///< by group and stratum: both groups are there
};

/// The smallest value with at least this share of the weight at or below it; NaN without weight.
/// `order` sorts the values, `weight(i)` is the weight of a place of theirs.
template <typename Weight>
[[nodiscard]] double weighted_quantile(std::span<const std::uint32_t> order,
                                       std::span<const double> values, const Weight& weight,
                                       double share) {
  double total = 0;
  for (const std::uint32_t i : order) total += weight(i);
  if (!(total > 0)) return std::numeric_limits<double>::quiet_NaN();
  // Weights that are no whole numbers add up with rounding.
  const double enough = share * total * (1 - 1e-12);
  double sum = 0;
  double last = 0;
  for (const std::uint32_t i : order) {
    const double own = weight(i);
    if (own == 0) continue;
    sum += own;
    last = values[i];
    if (sum >= enough) break;
  }
  return last;
}

}  // namespace croco
