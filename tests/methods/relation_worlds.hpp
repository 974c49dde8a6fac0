// SPDX-License-Identifier: Apache-2.0
/// Random spaces with relations, steps and directions, and people in them.
#pragma once

#include <cstdint>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco::fixtures {

struct RelationWorld {
  Space space;
  Vector origin;
};

/// One to three relations, among them ratios and rules about today; some are broken today. With
/// `steps` most columns have them.
inline RelationWorld relation_world(std::uint64_t seed, std::size_t width, bool steps = true) {
  Sequence random({seed, Purpose::train, 78});
  const auto between = [&](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  RelationWorld out;
  for (std::size_t j = 0; j < width; ++j) {
    Column column{.lower = -1, .upper = 1};
    const std::uint32_t kind = random.below(6);
    column.movement = kind == 0   ? Movement::up
                      : kind == 1 ? Movement::down
                      : kind == 2 ? Movement::fixed
                                  : Movement::both;
    if (steps && random.below(4) != 0) {
      column.step = between(0.1, 0.4);
      column.step_origin = random.uniform();
    }
    if (random.below(4) == 0) column.max_change = between(0.3, 1.0);
    column.cost = between(0.2, 2.2);
    out.space.columns.push_back(column);
    out.origin.push_back(between(-0.8, 0.8));
  }
  const std::size_t relations = 1 + random.below(3);
  for (std::size_t i = 0; i < relations; ++i) {
    Relation relation;
    for (std::size_t j = 0; j < width; ++j) {
      if (random.below(3) != 0) relation.numerator.terms.push_back({j, between(-1, 1)});
    }
    const std::uint32_t kind = random.below(3);
    if (kind == 0) relation.limit = relation.numerator.at(out.origin) + between(-0.6, 0.6);
    if (kind == 1) relation.denominator = {{{random.below(std::uint32_t(width)), 1.0}}, 2.5};
    out.space.relations.push_back(relation);
  }
  return out;
}

}  // namespace croco::fixtures
