// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/certified/starts.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <croco/methods/change/level_sets.hpp>

namespace croco {
namespace {

constexpr std::size_t kStarts = 4;
/// No single change is looked for beyond this, in encoded units.
constexpr double kFarthest = 16.0;
/// Sizes are found to about a thirtieth: the search goes on from there.
constexpr int kHalvings = 5;

struct Move {
  Vector change = {};
  double cost = 0;
};

}  // namespace

std::vector<Vector> single_moves(const ChangeProblem& changes, OrderStatistic& statistic) {
  const std::size_t width = changes.intervals.size();
  Vector change = fixed_change(changes);
  const double fixed_cost = cost_of(changes, change);
  // The steepest columns first: the moves found there keep the search along the others short.
  const ConstraintValue here = statistic.evaluate(change);
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < width; ++j) {
    if (changes.intervals[j].lower < changes.intervals[j].upper) order.push_back(j);
  }
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t j) {
    return std::abs(here.gradient[j]) / changes.costs[j];
  });
  std::vector<Move> found;
  for (const std::size_t j : order) {
    const bool rising = here.gradient[j] >= 0;
    for (const double sign : {rising ? 1.0 : -1.0, rising ? -1.0 : 1.0}) {
      const Interval& interval = changes.intervals[j];
      const double end = sign > 0 ? interval.upper : -interval.lower;
      const double most_expensive = found.size() < kStarts ? std::numeric_limits<double>::infinity()
                                                           : found[kStarts - 1].cost - fixed_cost;
      const double most =
          std::min({end, kFarthest, reach_of(changes, j, sign > 0, most_expensive)});
      if (!(most > 0)) continue;
      const auto at = [&](double size) {
        change[j] = sign * size;
        // With relations: the change that keeps them and is nearest to that of the one column.
        Vector kept = changes.rows.empty() ? change : scaled_change(changes, change, 1.0);
        change[j] = 0;
        return kept;
      };
      const auto holds = [&](double size) {
        return statistic.invalid(at(size)) <= statistic.allowed();
      };
      double low = 0;
      double high = std::min(0.1, most);
      bool reached = holds(high);
      // One look at the far end spares the way there, which most columns do not lead to.
      if (!reached && (high == most || !holds(most))) continue;
      while (!reached) {
        low = high;
        high = std::min(2 * high, most);
        reached = high == most || holds(high);
      }
      for (int halving = 0; halving < kHalvings; ++halving) {
        const double middle = (low + high) / 2;
        (holds(middle) ? high : low) = middle;
      }
      Vector kept = at(high);
      const double cost = cost_of(changes, kept);
      found.insert(std::ranges::upper_bound(found, cost, {}, &Move::cost), {std::move(kept), cost});
      if (found.size() > kStarts) found.pop_back();
    }
  }
  std::vector<Vector> starts;
  for (Move& move : found) starts.push_back(std::move(move.change));
  return starts;
}

}  // namespace croco
