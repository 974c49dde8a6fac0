// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/change_box.hpp>

#include <algorithm>
#include <cmath>

namespace croco {
namespace {

double nearest_to_zero(const Interval& side) noexcept {
  return std::clamp(0.0, side.lower, side.upper);
}

/// How far a side lets its coordinate go from the value nearest to 0, up or down. That is always
/// away from 0, so every unit has the same price.
double room_of(const Interval& side, bool up) noexcept {
  const double nearest = nearest_to_zero(side);
  return up ? side.upper - nearest : nearest - side.lower;
}

/// The greatest `slopes . d` of the box within the budget. Greedy: it is a fractional knapsack.
double greatest(View costs, double budget, const ChangeBox& box, View slopes) {
  double value = 0;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const double nearest = nearest_to_zero(box[i]);
    value += slopes[i] * nearest;
    budget -= costs[i] * std::abs(nearest);
    if (slopes[i] != 0 && room_of(box[i], slopes[i] > 0) > 0) order.push_back(i);
  }
  std::ranges::sort(order, std::greater<>{},
                    [&](std::size_t i) { return std::abs(slopes[i]) / costs[i]; });
  for (const std::size_t i : order) {
    if (!(budget > 0)) break;
    const double moved = std::min(room_of(box[i], slopes[i] > 0), budget / costs[i]);
    value += std::abs(slopes[i]) * moved;
    budget -= costs[i] * moved;
  }
  return value;
}

}  // namespace

double change_cost(View costs, View change) noexcept {
  double cost = 0;
  for (std::size_t i = 0; i < change.size(); ++i) cost += costs[i] * std::abs(change[i]);
  return cost;
}

Vector cheapest_change(const ChangeBox& box) {
  Vector change(box.size());
  std::ranges::transform(box, change.begin(), nearest_to_zero);
  return change;
}

double largest_cost(View costs, const ChangeBox& box) noexcept {
  double cost = 0;
  for (std::size_t i = 0; i < box.size(); ++i) {
    cost += costs[i] * std::max(std::abs(box[i].lower), std::abs(box[i].upper));
  }
  return cost;
}

bool cut_to_budget(View costs, double budget, ChangeBox& box) {
  const Vector cheapest = cheapest_change(box);
  const double left = budget - change_cost(costs, cheapest);
  if (!(left >= 0)) return false;
  for (std::size_t i = 0; i < box.size(); ++i) {
    // A little wider than the exact cut, so that rounding cuts off nothing.
    const double reach = left / costs[i] * (1 + 1e-12);
    box[i].lower = std::max(box[i].lower, cheapest[i] - reach);
    box[i].upper = std::min(box[i].upper, cheapest[i] + reach);
  }
  return true;
}

Interval linear_range(View costs, double budget, const ChangeBox& box, View slopes) {
  Vector opposite(slopes.begin(), slopes.end());
  for (double& slope : opposite) slope = -slope;
  return {-greatest(costs, budget, box, opposite), greatest(costs, budget, box, slopes)};
}

double cost_to_reach(View costs, const ChangeBox& box, View slopes, double value, Vector* change) {
  if (change != nullptr) *change = cheapest_change(box);
  double cost = 0;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const double nearest = nearest_to_zero(box[i]);
    value += slopes[i] * nearest;
    cost += costs[i] * std::abs(nearest);
  }
  // One or two coordinates are usually enough: pick the best of the rest each time, unsorted.
  double last_yield = kInfinite;
  std::size_t last = kNone;
  while (value < 0) {
    std::size_t best = kNone;
    double best_yield = 0;
    for (std::size_t i = 0; i < box.size(); ++i) {
      const double yield = std::abs(slopes[i]) / costs[i];
      const bool later = yield < last_yield || (yield == last_yield && (last == kNone || i > last));
      if (yield <= best_yield || !later || !(room_of(box[i], slopes[i] > 0) > 0)) continue;
      best = i;
      best_yield = yield;
    }
    if (best == kNone) return kInfinite;
    const double wanted = -value / std::abs(slopes[best]);
    const double room = room_of(box[best], slopes[best] > 0);
    const double moved = std::min(wanted, room);
    cost += costs[best] * moved;
    if (change != nullptr) (*change)[best] += slopes[best] > 0 ? moved : -moved;
    if (wanted <= room) break;
    value += std::abs(slopes[best]) * moved;
    last_yield = best_yield;
    last = best;
  }
  return cost;
}

}  // namespace croco
