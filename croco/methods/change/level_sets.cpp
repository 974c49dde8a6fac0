// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/level_sets.hpp>

#include <algorithm>

#include <croco/space/levels.hpp>

namespace croco {

std::vector<LevelSet> extended(const Space& space, View origin, const LevelSet& set,
                               const FeatureSet& frozen) {
  std::vector<LevelSet> out;
  for (std::size_t g = 0; g < space.groups.size(); ++g) {
    const OneHotGroup& group = space.groups[g];
    if (group.moves.empty() || contains(frozen, group.first)) continue;
    const bool used = std::ranges::any_of(
        set.moves, [&](const LevelChoice& choice) { return choice.group == g; });
    if (used) continue;
    const std::size_t from = level_at(group, origin);
    for (const LevelMove& move : group.moves) {
      if (move.from != from) continue;
      LevelSet& more = out.emplace_back(set);
      const LevelChoice choice{g, move.to};
      more.moves.insert(std::ranges::upper_bound(more.moves, choice), choice);
      more.price += move.price;
    }
  }
  return out;
}

LevelSet levels_between(const Space& space, View origin, View point) {
  LevelSet out;
  for (std::size_t g = 0; g < space.groups.size(); ++g) {
    const OneHotGroup& group = space.groups[g];
    const std::size_t from = level_at(group, origin);
    const std::size_t to = level_at(group, point);
    if (from == to) continue;
    out.moves.push_back({g, to});
    out.price += level_price(space, group, from, to);
  }
  return out;
}

ChangeProblem with_levels(const Space& space, View origin, ChangeProblem changes,
                          const LevelSet& set) {
  for (const LevelChoice& choice : set.moves) {
    const OneHotGroup& group = space.groups[choice.group];
    const std::size_t from = level_at(group, origin);
    // One column falls and one rises: half of the price each.
    const double half = level_price(space, group, from, choice.to) / 2;
    for (const std::size_t level : {from, choice.to}) {
      const double moved = level == choice.to ? 1.0 : -1.0;
      changes.intervals[group.first + level] = {moved, moved};
      changes.costs[group.first + level] = half;
    }
  }
  return changes;
}

Vector fixed_change(const ChangeProblem& changes) {
  Vector out(changes.intervals.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (changes.intervals[j].lower == changes.intervals[j].upper) {
      out[j] = changes.intervals[j].lower;
    }
  }
  return out;
}

}  // namespace croco
