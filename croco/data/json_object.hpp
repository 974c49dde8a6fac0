// SPDX-License-Identifier: Apache-2.0
/// One object of a JSON file that people edit, read key by key. Not part of the interface of any
/// format: for the sources that read one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/data/suggest.hpp>

namespace croco {

/// Refuses keys that it does not know, with the nearest one that it does; `where` begins every
/// message. Refers to the JSON.
class JsonObject {
 public:
  using Json = nlohmann::ordered_json;

  JsonObject(const Json& object, std::string where, const std::vector<std::string>& known)
      : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) fail(fmt::format("must be an object, not {}", object_.type_name()));
    for (const auto& entry : object_.items()) {
      if (std::find(known.begin(), known.end(), entry.key()) != known.end()) continue;
      fail(fmt::format("unknown key '{}'{} (known keys: {})", entry.key(),
                       did_you_mean(entry.key(), known), quoted_list(known)));
    }
  }

  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  [[nodiscard]] const Json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  [[nodiscard]] const Json& get(const char* key) const {
    if (const Json* value = find(key)) return *value;
    fail(fmt::format("the key '{}' is missing", key));
  }
  [[nodiscard]] const Json& array(const char* key) const {
    const Json& value = get(key);
    if (!value.is_array()) {
      fail(fmt::format("'{}' must be an array, not {}", key, value.type_name()));
    }
    return value;
  }

  [[nodiscard]] std::string text(const char* key) const {
    const Json& value = get(key);
    if (value.is_string()) return value.get<std::string>();
    if (value.is_primitive()) {
      fail(fmt::format("'{}' must be a string; write \"{}\" instead of {}", key, value.dump(),
                       value.dump()));
    }
    fail(fmt::format("'{}' must be a string, not an {}", key, value.type_name()));
  }
  [[nodiscard]] std::string text_or(const char* key, std::string otherwise = {}) const {
    return find(key) == nullptr ? std::move(otherwise) : text(key);
  }
  [[nodiscard]] std::optional<double> number(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) fail(fmt::format("'{}' must be a number, not {}", key, value->dump()));
    return value->get<double>();
  }
  [[nodiscard]] std::optional<std::size_t> count(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    // Up to here a double holds every whole number.
    constexpr double kLargest = 9007199254740992.0;
    const double number = value->is_number() ? value->get<double>() : -1;
    if (number < 0 || number > kLargest || number != std::floor(number)) {
      fail(fmt::format("'{}' must be a whole number of at least 0, not {}", key, value->dump()));
    }
    return static_cast<std::size_t>(number);
  }
  [[nodiscard]] std::optional<bool> truth(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean()) {
      fail(fmt::format("'{}' must be true or false, not {}", key, value->dump()));
    }
    return value->get<bool>();
  }
  /// The value that `table`, pairs of a name and a value, has for the text under `key`.
  template <typename Table>
  [[nodiscard]] auto choice(const char* key, const Table& table) const {
    const Json& given = get(key);
    const std::string name = given.is_string() ? given.get<std::string>() : std::string();
    std::vector<std::string> names;
    for (const auto& [candidate, value] : table) {
      if (given == candidate) return value;
      names.emplace_back(candidate);
    }
    fail(fmt::format("'{}' is {}, which is none of {}{}", key,
                     given.is_string() ? "'" + name + "'" : given.dump(), quoted_list(names),
                     did_you_mean(name, names)));
  }
  /// An array of strings; none when the key is missing. `each` names what one of them is.
  [[nodiscard]] std::vector<std::string> texts(const char* key, std::string_view each) const {
    const Json* list = find(key);
    std::vector<std::string> values;
    if (list == nullptr) return values;
    if (!list->is_array()) fail(fmt::format("'{}' must be an array of strings", key));
    for (const Json& value : *list) {
      if (!value.is_string()) {
        fail(fmt::format("'{}' holds {}; each {} must be a string", key, value.dump(), each));
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

/// The version of a format under `key`, checked before all other keys: a newer format may have some
/// that are unknown here. Throws DataError unless it is a whole number from 1 to `newest`.
inline void check_version(const nlohmann::ordered_json& document, const char* key, int newest,
                          const std::string& source) {
  const auto version = document.find(key);
  if (version == document.end()) {
    throw DataError(
        fmt::format("{}: the key '{}' is missing; it holds the version of the format, {}", source,
                    key, newest));
  }
  if (!version->is_number_integer() || *version < 1) {
    throw DataError(fmt::format("{}: '{}' is {}; it must be a whole number from 1 to {}", source,
                                key, version->dump(), newest));
  }
  if (*version > newest) {
    throw DataError(fmt::format(
        "{}: '{}' is {}, but this build reads versions up to {}; a newer croco is needed", source,
        key, version->dump(), newest));
  }
}

}  // namespace croco
