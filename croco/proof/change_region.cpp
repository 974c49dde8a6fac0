// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/change_region.hpp>

#include <algorithm>
#include <cmath>

namespace croco {
namespace {

/// A way to raise the bound: some of a number, or a step along the hull of a category's levels.
struct Piece {
  double yield;        ///< gain per cost
  double gain;         ///< of all of it
  double price;        ///< of all of it
  std::size_t place;   ///< column, or category behind the columns
  std::size_t option;  ///< of a category: where it leads
};

/// The upper left hull of (price, gain): what a category can give for a part of its price at most.
/// Its pieces have falling yields, so that a greedy choice takes them in their order.
void add_hull(const LevelOptions& options, View gains, std::size_t place,
              std::vector<Piece>& pieces) {
  std::size_t at = 0;
  for (std::size_t o = 1; o < options.size(); ++o) {  // the best of those that cost no more
    if (options[o].price <= options[0].price && gains[o] > gains[at]) at = o;
  }
  if (at != 0) pieces.push_back({kInfinite, gains[at] - gains[0], 0, place, at});
  while (true) {
    std::size_t next = kNone;
    double best = 0;
    for (std::size_t o = 0; o < options.size(); ++o) {
      const double gain = gains[o] - gains[at];
      const double price = options[o].price - options[at].price;
      if (!(gain > 0) || !(price > 0)) continue;
      const double yield = gain / price;
      // Of equals the farthest, so that no piece is dealt out twice.
      if (yield < best ||
          (yield == best && next != kNone && options[o].price <= options[next].price))
        continue;
      best = yield;
      next = o;
    }
    if (next == kNone) return;
    pieces.push_back(
        {best, gains[next] - gains[at], options[next].price - options[at].price, place, next});
    at = next;
  }
}

}  // namespace

double cheapest_cost(View costs, const ChangeRegion& region) {
  double cost = change_cost(costs, cheapest_change(region.box));
  for (const LevelOptions& options : region.levels) cost += options.front().price;
  return cost;
}

double largest_cost(View costs, const ChangeRegion& region) noexcept {
  double cost = largest_cost(costs, region.box);
  for (const LevelOptions& options : region.levels) cost += options.back().price;
  return cost;
}

double levels_price(const ChangeRegion& region, const RegionChange& change) {
  double price = 0;
  for (std::size_t c = 0; c < region.levels.size(); ++c) {
    const auto at = std::ranges::find(region.levels[c], change.levels[c], &LevelOption::level);
    if (at == region.levels[c].end()) return kInfinite;
    price += at->price;
  }
  return price;
}

bool cut_to_budget(View costs, double budget, ChangeRegion& region) {
  const double least = cheapest_cost(costs, region);
  if (!(budget - least >= 0)) return false;
  double prices = 0;
  for (const LevelOptions& options : region.levels) prices += options.front().price;
  if (!cut_to_budget(costs, budget - prices, region.box)) return false;
  for (LevelOptions& options : region.levels) {
    // A hair more, so that rounding cuts off nothing.
    const double most = (options.front().price + (budget - least)) * (1 + 1e-12);
    std::erase_if(options, [&](const LevelOption& option) {
      return option.price > most && option.price > options.front().price;
    });
  }
  return true;
}

double cost_to_reach(View costs, const ChangeRegion& region, const LinearBound& bound,
                     RegionChange* change) {
  if (region.levels.empty()) {
    if (change != nullptr) *change = {};
    return cost_to_reach(costs, region.box, bound.slopes, bound.value,
                         change != nullptr ? &change->numbers : nullptr);
  }
  const Vector nearest = cheapest_change(region.box);
  double value = bound.value;
  double cost = cheapest_cost(costs, region);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const double slope = bound.slopes[i];
    value += slope * nearest[i];
    const double room =
        slope > 0 ? region.box[i].upper - nearest[i] : nearest[i] - region.box[i].lower;
    if (slope == 0 || !(room > 0)) continue;
    pieces.push_back({std::abs(slope) / costs[i], std::abs(slope) * room, costs[i] * room, i, 0});
  }
  for (std::size_t c = 0; c < region.levels.size(); ++c) {
    if (region.levels[c].size() > 1) {
      add_hull(region.levels[c], bound.gains[c], nearest.size() + c, pieces);
    }
  }
  if (change != nullptr) {
    *change = {nearest, {}};
    for (const LevelOptions& options : region.levels) {
      change->levels.push_back(options.front().level);
    }
  }
  if (value < 0) std::ranges::stable_sort(pieces, std::greater<>{}, &Piece::yield);
  for (const Piece& piece : pieces) {
    if (!(value < 0)) break;
    const double share = std::min(1.0, -value / piece.gain);
    value += piece.gain;
    cost += piece.price * share;
    if (change == nullptr) continue;
    if (piece.place < nearest.size()) {
      const double moved = share * piece.price / costs[piece.place];
      const Interval& side = region.box[piece.place];
      double& number = change->numbers[piece.place];
      number = std::clamp(number + (bound.slopes[piece.place] > 0 ? moved : -moved), side.lower,
                          side.upper);
    } else {
      // All of it: a part of a level is no change.
      const std::size_t category = piece.place - nearest.size();
      change->levels[category] = region.levels[category][piece.option].level;
      if (share < 1) change->partial = category;
    }
  }
  return value < 0 ? kInfinite : cost;
}

}  // namespace croco
