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

  [[nodiscard]] const std::string& where() const noexcept { return where_; }
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

std::vector<std::vector<double>> parse_transition(const Reader& reader) {
  std::vector<std::vector<double>> rows;
  const Json* json = reader.find("transition");
  if (json == nullptr) return rows;
  if (!json->is_array() || json->empty()) reader.fail("'transition' must be an array of rows");
  for (const Json& row : *json) {
    if (!row.is_array()) {
      reader.fail(
          fmt::format("'transition' holds {}; each row must be an array of numbers", row.dump()));
    }
    std::vector<double>& numbers = rows.emplace_back();
    for (const Json& value : row) {
      if (!value.is_number()) {
        reader.fail(
            fmt::format("'transition' holds {}; each entry must be a number", value.dump()));
      }
      numbers.push_back(value.get<double>());
    }
  }
  return rows;
}

FeatureNoise parse_feature_noise(const Json& json, const std::string& where) {
  const Reader reader(json, where + ": noise", {"sd", "half_width", "flip", "transition"});
  FeatureNoise noise{.sd = reader.number("sd"),
                     .half_width = reader.number("half_width"),
                     .flip = reader.number("flip"),
                     .transition = parse_transition(reader)};
  if (noise.empty()) reader.fail("must state sd, half_width, flip or transition");
  return noise;
}

std::vector<CategoryMove> parse_moves(const Json& json, const Reader& feature) {
  if (!json.is_array() || json.empty()) {
    feature.fail("'moves' must be an array of objects such as {\"from\": \"a\", \"to\": \"b\"}");
  }
  std::vector<CategoryMove> moves;
  for (const Json& entry : json) {
    const Reader reader(entry, feature.where() + ": moves", {"from", "to", "cost"});
    moves.push_back({reader.text("from"), reader.text("to"), reader.number("cost")});
  }
  return moves;
}

Feature parse_feature(const Json& json, const std::string& source, std::size_t position) {
  static const std::vector<std::string> keys = {"name",  "type",   "movement", "cost",
                                                "label", "unit",   "minimum",  "maximum",
                                                "step",  "levels", "noise",    "moves"};
  std::string where = fmt::format("{}: feature {}", source, position + 1);
  if (json.is_object() && json.contains("name") && json["name"].is_string()) {
    where = fmt::format("{}: feature '{}'", source, json["name"].get<std::string>());
  }
  const Reader reader(json, where, keys);
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
  if (const Json* moves = reader.find("moves")) {
    feature.moves = parse_moves(*moves, reader);
    if (reader.find("movement") == nullptr) feature.movement = Movement::both;
  }
  if (const Json* noise = reader.find("noise")) feature.noise = parse_feature_noise(*noise, where);
  return feature;
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
  for (const CategoryMove& move : feature.moves) {
    Json entry{{"from", move.from}, {"to", move.to}};
    if (move.cost) entry["cost"] = number_json(*move.cost);
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
  return json;
}

}  // namespace

Schema parse_schema(std::string_view json, const std::string& source) {
  check_json(json, source);
  const Json document = Json::parse(json);
  if (document.is_object()) check_version(document, source);
  const Reader reader(document, source, {kVersionKey, "label", "features"});

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
  try {
    return json.dump(2) + '\n';
  } catch (const Json::type_error&) {
    throw DataError("schema: a name, unit or level is not valid UTF-8; JSON can hold nothing else");
  }
}

}  // namespace croco
