// SPDX-License-Identifier: Apache-2.0
/// Boxes of changes, cut by a budget: the sets over which a proof bounds what a model can say.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/space/admissible.hpp>

namespace croco {

/// The cost of a change that does not exist.
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// No column, category or level.
inline constexpr std::size_t kNone = ~std::size_t{0};

/// The changes d with `lower_i <= d_i <= upper_i`; i counts the columns that may move.
using ChangeBox = std::vector<Interval>;

/// `sum_i costs_i |change_i|`.
[[nodiscard]] double change_cost(View costs, View change) noexcept;
/// The cheapest change of the box: every side's value nearest to 0.
[[nodiscard]] Vector cheapest_change(const ChangeBox& box);
/// The cost of the most expensive change; infinite when a side is.
[[nodiscard]] double largest_cost(View costs, const ChangeBox& box) noexcept;

/// Cuts off what no change of the box that costs at most `budget` can reach; false when there is no
/// such change at all.
[[nodiscard]] bool cut_to_budget(View costs, double budget, ChangeBox& box);

/// The least and the greatest `slopes . d` over the changes of the box that cost at most `budget`.
/// Exact up to rounding. Requires that there is such a change; infinite where the box and the
/// budget are.
[[nodiscard]] Interval linear_range(View costs, double budget, const ChangeBox& box, View slopes);

/// The least cost of a change of the box with `value + slopes . d >= 0`; infinite when there is
/// none. `change` is set to it when it is not null (to the best that there is otherwise).
[[nodiscard]] double cost_to_reach(View costs, const ChangeBox& box, View slopes, double value,
                                   Vector* change = nullptr);

}  // namespace croco
