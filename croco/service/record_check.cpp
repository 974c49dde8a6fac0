// SPDX-License-Identifier: Apache-2.0
#include <croco/service/record_check.hpp>

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/cell.hpp>
#include <croco/data/missing.hpp>
#include <croco/data/suggest.hpp>
#include <croco/service/request_error.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Json& value, const Feature& feature, const std::string& where) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return json_text(value);
  if (value.is_number()) return format_number(value.get<double>());
  throw BadRequest(fmt::format("{}: '{}' must be a text, a number or null", where, feature.name));
}

}  // namespace

Record read_record(const Json& json, const Schema& schema, const std::string& where) {
  if (!json.is_object()) throw BadRequest(fmt::format("{} must be an object", where));
  Record out;
  std::vector<std::string> absent;
  for (const Feature& feature : schema.features) {
    const auto value = json.find(feature.name);
    if (value == json.end()) {
      absent.push_back(feature.name);
      continue;
    }
    out.push_back(value_text(*value, feature, where));
  }
  if (!absent.empty()) {
    throw BadRequest(fmt::format("{}: the features {} are missing", where, quoted_list(absent)));
  }
  if (json.size() != schema.features.size()) {
    std::vector<std::string> names;
    for (const Feature& feature : schema.features) names.push_back(feature.name);
    throw BadRequest(
        fmt::format("{} has a name that is no feature (features: {})", where, quoted_list(names)));
  }
  return out;
}

std::string record_fault(const Codec& codec, const Record& record, MissingPolicy missing) {
  const std::vector<Feature>& features = codec.schema().features;
  for (std::size_t k = 0; k < features.size() && k < record.size(); ++k) {
    const Feature& feature = features[k];
    const bool category = feature.type == FeatureType::categorical;
    const bool known =
        category ? cell_level(feature, record[k]).has_value() : cell_number(record[k]).has_value();
    if (known) continue;
    if (is_missing(record[k])) {
      if (missing != MissingPolicy::error) continue;
      return fmt::format("feature '{}': the value is missing; missing may be impute or keep",
                         feature.name);
    }
    if (category) {
      return fmt::format("feature '{}': the value is none of its levels (levels: {})", feature.name,
                         quoted_list(feature.levels));
    }
    return fmt::format("feature '{}': the value is not a finite number", feature.name);
  }
  try {
    if (missing != MissingPolicy::keep) static_cast<void>(codec.encode(record, "", missing));
  } catch (const DataError&) {
    return "a value of the record cannot be encoded";
  }
  return {};
}

}  // namespace croco
