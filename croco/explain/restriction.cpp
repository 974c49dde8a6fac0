// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/restriction.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/category_moves.hpp>

namespace croco {
namespace {

[[noreturn]] void refuse(const Feature& feature, const std::string& rule) {
  throw InvalidArgument(fmt::format("limit of '{}': {}", feature.name, rule));
}

/// What both allow.
Movement common(Movement one, Movement other) {
  if (one == other || other == Movement::both) return one;
  return one == Movement::both ? other : Movement::fixed;
}

void require_finite(const Feature& feature, const char* name, const std::optional<double>& value) {
  if (!value || std::isfinite(*value)) return;
  refuse(feature, fmt::format("{} is {}; it must be a finite number", name, *value));
}

void restrict_number(const Restriction& one, Feature& feature) {
  if (!one.levels.empty()) refuse(feature, "it is a number; levels are for categories");
  require_finite(feature, "minimum", one.minimum);
  require_finite(feature, "maximum", one.maximum);
  feature.movement = common(feature.movement, one.movement);
  if (one.minimum) feature.minimum = std::max(*one.minimum, feature.minimum.value_or(*one.minimum));
  if (one.maximum) feature.maximum = std::min(*one.maximum, feature.maximum.value_or(*one.maximum));
  if (feature.minimum && feature.maximum && *feature.minimum > *feature.maximum) {
    refuse(feature, fmt::format("nothing is left between {} and {}",
                                format_number(*feature.minimum), format_number(*feature.maximum)));
  }
}

void restrict_category(const Restriction& one, const std::vector<std::string>& unseen,
                       Feature& feature) {
  if (one.minimum || one.maximum) refuse(feature, "it is a category; ranges are for numbers");
  for (const std::string& level : one.levels) {
    if (std::ranges::find(feature.levels, level) == feature.levels.end()) {
      refuse(feature, "'levels' names one that it does not have");
    }
  }
  if (feature.movement == Movement::fixed) return;
  if (one.levels.empty() && one.movement == Movement::both) return;
  std::vector<CategoryMove> kept;
  for (const LevelMove& move : category_moves(feature, unseen)) {
    const std::string& to = feature.levels[move.to];
    const bool wanted = one.levels.empty() || std::ranges::find(one.levels, to) != one.levels.end();
    const bool along = one.movement == Movement::both ||
                       (one.movement == Movement::up && move.to > move.from) ||
                       (one.movement == Movement::down && move.to < move.from);
    if (!wanted || !along) continue;
    const std::string& from = feature.levels[move.from];
    const auto stated = std::ranges::find_if(
        feature.moves, [&](const CategoryMove& m) { return m.from == from && m.to == to; });
    if (stated != feature.moves.end()) {
      kept.push_back(*stated);
      continue;
    }
    // The very product that `category_moves` makes, so that prices keep their last bit.
    const std::size_t passed = feature.movement == Movement::both ? 1
                               : move.to > move.from              ? move.to - move.from
                                                                  : move.from - move.to;
    kept.push_back({.from = from, .to = to, .cost = feature.cost * static_cast<double>(passed)});
  }
  feature.movement = kept.empty() ? Movement::fixed : Movement::both;
  feature.moves = std::move(kept);
}

}  // namespace

Codec restricted(const Codec& codec, std::span<const Restriction> restrictions) {
  if (restrictions.empty()) return codec;
  Schema schema = codec.schema();
  for (const Restriction& one : restrictions) {
    if (one.feature >= schema.features.size()) {
      throw InvalidArgument(fmt::format("limit of feature {}: there are {} features", one.feature,
                                        schema.features.size()));
    }
    Feature& feature = schema.features[one.feature];
    if (feature.type == FeatureType::numeric) {
      restrict_number(one, feature);
    } else {
      restrict_category(
          one,
          codec.scales().empty() ? std::vector<std::string>() : codec.scales()[one.feature].unseen,
          feature);
    }
    if (one.fixed || one.movement == Movement::fixed) {
      feature.movement = Movement::fixed;
      feature.moves.clear();
    }
  }
  try {
    return codec.with_schema(std::move(schema));
  } catch (const DataError& error) {  // a range without a multiple of the step
    throw InvalidArgument(error.what());
  }
}

}  // namespace croco
