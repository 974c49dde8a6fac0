// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/reasons/category_limits.hpp>

#include <algorithm>

#include <croco/space/levels.hpp>

namespace croco {

std::vector<std::pair<double, Limit>> category_limits(const Codec& codec,
                                                      const RateMinimiser& minimiser, View origin,
                                                      View point, std::size_t rank) {
  std::vector<std::pair<double, Limit>> out;
  const double now = minimiser.order_statistic(origin, point, rank);
  for (const OneHotGroup& group : codec.space().groups) {
    const std::size_t number = codec.feature_of(group.first);
    const Feature& feature = codec.schema().features[number];
    // Encoded data know no levels: their columns are features of their own.
    if (feature.type != FeatureType::categorical) continue;
    const std::vector<std::string>& unseen = codec.scales()[number].unseen;
    const std::size_t own = level_at(group, origin);
    double best = 0;
    for (std::size_t level = 0; level < group.count; ++level) {
      if (level == own || level == level_at(group, point)) continue;
      if (find_move(group, own, level) != nullptr) continue;
      if (std::ranges::find(unseen, feature.levels[level]) != unseen.end()) continue;
      Vector other(point.begin(), point.end());
      set_level(group, level, other);
      best = std::max(best, minimiser.order_statistic(origin, other, rank) - now);
    }
    const bool stays =
        std::ranges::none_of(group.moves, [&](const LevelMove& move) { return move.from == own; });
    const bool fixed = feature.movement == Movement::fixed && stays;
    if (best > 1e-9) out.push_back({best, {number, fixed ? LimitKind::fixed : LimitKind::levels}});
  }
  return out;
}

}  // namespace croco
