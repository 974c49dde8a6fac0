// SPDX-License-Identifier: Apache-2.0
#include <croco/data/json_object.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <croco/base/error.hpp>

namespace croco {

JsonObject::JsonObject(const Json& object, std::string where, const std::vector<std::string>& known)
    : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) fail(fmt::format("must be an object, not {}", object_.type_name()));
  for (const auto& entry : object_.items()) {
    if (std::find(known.begin(), known.end(), entry.key()) != known.end()) continue;
    fail(fmt::format("unknown key '{}'{} (known keys: {})", entry.key(),
                     did_you_mean(entry.key(), known), quoted_list(known)));
  }
}

const JsonObject::Json* JsonObject::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

const JsonObject::Json& JsonObject::get(const char* key) const {
  if (const Json* value = find(key)) return *value;
  fail(fmt::format("the key '{}' is missing", key));
}

const JsonObject::Json& JsonObject::array(const char* key) const {
  const Json& value = get(key);
  if (!value.is_array()) {
    fail(fmt::format("'{}' must be an array, not {}", key, value.type_name()));
  }
  return value;
}

std::string JsonObject::text(const char* key) const {
  const Json& value = get(key);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_primitive()) {
    fail(fmt::format("'{}' must be a string; write \"{}\" instead of {}", key, json_text(value),
                     json_text(value)));
  }
  fail(fmt::format("'{}' must be a string, not an {}", key, value.type_name()));
}

std::string JsonObject::text_or(const char* key, std::string otherwise) const {
  return find(key) == nullptr ? std::move(otherwise) : text(key);
}

std::optional<double> JsonObject::number(const char* key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number())
    fail(fmt::format("'{}' must be a number, not {}", key, json_text(*value)));
  return value->get<double>();
}

std::optional<std::size_t> JsonObject::count(const char* key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  // Up to here a double holds every whole number.
  constexpr double kLargest = 9007199254740992.0;
  const double number = value->is_number() ? value->get<double>() : -1;
  if (number < 0 || number > kLargest || number != std::floor(number)) {
    fail(fmt::format("'{}' must be a whole number of at least 0, not {}", key, json_text(*value)));
  }
  return static_cast<std::size_t>(number);
}

std::optional<bool> JsonObject::truth(const char* key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) {
    fail(fmt::format("'{}' must be true or false, not {}", key, json_text(*value)));
  }
  return value->get<bool>();
}

std::vector<std::string> JsonObject::texts(const char* key, std::string_view each) const {
  const Json* list = find(key);
  std::vector<std::string> values;
  if (list == nullptr) return values;
  if (!list->is_array()) fail(fmt::format("'{}' must be an array of strings", key));
  for (const Json& value : *list) {
    if (!value.is_string()) {
      fail(fmt::format("'{}' holds {}; each {} must be a string", key, json_text(value), each));
    }
    values.push_back(value.get<std::string>());
  }
  return values;
}

void JsonObject::fail(std::string_view rule) const {
  throw DataError(fmt::format("{}: {}", where_, rule));
}

void check_version(const nlohmann::ordered_json& document, const char* key, int newest,
                   const std::string& source) {
  const auto version = document.find(key);
  if (version == document.end()) {
    throw DataError(
        fmt::format("{}: the key '{}' is missing; it holds the version of the format, {}", source,
                    key, newest));
  }
  if (!version->is_number_integer() || *version < 1) {
    throw DataError(fmt::format("{}: '{}' is {}; it must be a whole number from 1 to {}", source,
                                key, json_text(*version), newest));
  }
  if (*version > newest) {
    throw DataError(fmt::format(
        "{}: '{}' is {}, but this build reads versions up to {}; a newer croco is needed", source,
        key, json_text(*version), newest));
  }
}

}  // namespace croco
