// SPDX-License-Identifier: Apache-2.0
#include <croco/data/schema.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>
#include <croco/space/level_flips.hpp>

namespace croco {
namespace {

[[noreturn]] void fail(const Feature& feature, std::string_view rule) {
  throw DataError(fmt::format("feature '{}': {}", feature.name, rule));
}

void check_finite(const Feature& feature, std::string_view field, double value) {
  if (std::isfinite(value)) return;
  fail(feature, fmt::format("{} {} is not a finite number", field, format_number(value)));
}

void check_numeric(const Feature& feature) {
  if (!feature.levels.empty()) fail(feature, "is numeric and cannot have levels");
  if (feature.minimum) check_finite(feature, "minimum", *feature.minimum);
  if (feature.maximum) check_finite(feature, "maximum", *feature.maximum);
  check_finite(feature, "step", feature.step);
  if (feature.step < 0.0) {
    fail(feature,
         fmt::format("step {} is negative; 0 allows every value", format_number(feature.step)));
  }
  if (feature.max_change) {
    check_finite(feature, "max_change", *feature.max_change);
    if (*feature.max_change <= 0.0) {
      fail(feature, fmt::format("max_change {} is not above 0; movement 'fixed' allows no change",
                                format_number(*feature.max_change)));
    }
  }
  if (!feature.minimum || !feature.maximum) return;
  if (*feature.minimum > *feature.maximum) {
    fail(feature, fmt::format("minimum {} is above maximum {}", format_number(*feature.minimum),
                              format_number(*feature.maximum)));
  }
  // A billionth of a step forgives ranges such as 0.3 .. 0.3 in steps of 0.1.
  constexpr double kSlack = 1e-9;
  if (feature.step > 0.0 && std::ceil(*feature.minimum / feature.step - kSlack) >
                                std::floor(*feature.maximum / feature.step + kSlack)) {
    fail(feature, fmt::format("no multiple of step {} lies between minimum {} and maximum {}",
                              format_number(feature.step), format_number(*feature.minimum),
                              format_number(*feature.maximum)));
  }
}

void check_categorical(const Feature& feature) {
  if (feature.minimum) fail(feature, "is categorical and cannot have a minimum");
  if (feature.maximum) fail(feature, "is categorical and cannot have a maximum");
  if (feature.step != 0.0) fail(feature, "is categorical and cannot have a step");
  if (feature.max_change) fail(feature, "is categorical and cannot have a max_change");
  if (feature.levels.empty()) fail(feature, "is categorical and needs at least one level");
  std::set<std::string_view> seen;
  for (const std::string& level : feature.levels) {
    if (!seen.insert(level).second) fail(feature, fmt::format("level '{}' occurs twice", level));
  }
}

void check_changeable(const Feature& feature) {
  if (feature.changeable_by == ChangeableBy::person) return;
  if (!feature.moves.empty() || feature.movement != Movement::fixed) {
    fail(feature, "is changeable by nobody, so that its movement must be 'fixed'");
  }
}

void check_moves(const Feature& feature) {
  if (feature.moves.empty()) return;
  if (feature.type != FeatureType::categorical) {
    fail(feature, "is numeric and cannot have moves; those are between levels");
  }
  if (feature.movement != Movement::both) {
    fail(feature, fmt::format("states moves and that it is {}; moves say it all",
                              feature.movement == Movement::fixed ? "fixed"
                              : feature.movement == Movement::up  ? "to go up"
                                                                  : "to go down"));
  }
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const CategoryMove& move : feature.moves) {
    for (const std::string& level : {move.from, move.to}) {
      if (std::ranges::find(feature.levels, level) == feature.levels.end()) {
        fail(feature, fmt::format("moves: '{}' is none of its levels{}", level,
                                  did_you_mean(level, feature.levels)));
      }
    }
    if (move.from == move.to) {
      fail(feature, fmt::format("moves: '{}' to itself is no move", move.from));
    }
    if (!seen.insert({move.from, move.to}).second) {
      fail(feature, fmt::format("moves: '{}' to '{}' is there twice", move.from, move.to));
    }
    if (move.cost && !(*move.cost > 0 && std::isfinite(*move.cost))) {
      fail(feature, fmt::format("moves: the cost of '{}' to '{}' is {}; it must be above 0",
                                move.from, move.to, format_number(*move.cost)));
    }
  }
}

/// Rows of a transition matrix, one after the other.
Vector flattened(const Feature& feature) {
  const std::size_t levels = feature.levels.size();
  const auto& rows = feature.noise.transition;
  if (rows.size() != levels) {
    fail(feature, fmt::format("noise: transition has {} rows; each of its {} levels needs one",
                              rows.size(), levels));
  }
  Vector out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].size() != levels) {
      fail(feature, fmt::format("noise: row {} of transition ('{}') has {} numbers; each of its {} "
                                "levels needs one",
                                row + 1, feature.levels[row], rows[row].size(), levels));
    }
    out.insert(out.end(), rows[row].begin(), rows[row].end());
  }
  return out;
}

void check_scale(const Feature& feature, std::string_view field, std::optional<double> value) {
  if (!value || (*value >= 0 && std::isfinite(*value))) return;
  fail(feature, fmt::format("noise: {} {} is not a finite number of at least 0", field,
                            format_number(*value)));
}

void check_noise(const Feature& feature) {
  const FeatureNoise& noise = feature.noise;
  const bool flips = noise.flip || !noise.transition.empty();
  if (feature.type == FeatureType::numeric) {
    if (flips) {
      fail(feature, fmt::format("noise: is numeric and takes sd or half_width, not {}",
                                noise.flip ? "flip" : "transition"));
    }
    if (noise.sd && noise.half_width) {
      fail(feature, "noise: has both sd and half_width; it must be one of them");
    }
    check_scale(feature, "sd", noise.sd);
    check_scale(feature, "half_width", noise.half_width);
    return;
  }
  if (noise.sd || noise.half_width) {
    fail(feature, fmt::format("noise: is categorical and takes flip or transition, not {}",
                              noise.sd ? "sd" : "half_width"));
  }
  if (noise.flip && !noise.transition.empty()) {
    fail(feature, "noise: has both flip and transition; it must be one of them");
  }
  const std::size_t levels = feature.levels.size();
  try {
    if (noise.flip) {
      static_cast<void>(
          LevelFlips::uniform({0, levels}, *noise.flip, std::vector<bool>(levels, true)));
    } else if (flips) {
      static_cast<void>(LevelFlips({0, levels}, flattened(feature)));
    }
  } catch (const InvalidArgument& error) {
    fail(feature, fmt::format("noise: {}", error.what()));
  }
}

void check_label(const LabelColumn& label) {
  const bool displayed = !label.favourable_display.empty() || !label.unfavourable_display.empty();
  if (label.name.empty()) {
    if (label.favourable.empty() && label.unfavourable.empty() && !displayed) return;
    throw DataError("label: has values but no name");
  }
  if (label.favourable == label.unfavourable) {
    throw DataError(
        fmt::format("label '{}': the favourable and the unfavourable value are both "
                    "'{}'; they must differ",
                    label.name, label.favourable));
  }
  const auto shown = [](const std::string& value, const std::string& display) -> const auto& {
    return display.empty() ? value : display;
  };
  const std::string& favourable = shown(label.favourable, label.favourable_display);
  if (favourable == shown(label.unfavourable, label.unfavourable_display)) {
    throw DataError(fmt::format("label '{}': both values are displayed as '{}'; they must differ",
                                label.name, favourable));
  }
}

}  // namespace

std::size_t Schema::index_of(std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < features.size(); ++k) {
    if (features[k].name == name) return k;
    names.push_back(features[k].name);
  }
  throw DataError(fmt::format("there is no feature '{}'{} (features: {})", name,
                              did_you_mean(name, names), quoted_list(names)));
}

void validate(const Schema& schema) {
  check_label(schema.label);
  if (schema.features.empty()) throw DataError("features: at least one is needed");
  std::set<std::string_view> seen;
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    const Feature& feature = schema.features[k];
    if (trimmed(feature.name).empty()) {
      throw DataError(fmt::format("feature {} of {} has no name", k + 1, schema.features.size()));
    }
    if (!seen.insert(feature.name).second) fail(feature, "occurs twice; names must differ");
    if (feature.name == schema.label.name) fail(feature, "is also the label");
    if (!std::isfinite(feature.cost) || feature.cost <= 0.0) {
      fail(feature,
           fmt::format("cost {} is not a finite number above 0", format_number(feature.cost)));
    }
    if (!std::isfinite(feature.touch_cost) || feature.touch_cost < 0.0) {
      fail(feature, fmt::format("touch_cost {} is not a finite number of at least 0",
                                format_number(feature.touch_cost)));
    }
    if (feature.type == FeatureType::numeric) {
      check_numeric(feature);
    } else {
      check_categorical(feature);
    }
    check_changeable(feature);
    check_moves(feature);
    check_noise(feature);
    validate_advice(feature);
    if (!feature.unit_one.empty() && feature.unit.empty()) {
      fail(feature, "has a unit_one but no unit");
    }
  }
  validate_relations(schema);
  if (schema.max_changes == std::size_t{0}) {
    throw DataError("schema: max_changes is 0; it must be at least 1");
  }
}

Schema read_schema(const std::filesystem::path& path) {
  return parse_schema(read_file(path), path.string());
}

}  // namespace croco
