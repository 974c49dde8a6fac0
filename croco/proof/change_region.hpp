// SPDX-License-Identifier: Apache-2.0
/// Regions of changes, cut by a budget: a box of numbers, and the levels that categories may have.
/// The sets over which a proof bounds what a model can say. Over a region the least cost at which a
/// linear function reaches 0 is a knapsack: numbers can be bought in part at a constant yield
/// |slope_i| / cost_i, and of each category exactly one level is chosen. Its linear relaxation, in
/// which a part of a level may be bought for a part of its price, is solved greedily: the pieces of
/// each category's upper hull of (price, gain) have falling yields, so taking all pieces of numbers
/// and hulls by decreasing yield is optimal (Sinha and Zoltners 1979 for the multiple-choice
/// knapsack). A relaxation is never too expensive, as a lower bound needs.
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/proof/change_box.hpp>

namespace croco {

/// A level that a category may have, and what it costs to go there.
struct LevelOption {
  std::size_t level = 0;
  double price = 0.0;

  bool operator==(const LevelOption&) const = default;
};
/// The levels that one category may have, by ascending price; at least one.
using LevelOptions = std::vector<LevelOption>;

struct ChangeRegion {
  ChangeBox box = {};
  std::vector<LevelOptions> levels = {};  ///< by category
};

/// One change of a region.
struct RegionChange {
  Vector numbers = {};
  std::vector<std::size_t> levels = {};  ///< by category
  /// The category of which a bound took only a part, if any; the level here is the whole of it.
  std::size_t partial = ~std::size_t{0};
};

/// What the cheapest change of the region costs.
[[nodiscard]] double cheapest_cost(View costs, const ChangeRegion& region);
/// What the most expensive change costs; infinite when a side is.
[[nodiscard]] double largest_cost(View costs, const ChangeRegion& region) noexcept;
/// What the levels of a change cost.
[[nodiscard]] double levels_price(const ChangeRegion& region, const RegionChange& change);

/// Cuts off what no change of the region that costs at most `budget` can reach; false when there is
/// no such change at all.
[[nodiscard]] bool cut_to_budget(View costs, double budget, ChangeRegion& region);

/// A function of the changes: `value + slopes . numbers + sum_c gains[c][option of c]`. Gains are
/// counted from the cheapest level of each category, which has none.
struct LinearBound {
  double value = 0;
  Vector slopes = {};
  std::vector<Vector> gains = {};  ///< [category][option]
};

/// A least cost of the changes of the region for which `bound` is 0 or more: exact without
/// categories, otherwise that of changes that may take a part of a level for a part of its price,
/// and so never too high. Infinite when there is none. `change` is set to a change near to it when
/// it is not null (to the best that there is otherwise).
[[nodiscard]] double cost_to_reach(View costs, const ChangeRegion& region, const LinearBound& bound,
                                   RegionChange* change = nullptr);

}  // namespace croco
