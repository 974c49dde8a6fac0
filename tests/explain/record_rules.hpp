// SPDX-License-Identifier: Apache-2.0
/// What a told record has to keep, read off the schema and the texts alone. Shares no code with
/// `croco/space`: a rule that is misunderstood there is not misunderstood here as well.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <croco/data/codec.hpp>
#include <croco/data/schema.hpp>

namespace croco::rules {

inline std::size_t index_in(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/// The price of a move of category by the schema, none when it may not be told.
inline std::optional<double> price_of(const Feature& feature,
                                      const std::vector<std::string>& unseen,
                                      const std::string& from, const std::string& to) {
  if (!feature.moves.empty()) {
    for (const CategoryMove& move : feature.moves) {
      if (move.from == from && move.to == to) return move.cost.value_or(feature.cost);
    }
    return std::nullopt;
  }
  if (std::ranges::find(unseen, to) != unseen.end()) return std::nullopt;
  const auto a = static_cast<double>(index_in(feature.levels, from));
  const auto b = static_cast<double>(index_in(feature.levels, to));
  if (b >= static_cast<double>(feature.levels.size())) return std::nullopt;
  switch (feature.movement) {
    case Movement::both:
      return feature.cost;
    case Movement::up:
      if (b > a) return feature.cost * (b - a);
      break;
    case Movement::down:
      if (b < a) return feature.cost * (a - b);
      break;
    case Movement::fixed:
      break;
  }
  return std::nullopt;
}

/// What is wrong with a number that a person is told instead of the present one; empty if nothing.
inline std::string number_fault(const Feature& feature, double before, double after) {
  const double near = 1e-12 * std::max(std::abs(before), std::abs(after));
  if (feature.movement == Movement::fixed) return "is fixed";
  if (feature.movement == Movement::up && after < before) return "fell";
  if (feature.movement == Movement::down && after > before) return "rose";
  // Who is outside of a range may come nearer to it, and go no further out.
  if (feature.minimum && after < std::min(*feature.minimum, before)) return "is below the minimum";
  if (feature.maximum && after > std::max(*feature.maximum, before)) return "is above the maximum";
  if (feature.max_change && std::abs(after - before) > *feature.max_change + near) {
    return "changed by more than max_change";
  }
  if (feature.step > 0) {
    const double count = std::round(after / feature.step);
    if (std::abs(after - count * feature.step) > near) return "is between two steps";
  }
  return "";
}

/// Whether a record keeps a rule, in own units.
inline bool keeps(const Codec& codec, const RelationRule& rule, const Record& before,
                  const Record& after) {
  const Schema& schema = codec.schema();
  long double size = 0;  // of what telling 12 digits may move
  const auto sum = [&](const std::vector<FeatureTerm>& terms, const Record& record) {
    long double total = 0;
    for (const FeatureTerm& term : terms) {
      std::size_t k = 0;
      while (schema.features[k].name != term.feature) ++k;
      const long double value = std::stold(record[k]);
      total += term.weight * value;
      const long double unit = codec.scales()[k].maximum - codec.scales()[k].minimum;
      size += std::abs(term.weight) * (std::abs(value) + std::abs(unit));
    }
    return total;
  };
  // n / d <= r as n <= r d, which asks nothing of how near d is to 0.
  const std::vector<FeatureTerm> divisor{{rule.per, 1.0}};
  const auto per = [&](const Record& record) {
    return rule.per.empty() ? 1.0L : sum(divisor, record);
  };
  const long double left = sum(rule.sum, after);
  long double right = 0;
  if (!rule.than.empty()) {
    right = sum(rule.than, after);
  } else {
    const long double limit =
        rule.limit ? static_cast<long double>(*rule.limit) : sum(rule.sum, before) / per(before);
    const long double divided = size;
    right = limit * per(after);
    size = divided + std::abs(limit) * (size - divided) + std::abs(right);
  }
  const long double slack = 4e-9L * size;
  return rule.at_least ? left >= right - slack : left <= right + slack;
}

/// What told advice costs, by the schema.
struct Cost {
  double numbers = 0;
  double categories = 0;
  double touches = 0;  ///< of numbers
  std::size_t features = 0;
};

/// The first rule of the schema that a told record breaks, empty if none; adds up what it costs.
inline std::string record_fault(const Codec& codec, const Record& before, const Record& after,
                                Cost& cost) {
  const Schema& schema = codec.schema();
  if (after.size() != schema.features.size()) return "has another number of values";
  for (std::size_t k = 0; k < after.size(); ++k) {
    const Feature& feature = schema.features[k];
    if (after[k] == before[k]) continue;
    ++cost.features;
    const auto fault = [&](std::string_view what) {
      return fmt::format("'{}' from {} to {}: {}", feature.name, before[k], after[k], what);
    };
    if (feature.type == FeatureType::categorical) {
      const auto price = price_of(feature, codec.scales()[k].unseen, before[k], after[k]);
      if (!price) return fault("is no move that may be told");
      cost.categories += *price + feature.touch_cost;
      continue;
    }
    const double from = std::stod(before[k]);
    const double to = std::stod(after[k]);
    if (from == to) return fault("what stays is to be told as it was given");
    const std::string what = number_fault(feature, from, to);
    if (!what.empty()) return fault(what);
    const double range = codec.scales()[k].maximum - codec.scales()[k].minimum;
    cost.numbers += feature.cost * std::abs(to - from) / (range == 0 ? 1 : range);
    cost.touches += feature.touch_cost;
  }
  for (const RelationRule& rule : schema.relations) {
    if (!keeps(codec, rule, before, after)) return fmt::format("breaks '{}'", rule.name);
  }
  return "";
}

/// Numbers scaled to the training range, in the schema's order, and then a column per level.
inline Vector encoded(const Codec& codec, const Record& record) {
  Vector out;
  const std::vector<Feature>& features = codec.schema().features;
  for (std::size_t k = 0; k < features.size(); ++k) {
    if (features[k].type != FeatureType::numeric) continue;
    const double low = codec.scales()[k].minimum;
    const double range = codec.scales()[k].maximum - low;
    out.push_back((std::stod(record[k]) - low) / (range == 0 ? 1 : range));
  }
  for (std::size_t k = 0; k < features.size(); ++k) {
    if (features[k].type != FeatureType::categorical) continue;
    for (const std::string& level : features[k].levels) out.push_back(level == record[k] ? 1 : 0);
  }
  return out;
}

}  // namespace croco::rules
