// SPDX-License-Identifier: Apache-2.0
#include <croco/space/levels.hpp>

#include <algorithm>

namespace croco {

std::size_t level_at(const OneHotGroup& group, View point) noexcept {
  const auto columns = point.subspan(group.first, group.count);
  return static_cast<std::size_t>(std::ranges::max_element(columns) - columns.begin());
}

void set_level(const OneHotGroup& group, std::size_t level, MutableView point) noexcept {
  for (std::size_t l = 0; l < group.count; ++l) point[group.first + l] = l == level ? 1.0 : 0.0;
}

const LevelMove* find_move(const OneHotGroup& group, std::size_t from, std::size_t to) noexcept {
  const auto found = std::ranges::find_if(
      group.moves, [&](const LevelMove& move) { return move.from == from && move.to == to; });
  return found == group.moves.end() ? nullptr : &*found;
}

bool has_level_moves(const Space& space) noexcept {
  return std::ranges::any_of(space.groups,
                             [](const OneHotGroup& group) { return !group.moves.empty(); });
}

double level_price(const Space& space, const OneHotGroup& group, std::size_t from,
                   std::size_t to) noexcept {
  if (from == to) return 0;
  const LevelMove* move = find_move(group, from, to);
  return move != nullptr ? move->price : space.columns[group.first].cost;
}

}  // namespace croco
