// SPDX-License-Identifier: Apache-2.0
#include <croco/data/category_moves.hpp>

#include <algorithm>
#include <cstddef>

namespace croco {

std::vector<LevelMove> category_moves(const Feature& feature,
                                      const std::vector<std::string>& unseen) {
  std::vector<LevelMove> moves;
  const auto index_of = [&](const std::string& level) {
    return static_cast<std::size_t>(std::ranges::find(feature.levels, level) -
                                    feature.levels.begin());
  };
  for (const CategoryMove& move : feature.moves) {
    moves.push_back({index_of(move.from), index_of(move.to),
                     move.cost.value_or(feature.cost) + feature.touch_cost});
  }
  if (!feature.moves.empty() || feature.movement == Movement::fixed) return moves;
  for (std::size_t from = 0; from < feature.levels.size(); ++from) {
    for (std::size_t to = 0; to < feature.levels.size(); ++to) {
      const bool allowed = feature.movement == Movement::both ? from != to
                           : feature.movement == Movement::up ? from < to
                                                              : from > to;
      if (!allowed || std::ranges::find(unseen, feature.levels[to]) != unseen.end()) continue;
      const std::size_t passed = feature.movement == Movement::both ? 1
                                 : from < to                        ? to - from
                                                                    : from - to;
      moves.push_back({from, to, feature.cost * static_cast<double>(passed) + feature.touch_cost});
    }
  }
  return moves;
}

}  // namespace croco
