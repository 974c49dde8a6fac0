// SPDX-License-Identifier: Apache-2.0
// The JSON format of schemas; docs/schema.md describes it.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/schema.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "croco_schema";

constexpr std::array<std::pair<const char*, FeatureType>, 2> kTypes = {
    {{"numeric", FeatureType::numeric}, {"categorical", FeatureType::categorical}}};
constexpr std::array<std::pair<const char*, Movement>, 4> kMovements = {
    {{"both", Movement::both},
     {"up", Movement::up},
     {"down", Movement::down},
     {"fixed", Movement::fixed}}};

template <typename Table, typename Value>
const char* name_of(const Table& table, Value value) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& entry) { return entry.second == value; })
      ->first;
}

/// One JSON object, read key by key; `where` begins every message.
class Reader {
 public:
  Reader(const Json& object, std::string where, const std::vector<std::string>& known)
      : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) fail(fmt::format("must be an object, not {}", object_.type_name()));
    for (const auto& entry : object_.items()) {
      if (std::find(known.begin(), known.end(), entry.key()) != known.end()) continue;
      fail(fmt::format("unknown key '{}'{} (known keys: {})", entry.key(),
                       did_you_mean(entry.key(), known), quoted_list(known)));
    }
  }

  [[nodiscard]] const Json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  [[nodiscard]] const Json& get(const char* key) const {
    if (const Json* value = find(key)) return *value;
    fail(fmt::format("the key '{}' is missing", key));
  }

  [[nodiscard]] std::string text(const char* key) const {
    const Json& value = get(key);
    if (value.is_string()) return value.get<std::string>();
    if (value.is_primitive()) {
      fail(fmt::format("'{}' must be a string; write \"{}\" instead of {}", key, value.dump(),
                       value.dump()));
    }
    fail(fmt::format("'{}' must be a string", key));
  }
  [[nodiscard]] std::string text_or_empty(const char* key) const {
    return find(key) == nullptr ? std::string() : text(key);
  }
  [[nodiscard]] std::optional<double> number(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) fail(fmt::format("'{}' must be a number, not {}", key, value->dump()));
    return value->get<double>();
  }
  template <typename Table>
  [[nodiscard]] auto choice(const char* key, const Table& table) const {
    const std::string name = text(key);
    std::vector<std::string> names;
    for (const auto& [candidate, value] : table) {
      if (name == candidate) return value;
      names.emplace_back(candidate);
    }
    fail(fmt::format("'{}' is '{}', which is none of {}{}", key, name, quoted_list(names),
                     did_you_mean(name, names)));
  }
  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    const Json* list = find(key);
    std::vector<std::string> values;
    if (list == nullptr) return values;
    if (!list->is_array()) fail(fmt::format("'{}' must be an array of strings", key));
    for (const Json& value : *list) {
      if (!value.is_string()) {
        fail(fmt::format("'{}' holds {}; each level must be a string", key, value.dump()));
      }
      values.push_back(value.get<std::string>());
    }
    return values;
  }

  [[noreturn]] void fail(std::string_view rule) const {
    throw DataError(fmt::format("{}: {}", where_, rule));
  }

 private:
  const Json& object_;
  std::string where_;
};

/// Before all other keys: a newer format may have some that are unknown here.
void check_version(const Json& document, const std::string& source) {
  const auto version = document.find(kVersionKey);
  if (version == document.end()) {
    throw DataError(
        fmt::format("{}: the key '{}' is missing; it holds the version of the format, {}", source,
                    kVersionKey, kSchemaVersion));
  }
  if (!version->is_number_integer() || *version < 1) {
    throw DataError(fmt::format("{}: '{}' is {}; it must be a whole number from 1 to {}", source,
                                kVersionKey, version->dump(), kSchemaVersion));
  }
  if (*version > kSchemaVersion) {
    throw DataError(fmt::format(
        "{}: '{}' is {}, but this build reads versions up to {}; a newer croco is needed", source,
        kVersionKey, version->dump(), kSchemaVersion));
  }
}

Feature parse_feature(const Json& json, const std::string& source, std::size_t position) {
  static const std::vector<std::string> keys = {"name",  "type",   "movement",  "cost",
                                                "label", "unit",   "minimum",   "maximum",
                                                "step",  "levels", "max_change"};
  std::string where = fmt::format("{}: feature {}", source, position + 1);
  if (json.is_object() && json.contains("name") && json["name"].is_string()) {
    where = fmt::format("{}: feature '{}'", source, json["name"].get<std::string>());
  }
  const Reader reader(json, std::move(where), keys);
  Feature feature;
  feature.name = reader.text("name");
  feature.type = reader.choice("type", kTypes);
  feature.movement = feature.type == FeatureType::categorical ? Movement::fixed : Movement::both;
  if (reader.find("movement") != nullptr) feature.movement = reader.choice("movement", kMovements);
  feature.cost = reader.number("cost").value_or(feature.cost);
  feature.label = reader.text_or_empty("label");
  feature.unit = reader.text_or_empty("unit");
  feature.minimum = reader.number("minimum");
  feature.maximum = reader.number("maximum");
  feature.step = reader.number("step").value_or(feature.step);
  feature.levels = reader.texts("levels");
  feature.max_change = reader.number("max_change");
  return feature;
}

/// Features of a relation: a name, a list of names, or an object of weights.
std::vector<FeatureTerm> parse_sum(const Reader& reader, const char* key, const Json& value) {
  std::vector<FeatureTerm> terms;
  if (value.is_string()) return {{value.get<std::string>(), 1.0}};
  if (value.is_array()) {
    for (const Json& name : value) {
      if (!name.is_string()) {
        reader.fail(
            fmt::format("'{}' holds {}; each entry must be a feature's name", key, name.dump()));
      }
      terms.push_back({name.get<std::string>(), 1.0});
    }
  } else if (value.is_object()) {
    for (const auto& entry : value.items()) {
      if (!entry.value().is_number()) {
        reader.fail(fmt::format("the weight of '{}' is {}; it must be a number", entry.key(),
                                entry.value().dump()));
      }
      terms.push_back({entry.key(), entry.value().get<double>()});
    }
  } else {
    reader.fail(
        fmt::format("'{}' is {}; it must be a feature, a list of features or an object of "
                    "their weights",
                    key, value.dump()));
  }
  if (terms.empty()) reader.fail(fmt::format("'{}' has no features", key));
  return terms;
}

RelationRule parse_relation(const Json& json, const std::string& source, std::size_t position) {
  std::string where = fmt::format("{}: relation {}", source, position + 1);
  if (json.is_object() && json.contains("name") && json["name"].is_string()) {
    where = fmt::format("{}: relation '{}'", source, json["name"].get<std::string>());
  }
  const Reader reader(json, std::move(where), {"name", "sum", "per", "at_most", "at_least"});
  RelationRule rule;
  rule.name = reader.text("name");
  rule.sum = parse_sum(reader, "sum", reader.get("sum"));
  rule.per = reader.text_or_empty("per");
  const bool at_most = reader.find("at_most") != nullptr;
  rule.at_least = reader.find("at_least") != nullptr;
  if (at_most == rule.at_least) reader.fail("needs one of 'at_most' and 'at_least'");
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
                    key, value.dump()));
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
  json["movement"] = name_of(kMovements, feature.movement);
  if (feature.cost != 1.0) json["cost"] = number_json(feature.cost);
  if (!feature.label.empty()) json["label"] = feature.label;
  if (!feature.unit.empty()) json["unit"] = feature.unit;
  if (feature.minimum) json["minimum"] = number_json(*feature.minimum);
  if (feature.maximum) json["maximum"] = number_json(*feature.maximum);
  if (feature.step != 0.0) json["step"] = number_json(feature.step);
  if (!feature.levels.empty()) json["levels"] = feature.levels;
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

}  // namespace

Schema parse_schema(std::string_view json, const std::string& source) {
  check_json(json, source);
  const Json document = Json::parse(json);
  if (document.is_object()) check_version(document, source);
  const Reader reader(document, source, {kVersionKey, "label", "features", "relations"});

  Schema schema;
  if (const Json* label = reader.find("label")) {
    const Reader keys(*label, source + ": label", {"name", "favourable", "unfavourable"});
    schema.label = {keys.text("name"), keys.text("favourable"), keys.text("unfavourable")};
    if (trimmed(schema.label.name).empty()) keys.fail("'name' is empty");
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
  try {
    validate(schema);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
  return schema;
}

std::string schema_json(const Schema& schema) {
  Json json;
  json[kVersionKey] = kSchemaVersion;
  if (!schema.label.name.empty()) {
    json["label"]["name"] = schema.label.name;
    json["label"]["favourable"] = schema.label.favourable;
    json["label"]["unfavourable"] = schema.label.unfavourable;
  }
  json["features"] = Json::array();
  for (const Feature& feature : schema.features) json["features"].push_back(feature_json(feature));
  for (const RelationRule& rule : schema.relations) {
    json["relations"].push_back(relation_json(rule));
  }
  try {
    return json.dump(2) + '\n';
  } catch (const Json::type_error&) {
    throw DataError("schema: a name, unit or level is not valid UTF-8; JSON can hold nothing else");
  }
}

}  // namespace croco
