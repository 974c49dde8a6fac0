// SPDX-License-Identifier: Apache-2.0
#include <croco/data/schema.hpp>

#include <cmath>
#include <set>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>

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
  if (feature.minimum || feature.maximum || feature.step != 0.0) {
    fail(feature, "is categorical and cannot have a minimum, a maximum or a step");
  }
  if (feature.max_change) fail(feature, "is categorical and cannot have a max_change");
  if (feature.movement == Movement::up || feature.movement == Movement::down) {
    fail(feature, fmt::format("is categorical and cannot move '{}': its levels have no order",
                              feature.movement == Movement::up ? "up" : "down"));
  }
  if (feature.levels.empty()) fail(feature, "is categorical and needs at least one level");
  std::set<std::string_view> seen;
  for (const std::string& level : feature.levels) {
    if (!seen.insert(level).second) fail(feature, fmt::format("level '{}' occurs twice", level));
  }
}

void check_label(const LabelColumn& label) {
  if (label.name.empty()) {
    if (label.favourable.empty() && label.unfavourable.empty()) return;
    throw DataError("label: has values but no name");
  }
  if (label.favourable == label.unfavourable) {
    throw DataError(
        fmt::format("label '{}': the favourable and the unfavourable value are both "
                    "'{}'; they must differ",
                    label.name, label.favourable));
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
    if (feature.type == FeatureType::numeric) {
      check_numeric(feature);
    } else {
      check_categorical(feature);
    }
  }
  validate_relations(schema);
}

Schema read_schema(const std::filesystem::path& path) {
  return parse_schema(read_file(path), path.string());
}

}  // namespace croco
