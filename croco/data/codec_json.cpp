// SPDX-License-Identifier: Apache-2.0
// The JSON form of codecs, which model files carry under "encoding".
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/suggest.hpp>
#include <croco/space/movement_names.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExactNumbers = "exact";

[[noreturn]] void fail(const std::string& where, std::string_view rule) {
  throw DataError(fmt::format("{}: {}", where, rule));
}

void check_keys(const Json& object, const std::string& where,
                const std::vector<std::string>& known) {
  if (!object.is_object())
    fail(where, fmt::format("must be an object, not {}", object.type_name()));
  for (const auto& entry : object.items()) {
    if (std::find(known.begin(), known.end(), entry.key()) != known.end()) continue;
    fail(where, fmt::format("unknown key '{}'{} (known keys: {})", entry.key(),
                            did_you_mean(entry.key(), known), quoted_list(known)));
  }
}

const Json& get(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) fail(where, fmt::format("the key '{}' is missing", key));
  return *found;
}

const Json& get_array(const Json& object, const char* key, const std::string& where) {
  const Json& value = get(object, key, where);
  if (!value.is_array()) fail(where, fmt::format("'{}' must be an array", key));
  return value;
}

double get_number(const Json& object, const char* key, const std::string& where) {
  const Json& value = get(object, key, where);
  if (!value.is_number())
    fail(where, fmt::format("'{}' must be a number, not {}", key, json_text(value)));
  return value.get<double>();
}

/// JSON has no infinity: null stands for a bound that is not there.
double get_bound(const Json& object, const char* key, const std::string& where, double none) {
  return get(object, key, where).is_null() ? none : get_number(object, key, where);
}

std::size_t get_count(const Json& object, const char* key, const std::string& where) {
  const Json& value = get(object, key, where);
  if (!value.is_number_unsigned()) {
    fail(where, fmt::format("'{}' must be a whole number, not {}", key, json_text(value)));
  }
  return value.get<std::size_t>();
}

Json bound_json(double bound) { return std::isfinite(bound) ? Json(bound) : Json(nullptr); }

Json space_json(const Space& space) {
  Json json;
  json["columns"] = Json::array();
  for (const Column& column : space.columns) {
    Json& entry = json["columns"].emplace_back();
    entry["lower"] = bound_json(column.lower);
    entry["upper"] = bound_json(column.upper);
    entry["movement"] = name_of(column.movement);
    entry["step"] = column.step;
    entry["step_origin"] = column.step_origin;
    entry["cost"] = column.cost;
    entry["continuous"] = column.continuous;
  }
  json["groups"] = Json::array();
  for (const OneHotGroup& group : space.groups) {
    json["groups"].push_back({{"first", group.first}, {"count", group.count}});
  }
  return json;
}

Column parse_column(const Json& json, const std::string& where) {
  check_keys(json, where,
             {"lower", "upper", "movement", "step", "step_origin", "cost", "continuous"});
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  Column column;
  column.lower = get_bound(json, "lower", where, -kUnbounded);
  column.upper = get_bound(json, "upper", where, kUnbounded);
  const Json& movement = get(json, "movement", where);
  const auto* found = std::ranges::find_if(
      kMovementNames, [&](const auto& named) { return movement == named.first; });
  if (found == kMovementNames.end()) {
    fail(where, fmt::format("'movement' is {}, which is none of both, up, down, fixed",
                            json_text(movement)));
  }
  column.movement = found->second;
  column.step = get_number(json, "step", where);
  if (column.step < 0.0) fail(where, fmt::format("'step' is negative: {}", column.step));
  column.step_origin = get_number(json, "step_origin", where);
  column.cost = get_number(json, "cost", where);
  const Json& continuous = get(json, "continuous", where);
  if (!continuous.is_boolean()) fail(where, "'continuous' must be true or false");
  column.continuous = continuous.get<bool>();
  return column;
}

Space parse_space(const Json& json, const std::string& where) {
  check_keys(json, where, {"columns", "groups"});
  Space space;
  for (const Json& column : get_array(json, "columns", where)) {
    space.columns.push_back(
        parse_column(column, fmt::format("{}, column {}", where, space.columns.size() + 1)));
  }
  for (const Json& group : get_array(json, "groups", where)) {
    const std::string group_where = fmt::format("{}, group {}", where, space.groups.size() + 1);
    check_keys(group, group_where, {"first", "count"});
    space.groups.push_back(
        {get_count(group, "first", group_where), get_count(group, "count", group_where)});
  }
  return space;
}

std::vector<std::string> get_unseen(const Json& entry, const std::string& where) {
  std::vector<std::string> out;
  if (!entry.contains("unseen")) return out;
  for (const Json& level : get_array(entry, "unseen", where)) {
    if (!level.is_string()) fail(where, "'unseen' must hold levels, which are strings");
    out.push_back(level.get<std::string>());
  }
  return out;
}

Vector get_numbers(const Json& object, const char* key, const std::string& where) {
  Vector out;
  for (const Json& value : get_array(object, key, where)) {
    if (!value.is_number()) {
      fail(where, fmt::format("'{}' holds {}; it must hold numbers", key, json_text(value)));
    }
    out.push_back(value.get<double>());
  }
  return out;
}

std::optional<Distribution> get_distribution(const Json& entry, const std::string& where) {
  const auto found = entry.find("distribution");
  if (found == entry.end()) return std::nullopt;
  const std::string inner = where + ": distribution";
  check_keys(*found, inner, {"deviation", "values", "shares"});
  return Distribution{.deviation = get_number(*found, "deviation", inner),
                      .values = get_numbers(*found, "values", inner),
                      .shares = get_numbers(*found, "shares", inner)};
}

NumberEncoding get_encoding(const Json& document, const std::string& source) {
  const auto found = document.find("numbers");
  if (found == document.end()) return NumberEncoding::scaled;
  if (*found != kExactNumbers) {
    fail(source, fmt::format("'numbers' is {}; it must be \"{}\" or left out", json_text(*found),
                             kExactNumbers));
  }
  return NumberEncoding::exact;
}

std::vector<FeatureScale> parse_scales(const Json& json, const std::string& source) {
  std::vector<FeatureScale> scales;
  for (const Json& entry : json) {
    const std::string where = fmt::format("{}: scale {}", source, scales.size() + 1);
    check_keys(entry, where, {"minimum", "maximum", "typical", "unseen", "distribution"});
    const Json& typical = get(entry, "typical", where);
    if (!typical.is_string()) fail(where, "'typical' must be a string");
    scales.push_back({get_number(entry, "minimum", where), get_number(entry, "maximum", where),
                      typical.get<std::string>(), get_unseen(entry, where),
                      get_distribution(entry, where)});
  }
  return scales;
}

}  // namespace

std::string Codec::json() const {
  Json json;
  json["schema"] = parse_json(schema_json(schema_));
  json["scales"] = Json::array();
  for (const FeatureScale& scale : scales_) {
    Json& entry = json["scales"].emplace_back();
    entry["minimum"] = scale.minimum;
    entry["maximum"] = scale.maximum;
    entry["typical"] = scale.typical;
    if (!scale.unseen.empty()) entry["unseen"] = scale.unseen;
    if (scale.distribution) {
      entry["distribution"] = {{"deviation", scale.distribution->deviation},
                               {"values", scale.distribution->values},
                               {"shares", scale.distribution->shares}};
    }
  }
  if (encoding_ == NumberEncoding::exact) json["numbers"] = kExactNumbers;
  if (identity_) json["space"] = space_json(space_);
  return json_text(json);
}

Codec Codec::from_json(std::string_view json, const std::string& source) {
  check_json(json, source);
  const Json document = parse_json(json);
  check_keys(document, source, {"schema", "scales", "space", "numbers"});
  Schema schema = parse_schema(json_text(get(document, "schema", source)), source);
  std::vector<FeatureScale> scales = parse_scales(get_array(document, "scales", source), source);
  const auto space = document.find("space");
  Space given;
  if (space != document.end()) given = parse_space(*space, source + ": space");
  try {
    if (space == document.end()) {
      return Codec(std::move(schema), std::move(scales), get_encoding(document, source));
    }
    std::vector<std::string> names;
    for (const Feature& feature : schema.features) names.push_back(feature.name);
    const Codec codec = identity(std::move(names), std::move(given));
    if (scales != codec.scales_) {
      throw DataError("scales: beside a given space each must be 0 .. 1 without a typical value");
    }
    // The schema adds what a space cannot hold: wording, units, the label.
    return codec.with_schema(std::move(schema));
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace croco
