// SPDX-License-Identifier: Apache-2.0
#include <croco/data/codec.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/category_moves.hpp>
#include <croco/data/cell.hpp>
#include <croco/data/decimal.hpp>
#include <croco/data/distribution.hpp>
#include <croco/data/missing.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

[[noreturn]] void fail(const std::string& where, const std::string& column, std::string_view rule) {
  throw DataError(fmt::format("{}, column '{}': {}", where, column, rule));
}

/// The step of a given column in a schema, where steps are multiples counted from 0.
double schema_step(const Column& column) {
  if (column.step <= 0.0 || std::remainder(column.step_origin, column.step) != 0.0) return 0.0;
  return column.step;
}

/// The length of the training range; 1 for a constant column.
double range_of(const FeatureScale& scale) noexcept {
  const double range = scale.maximum - scale.minimum;
  return range == 0.0 ? 1.0 : range;
}

std::optional<double> if_finite(double bound) {
  return std::isfinite(bound) ? std::optional(bound) : std::nullopt;
}

/// Carries what differs between two schemas over to a given column, which may hold more (the origin
/// of its steps) than a schema can say.
void update_column(const Feature& before, const Feature& after, Column& column) {
  if (after.minimum != before.minimum) column.lower = after.minimum.value_or(-kInfinity);
  if (after.maximum != before.maximum) column.upper = after.maximum.value_or(kInfinity);
  if (after.step != before.step) {
    column.step = after.step;
    column.step_origin = 0.0;
  }
  if (column.continuous) column.movement = after.movement;
  column.cost = after.cost;
  column.touch_price = after.touch_cost;
  column.max_change = after.max_change.value_or(kInfinity);
}

}  // namespace

Codec::Codec(Schema schema, std::vector<FeatureScale> scales, NumberEncoding encoding)
    : schema_(std::move(schema)), scales_(std::move(scales)), encoding_(encoding) {
  validate(schema_);
  if (scales_.size() != schema_.features.size()) {
    throw DataError(
        fmt::format("scales: there are {}, but the schema has {} features; each needs "
                    "one",
                    scales_.size(), schema_.features.size()));
  }
  for (std::size_t k = 0; k < scales_.size(); ++k) check_scale(k);
  build_space();
  space_.relations = encoded_relations(*this);
  space_.most_changed = schema_.max_changes.value_or(Space::kAnyNumber);
}

Codec Codec::identity(std::vector<std::string> names, Space space) {
  if (names.size() != space.width()) {
    throw DataError(fmt::format("columns: there are {} names for a space of {} columns",
                                names.size(), space.width()));
  }
  for (const OneHotGroup& group : space.groups) {
    if (group.count == 0 || group.first > space.width() ||
        group.count > space.width() - group.first) {
      throw DataError(
          fmt::format("one-hot group of {} columns from column {}: must be at least 1 "
                      "column inside a space of {}",
                      group.count, group.first, space.width()));
    }
  }
  if (!space.relations.empty()) {
    throw DataError("relations: a given space cannot have any; a schema names them");
  }
  Codec codec;
  codec.identity_ = true;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Column& column = space.columns[k];
    Feature feature;
    feature.name = names[k];
    feature.movement = column.movement;
    feature.cost = column.cost;
    feature.touch_cost = column.touch_price;
    feature.minimum = if_finite(column.lower);
    feature.maximum = if_finite(column.upper);
    feature.step = schema_step(column);
    feature.max_change = if_finite(column.max_change);
    codec.schema_.features.push_back(std::move(feature));
    codec.scales_.emplace_back();
    codec.feature_of_.push_back(k);
    codec.column_of_.push_back(k);
  }
  if (space.most_changed != Space::kAnyNumber) codec.schema_.max_changes = space.most_changed;
  validate(codec.schema_);
  codec.names_ = std::move(names);
  codec.space_ = std::move(space);
  return codec;
}

void Codec::check_scale(std::size_t index) const {
  const Feature& feature = schema_.features[index];
  const FeatureScale& scale = scales_[index];
  const std::string where = fmt::format("scale of feature '{}'", feature.name);
  if (!std::isfinite(scale.minimum) || !std::isfinite(scale.maximum) ||
      !std::isfinite(scale.maximum - scale.minimum)) {
    throw DataError(fmt::format("{}: the range {} .. {} is not finite", where,
                                format_number(scale.minimum), format_number(scale.maximum)));
  }
  if (scale.minimum > scale.maximum) {
    throw DataError(fmt::format("{}: minimum {} is above maximum {}", where,
                                format_number(scale.minimum), format_number(scale.maximum)));
  }
  for (const std::string& level : scale.unseen) {
    if (feature.type == FeatureType::categorical && cell_level(feature, level)) continue;
    throw DataError(fmt::format("{}: the unseen level '{}' is none of its levels", where, level));
  }
  if (scale.distribution) {
    if (feature.type == FeatureType::categorical) {
      throw DataError(fmt::format("{}: is categorical and cannot have a distribution", where));
    }
    validate(*scale.distribution, where);
  }
  if (scale.typical.empty()) return;
  if (feature.type == FeatureType::categorical) {
    if (cell_level(feature, scale.typical)) return;
    throw DataError(
        fmt::format("{}: typical value {}", where, level_fault(feature, scale.typical)));
  }
  if (!cell_number(scale.typical)) {
    throw DataError(fmt::format("{}: typical value {}", where, number_fault(scale.typical)));
  }
}

void Codec::build_space() {
  const std::vector<Feature>& features = schema_.features;
  column_of_.assign(features.size(), 0);
  const auto add_column = [this](std::size_t feature, std::string name, const Column& column) {
    space_.columns.push_back(column);
    feature_of_.push_back(feature);
    names_.push_back(std::move(name));
  };
  for (std::size_t k = 0; k < features.size(); ++k) {
    const Feature& feature = features[k];
    if (feature.type != FeatureType::numeric) continue;
    const double origin = origin_of(k);
    const double unit = unit_of(k);
    Column column;
    column.span = span_of(k);
    if (feature.minimum) column.lower = (*feature.minimum - origin) / unit;
    if (feature.maximum) column.upper = (*feature.maximum - origin) / unit;
    column.movement = feature.movement;
    column.cost = feature.cost / column.span;
    column.touch_price = feature.touch_cost;
    if (feature.max_change) column.max_change = *feature.max_change / unit;
    if (feature.step > 0.0) {
      column.step = feature.step / unit;
      column.step_origin = (0.0 - origin) / unit;
      if (column.step == 0.0 || !std::isfinite(column.step) || !std::isfinite(column.step_origin)) {
        throw DataError(fmt::format("feature '{}': step {} cannot be resolved in a range of {}",
                                    feature.name, format_number(feature.step),
                                    format_number(unit)));
      }
    }
    column_of_[k] = space_.width();
    add_column(k, feature.name, column);
  }
  const Column level_column{.lower = 0.0,
                            .upper = 1.0,
                            .movement = Movement::fixed,
                            .step = 0.0,
                            .step_origin = 0.0,
                            .cost = 1.0,
                            .continuous = false};
  for (std::size_t k = 0; k < features.size(); ++k) {
    const Feature& feature = features[k];
    if (feature.type != FeatureType::categorical) continue;
    column_of_[k] = space_.width();
    space_.groups.push_back(
        {space_.width(), feature.levels.size(), category_moves(feature, scales_[k].unseen)});
    for (const std::string& level : feature.levels) {
      add_column(k, fmt::format("{}_{}", feature.name, level), level_column);
    }
  }
}

double Codec::unit_of(std::size_t feature) const noexcept {
  const double range = range_of(scales_[feature]);
  if (encoding_ != NumberEncoding::exact) return range;
  // The power of two whose quotient with the range is nearest to 1.
  return std::ldexp(1.0, static_cast<int>(std::lround(std::log2(range))));
}

double Codec::origin_of(std::size_t feature) const noexcept {
  return encoding_ == NumberEncoding::exact ? 0.0 : scales_[feature].minimum;
}

double Codec::span_of(std::size_t feature) const noexcept {
  return range_of(scales_[feature]) / unit_of(feature);
}

Codec Codec::with_schema(Schema schema) const {
  validate(schema);
  if (schema.features.size() != schema_.features.size()) {
    throw DataError(fmt::format("schema: has {} features, but the model was trained with {}",
                                schema.features.size(), schema_.features.size()));
  }
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    const Feature& before = schema_.features[k];
    const Feature& after = schema.features[k];
    if (after.name != before.name) {
      throw DataError(
          fmt::format("schema: feature {} is '{}', but the model was trained with '{}' "
                      "in its place",
                      k + 1, after.name, before.name));
    }
    if (after.type != before.type || after.levels != before.levels) {
      throw DataError(
          fmt::format("schema: feature '{}' has another {} than the one that the model "
                      "was trained with",
                      after.name, after.type != before.type ? "type" : "list of levels"));
    }
  }
  if (!identity_) {
    const Codec other(std::move(schema), scales_, encoding_);
    return other.with_cost(cost_kind_).with_missing(missing_);
  }
  Codec codec = *this;
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    update_column(schema_.features[k], schema.features[k], codec.space_.columns[k]);
  }
  codec.schema_ = std::move(schema);
  codec.space_.relations = encoded_relations(codec);
  codec.space_.most_changed = codec.schema_.max_changes.value_or(Space::kAnyNumber);
  return codec.with_missing(missing_);
}

Codec Codec::with_most_changed(std::size_t features) const {
  Codec codec = *this;
  codec.space_.most_changed = features;
  return codec;
}

Vector Codec::encode(const Record& record, const std::string& where, MissingPolicy missing) const {
  if (where.empty()) return encode(record, "the record", missing);
  if (record.size() != schema_.features.size()) {
    throw DataError(fmt::format("{}: has {} values, but the schema has {} features", where,
                                record.size(), schema_.features.size()));
  }
  Vector point(width(), 0.0);
  for (std::size_t k = 0; k < record.size(); ++k) {
    const Feature& feature = schema_.features[k];
    const bool categorical = feature.type == FeatureType::categorical;
    if (stays_missing(k)) {
      point[column_of_[k]] = placeholder(k, record[k], where);
      continue;
    }
    const std::string* text = &record[k];
    auto level = categorical ? cell_level(feature, *text) : std::nullopt;
    if (!level && is_missing(*text)) {
      if (missing != MissingPolicy::impute) {
        throw MissingValue(
            fmt::format("{}, column '{}': the value is missing ('{}'); --missing drop or "
                        "impute says what to do with such rows, and keep asks a model that "
                        "takes missing values",
                        where, feature.name, *text));
      }
      text = &scales_[k].typical;
      if (text->empty()) {
        fail(where, feature.name, "the value is missing, and no typical value is known to fill it");
      }
      if (categorical) level = cell_level(feature, *text);
    }
    if (!categorical) {
      point[column_of_[k]] = encode_number(k, *text, where);
    } else if (level) {
      point[column_of_[k] + *level] = 1.0;
    } else {
      fail(where, feature.name, level_fault(feature, *text));
    }
  }
  if (identity_) check_one_hot(point, where);
  return point;
}

double Codec::encode_number(std::size_t index, const std::string& text,
                            const std::string& where) const {
  const std::string& column = schema_.features[index].name;
  const std::optional<double> value = cell_number(text);
  if (!value) fail(where, column, number_fault(text));
  const double encoded = (*value - origin_of(index)) / unit_of(index);
  const bool lost = encoding_ == NumberEncoding::exact && decode_number(index, encoded) != *value;
  if (!std::isfinite(encoded) || lost) {
    fail(where, column,
         fmt::format("'{}' is too far from the training range {} .. {}{}", text,
                     format_number(scales_[index].minimum), format_number(scales_[index].maximum),
                     lost ? ", or too small, to be kept to the last digit" : ""));
  }
  return encoded;
}

void Codec::check_one_hot(View point, const std::string& where) const {
  for (const OneHotGroup& group : space_.groups) {
    const View values = point.subspan(group.first, group.count);
    const auto ones = std::count(values.begin(), values.end(), 1.0);
    const auto zeros = std::count(values.begin(), values.end(), 0.0);
    if (ones == 1 && static_cast<std::size_t>(zeros) + 1 == group.count) continue;
    std::vector<std::string> names;
    std::string found;
    for (std::size_t k = 0; k < group.count; ++k) {
      names.push_back(names_[group.first + k]);
      found += (k == 0 ? "" : ", ") + format_number(values[k]);
    }
    throw DataError(fmt::format("{}, columns {}: exactly one must be 1 and the others 0, not {}",
                                where, quoted_list(names), found));
  }
}

Record Codec::decode(View point) const {
  if (point.size() != width()) {
    throw InvalidArgument(
        fmt::format("point: has {} columns, but the encoded space has {}", point.size(), width()));
  }
  Record record(schema_.features.size());
  for (std::size_t k = 0; k < record.size(); ++k) {
    const Feature& feature = schema_.features[k];
    if (feature.type == FeatureType::numeric) {
      record[k] = decode_text(k, point[column_of_[k]]);
      continue;
    }
    const View group = point.subspan(column_of_[k], feature.levels.size());
    const auto largest = std::max_element(group.begin(), group.end()) - group.begin();
    record[k] = feature.levels[static_cast<std::size_t>(largest)];
  }
  return record;
}

double Codec::decode_number(std::size_t feature, double encoded) const noexcept {
  return origin_of(feature) + encoded * unit_of(feature);
}

std::string Codec::decode_text(std::size_t index, double encoded) const {
  const double value = decode_number(index, encoded);
  const double origin = origin_of(index);
  const double step = schema_.features[index].step;
  if (step > 0.0 && std::isfinite(value)) {
    const double count = std::round(value / step);
    // Scaling errors grow with the unit and the numbers. A present value need not be on a step.
    const double tolerance = std::min(
        std::max(1e-9 * unit_of(index), 1e-14 * std::max(std::abs(value), std::abs(origin))),
        1e-3 * step);
    if (std::abs(value - count * step) <= tolerance) return multiple_text(count, step);
  }
  return decimal_text(value, origin);
}

}  // namespace croco
