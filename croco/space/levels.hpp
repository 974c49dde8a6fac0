// SPDX-License-Identifier: Apache-2.0
/// The levels of categories: which one a point has, which ones advice may move to, at which price.
#pragma once

#include <cstddef>

#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// The level that a point has in a group: its largest column, the first of equals.
[[nodiscard]] std::size_t level_at(const OneHotGroup& group, View point) noexcept;
/// Gives a point a level: exactly one-hot.
void set_level(const OneHotGroup& group, std::size_t level, MutableView point) noexcept;

/// The move between two levels; null when advice may not tell it.
[[nodiscard]] const LevelMove* find_move(const OneHotGroup& group, std::size_t from,
                                         std::size_t to) noexcept;
/// Whether any category may be moved.
[[nodiscard]] bool has_level_moves(const Space& space) noexcept;
/// What a change of category costs: the price of the move. What no advice may tell costs as much as
/// the cost of the group's columns.
[[nodiscard]] double level_price(const Space& space, const OneHotGroup& group, std::size_t from,
                                 std::size_t to) noexcept;

}  // namespace croco
