// SPDX-License-Identifier: Apache-2.0
// The JSON format of schemas; docs/reference/schema.md describes it.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/json_object.hpp>
#include <croco/data/schema.hpp>
#include <croco/space/movement_names.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchemaKey = "croco_schema";

constexpr std::array<std::pair<const char*, FeatureType>, 2> kTypes = {
    {{"numeric", FeatureType::numeric}, {"categorical", FeatureType::categorical}}};

constexpr std::array<std::pair<const char*, ChangeableBy>, 2> kChangeable = {
    {{"person", ChangeableBy::person}, {"nobody", ChangeableBy::nobody}}};

template <typename Table, typename Value>
const char* name_of(const Table& table, Value value) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& entry) { return entry.second == value; })
      ->first;
}

std::vector<std::vector<double>> parse_transition(const JsonObject& reader) {
  std::vector<std::vector<double>> rows;
  const Json* json = reader.find("transition");
  if (json == nullptr) return rows;
  if (!json->is_array()) {
    reader.fail(fmt::format("'transition' is {}; it must be an array of rows", json_text(*json)));
  }
  if (json->empty()) reader.fail("'transition' is empty; each level needs a row");
  for (const Json& row : *json) {
    if (!row.is_array()) {
      reader.fail(fmt::format("'transition' holds {}; each row must be an array of numbers",
                              json_text(row)));
    }
    std::vector<double>& numbers = rows.emplace_back();
    for (const Json& value : row) {
      if (!value.is_number()) {
        reader.fail(
            fmt::format("'transition' holds {}; each entry must be a number", json_text(value)));
      }
      numbers.push_back(value.get<double>());
    }
  }
  return rows;
}

FeatureNoise parse_feature_noise(const Json& json, const std::string& where) {
  const JsonObject reader(json, where + ": noise", {"sd", "half_width", "flip", "transition"});
  FeatureNoise noise{.sd = reader.number("sd"),
                     .half_width = reader.number("half_width"),
                     .flip = reader.number("flip"),
                     .transition = parse_transition(reader)};
  if (noise.empty()) reader.fail("must state sd, half_width, flip or transition");
  return noise;
}

std::vector<CategoryMove> parse_moves(const Json& json, const JsonObject& feature) {
  if (!json.is_array()) {
    feature.fail(R"('moves' must be an array of objects such as {"from": "a", "to": "b"})");
  }
  if (json.empty()) feature.fail("'moves' is empty; movement 'fixed' says that nothing may move");
  std::vector<CategoryMove> moves;
  for (const Json& entry : json) {
    const JsonObject reader(entry, feature.where() + ": moves", {"from", "to", "cost", "advice"});
    moves.push_back(
        {reader.text("from"), reader.text("to"), reader.number("cost"), reader.text_or("advice")});
  }
  return moves;
}

AdviceWords parse_advice(const Json& json, const JsonObject& feature) {
  AdviceWords words;
  if (json.is_string()) {
    words.any = json.get<std::string>();
    if (words.any.empty()) feature.fail("'advice' is empty; leave it out for the usual words");
    return words;
  }
  if (!json.is_object() || json.empty()) {
    feature.fail(
        "'advice' must be a phrase such as \"ask for {to} instead of {from}\", or an object with a "
        "phrase for 'up' and 'down', or for each level that is reached");
  }
  for (const auto& entry : json.items()) {
    if (!entry.value().is_string()) {
      feature.fail(fmt::format("'advice' has {} for '{}'; it must be a phrase",
                               json_text(entry.value()), entry.key()));
    }
    words.of.emplace_back(entry.key(), entry.value().get<std::string>());
  }
  return words;
}

Feature parse_feature(const Json& json, const std::string& source, std::size_t position) {
  static const std::vector<std::string> keys = {
      "name",    "type",     "movement",   "cost",       "label",         "unit",
      "minimum", "maximum",  "step",       "levels",     "noise",         "moves",
      "advice",  "unit_one", "max_change", "touch_cost", "changeable_by", "reason_code"};
  std::string where = fmt::format("{}: feature {}", source, position + 1);
  if (json.is_object() && json.contains("name") && json["name"].is_string()) {
    where = fmt::format("{}: feature '{}'", source, json["name"].get<std::string>());
  }
  const JsonObject reader(json, where, keys);
  Feature feature;
  feature.name = reader.text("name");
  feature.type = reader.choice("type", kTypes);
  if (reader.find("changeable_by") != nullptr) {
    feature.changeable_by = reader.choice("changeable_by", kChangeable);
  }
  const bool stays =
      feature.type == FeatureType::categorical || feature.changeable_by == ChangeableBy::nobody;
  feature.movement = stays ? Movement::fixed : Movement::both;
  if (reader.find("movement") != nullptr)
    feature.movement = reader.choice("movement", kMovementNames);
  feature.cost = reader.number("cost").value_or(feature.cost);
  feature.touch_cost = reader.number("touch_cost").value_or(feature.touch_cost);
  feature.label = reader.text_or("label");
  feature.unit = reader.text_or("unit");
  feature.unit_one = reader.text_or("unit_one");
  feature.reason_code = reader.text_or("reason_code");
  if (feature.reason_code.empty() && reader.find("reason_code") != nullptr) {
    reader.fail("'reason_code' is empty; leave it out for a feature that is no reason");
  }
  feature.minimum = reader.number("minimum");
  feature.maximum = reader.number("maximum");
  feature.step = reader.number("step").value_or(feature.step);
  feature.levels = reader.texts("levels", "level");
  if (feature.levels.empty() && reader.find("levels") != nullptr) {
    reader.fail("'levels' is empty; a category needs at least one, and a number has none");
  }
  if (const Json* moves = reader.find("moves")) {
    feature.moves = parse_moves(*moves, reader);
    if (reader.find("movement") == nullptr) feature.movement = Movement::both;
  }
  if (const Json* noise = reader.find("noise")) feature.noise = parse_feature_noise(*noise, where);
  if (const Json* advice = reader.find("advice")) feature.advice = parse_advice(*advice, reader);
  feature.max_change = reader.number("max_change");
  return feature;
}

/// Features of a relation: a name, a list of names, or an object of weights.
std::vector<FeatureTerm> parse_sum(const JsonObject& reader, const char* key, const Json& value) {
  std::vector<FeatureTerm> terms;
  if (value.is_string()) return {{value.get<std::string>(), 1.0}};
  if (value.is_array()) {
    for (const Json& name : value) {
      if (!name.is_string()) {
        reader.fail(fmt::format("'{}' holds {}; each entry must be a feature's name", key,
                                json_text(name)));
      }
      terms.push_back({name.get<std::string>(), 1.0});
    }
  } else if (value.is_object()) {
    for (const auto& entry : value.items()) {
      if (!entry.value().is_number()) {
        reader.fail(fmt::format("the weight of '{}' is {}; it must be a number", entry.key(),
                                json_text(entry.value())));
      }
      terms.push_back({entry.key(), entry.value().get<double>()});
    }
  } else {
    reader.fail(
        fmt::format("'{}' is {}; it must be a feature, a list of features or an object of "
                    "their weights",
                    key, json_text(value)));
  }
  if (terms.empty()) reader.fail(fmt::format("'{}' has no features", key));
  return terms;
}

RelationRule parse_relation(const Json& json, const std::string& source, std::size_t position) {
  std::string where = fmt::format("{}: relation {}", source, position + 1);
  if (json.is_object() && json.contains("name") && json["name"].is_string()) {
    where = fmt::format("{}: relation '{}'", source, json["name"].get<std::string>());
  }
  const JsonObject reader(json, std::move(where), {"name", "sum", "per", "at_most", "at_least"});
  RelationRule rule;
  rule.name = reader.text("name");
  rule.sum = parse_sum(reader, "sum", reader.get("sum"));
  rule.per = reader.text_or("per");
  if (rule.per.empty() && reader.find("per") != nullptr) {
    reader.fail("'per' is empty; it must be a numeric feature");
  }
  const bool at_most = reader.find("at_most") != nullptr;
  rule.at_least = reader.find("at_least") != nullptr;
  if (at_most && rule.at_least) {
    reader.fail("has both 'at_most' and 'at_least'; it must be one of them");
  }
  if (!at_most && !rule.at_least) reader.fail("'at_most' or 'at_least' is missing");
  const char* key = at_most ? "at_most" : "at_least";
  const Json& value = reader.get(key);
  if (value.is_number()) {
    rule.limit = value.get<double>();
  } else if (value.is_array() || value.is_object()) {
    rule.than = parse_sum(reader, key, value);
  } else if (value != "today") {
    reader.fail(
        fmt::format("'{}' is {}; it must be a number, \"today\", a list of features or an "
                    "object of their weights",
                    key, json_text(value)));
  }
  return rule;
}

/// Whole numbers without the `.0` that the library would write.
Json number_json(double value) {
  constexpr double kExactWholeNumbers = 9007199254740992.0;
  if (value == std::floor(value) && std::abs(value) < kExactWholeNumbers) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json feature_json(const Feature& feature) {
  Json json;
  json["name"] = feature.name;
  json["type"] = name_of(kTypes, feature.type);
  json["movement"] = name_of(kMovementNames, feature.movement);
  if (feature.changeable_by != ChangeableBy::person) {
    json["changeable_by"] = name_of(kChangeable, feature.changeable_by);
  }
  if (feature.cost != 1.0) json["cost"] = number_json(feature.cost);
  if (feature.touch_cost != 0.0) json["touch_cost"] = number_json(feature.touch_cost);
  if (!feature.label.empty()) json["label"] = feature.label;
  if (!feature.unit.empty()) json["unit"] = feature.unit;
  if (!feature.unit_one.empty()) json["unit_one"] = feature.unit_one;
  if (!feature.reason_code.empty()) json["reason_code"] = feature.reason_code;
  if (feature.minimum) json["minimum"] = number_json(*feature.minimum);
  if (feature.maximum) json["maximum"] = number_json(*feature.maximum);
  if (feature.step != 0.0) json["step"] = number_json(feature.step);
  if (!feature.levels.empty()) json["levels"] = feature.levels;
  for (const CategoryMove& move : feature.moves) {
    Json entry{{"from", move.from}, {"to", move.to}};
    if (move.cost) entry["cost"] = number_json(*move.cost);
    if (!move.advice.empty()) entry["advice"] = move.advice;
    json["moves"].push_back(std::move(entry));
  }
  if (feature.noise.sd) json["noise"]["sd"] = number_json(*feature.noise.sd);
  if (feature.noise.half_width) {
    json["noise"]["half_width"] = number_json(*feature.noise.half_width);
  }
  if (feature.noise.flip) json["noise"]["flip"] = number_json(*feature.noise.flip);
  for (const std::vector<double>& row : feature.noise.transition) {
    Json numbers = Json::array();
    for (const double value : row) numbers.push_back(number_json(value));
    json["noise"]["transition"].push_back(std::move(numbers));
  }
  if (!feature.advice.any.empty()) json["advice"] = feature.advice.any;
  for (const auto& [key, phrase] : feature.advice.of) json["advice"][key] = phrase;
  if (feature.max_change) json["max_change"] = number_json(*feature.max_change);
  return json;
}

Json sum_json(const std::vector<FeatureTerm>& terms) {
  const bool plain = std::ranges::all_of(terms, [](const auto& term) { return term.weight == 1; });
  Json json = plain ? Json::array() : Json::object();
  for (const FeatureTerm& term : terms) {
    if (plain) {
      json.push_back(term.feature);
    } else {
      json[term.feature] = number_json(term.weight);
    }
  }
  return json;
}

Json relation_json(const RelationRule& rule) {
  Json json;
  json["name"] = rule.name;
  json["sum"] = sum_json(rule.sum);
  if (!rule.per.empty()) json["per"] = rule.per;
  Json& right = json[rule.at_least ? "at_least" : "at_most"];
  right = rule.limit          ? number_json(*rule.limit)
          : rule.than.empty() ? Json("today")
                              : sum_json(rule.than);
  return json;
}

/// `display` has a text for either value, or for one of them.
LabelColumn parse_label(const Json& json, const std::string& where) {
  const JsonObject keys(json, where, {"name", "favourable", "unfavourable", "display"});
  LabelColumn out{keys.text("name"), keys.text("favourable"), keys.text("unfavourable")};
  if (trimmed(out.name).empty()) keys.fail("'name' is empty");
  const Json* display = keys.find("display");
  if (display == nullptr) return out;
  const JsonObject texts(*display, where + ": display", {out.favourable, out.unfavourable});
  out.favourable_display = texts.text_or(out.favourable.c_str());
  out.unfavourable_display = texts.text_or(out.unfavourable.c_str());
  for (const auto& [value, text] : display->items()) {
    if (trimmed(text.get<std::string>()).empty()) {
      texts.fail(fmt::format("the text for '{}' is empty", value));
    }
  }
  return out;
}

}  // namespace

Schema parse_schema(std::string_view json, const std::string& source) {
  check_json(json, source);
  const Json document = parse_json(json);
  if (document.is_object()) check_version(document, kSchemaKey, kSchemaVersion, source);
  const JsonObject reader(document, source,
                          {kSchemaKey, "label", "features", "relations", "max_changes"});

  Schema schema;
  if (const Json* label = reader.find("label")) {
    schema.label = parse_label(*label, source + ": label");
  }
  const Json& features = reader.get("features");
  if (!features.is_array()) reader.fail("'features' must be an array of objects");
  for (std::size_t k = 0; k < features.size(); ++k) {
    schema.features.push_back(parse_feature(features[k], source, k));
  }
  if (const Json* relations = reader.find("relations")) {
    if (!relations->is_array()) reader.fail("'relations' must be an array of objects");
    for (std::size_t k = 0; k < relations->size(); ++k) {
      schema.relations.push_back(parse_relation((*relations)[k], source, k));
    }
  }
  schema.max_changes = reader.count("max_changes");
  try {
    validate(schema);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
  return schema;
}

std::string schema_json(const Schema& schema) {
  Json json;
  json[kSchemaKey] = kSchemaVersion;
  if (!schema.label.name.empty()) {
    json["label"]["name"] = schema.label.name;
    json["label"]["favourable"] = schema.label.favourable;
    json["label"]["unfavourable"] = schema.label.unfavourable;
  }
  const auto add_display = [&](const std::string& value, const std::string& text) {
    if (!text.empty()) json["label"]["display"][value] = text;
  };
  add_display(schema.label.favourable, schema.label.favourable_display);
  add_display(schema.label.unfavourable, schema.label.unfavourable_display);
  json["features"] = Json::array();
  for (const Feature& feature : schema.features) json["features"].push_back(feature_json(feature));
  for (const RelationRule& rule : schema.relations) {
    json["relations"].push_back(relation_json(rule));
  }
  if (schema.max_changes) json["max_changes"] = *schema.max_changes;
  try {
    return json_text(json, 2) + '\n';
  } catch (const Json::type_error&) {
    throw DataError("schema: a name, unit or level is not valid UTF-8; JSON can hold nothing else");
  }
}

}  // namespace croco
