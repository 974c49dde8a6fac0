// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/starts.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <croco/methods/level_sets.hpp>

namespace croco {
namespace {

constexpr std::size_t kStarts = 4;
/// No single change is looked for beyond this, in encoded units.
constexpr double kFarthest = 16.0;
/// Sizes are found to about a thirtieth: the search goes on from there.
constexpr int kHalvings = 5;

struct Move {
  std::size_t column = 0;
  double size = 0;  ///< signed
  double cost = 0;
};

}  // namespace

std::vector<Vector> single_moves(const ChangeProblem& changes, OrderStatistic& statistic) {
  const std::size_t width = changes.intervals.size();
  Vector change = fixed_change(changes);
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
      const double dearest = found.size() < kStarts ? std::numeric_limits<double>::infinity()
                                                    : found[kStarts - 1].cost;
      const double most = std::min({end, kFarthest, dearest / changes.costs[j]});
      if (!(most > 0)) continue;
      const auto holds = [&](double size) {
        change[j] = sign * size;
        const bool satisfied = statistic.invalid(change) <= statistic.allowed();
        change[j] = 0;
        return satisfied;
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
      const Move move{j, sign * high, changes.costs[j] * high};
      found.insert(std::ranges::upper_bound(found, move.cost, {}, &Move::cost), move);
      if (found.size() > kStarts) found.pop_back();
    }
  }
  std::vector<Vector> starts;
  for (const Move& move : found) {
    Vector& start = starts.emplace_back(change);
    start[move.column] = move.size;
  }
  return starts;
}

}  // namespace croco
