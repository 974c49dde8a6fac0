// SPDX-License-Identifier: Apache-2.0
/// One object of a JSON file that people edit, read key by key. Not part of the interface of any
/// format: for the sources that read one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/json_text.hpp>
#include <croco/data/suggest.hpp>

namespace croco {

/// Refuses keys that it does not know, with the nearest one that it does; `where` begins every
/// message. Refers to the JSON.
class JsonObject {
 public:
  using Json = nlohmann::ordered_json;

  JsonObject(const Json& object, std::string where, const std::vector<std::string>& known);

  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  [[nodiscard]] const Json* find(const char* key) const;
  [[nodiscard]] const Json& get(const char* key) const;
  [[nodiscard]] const Json& array(const char* key) const;

  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] std::string text_or(const char* key, std::string otherwise = {}) const;
  [[nodiscard]] std::optional<double> number(const char* key) const;
  [[nodiscard]] std::optional<std::size_t> count(const char* key) const;
  [[nodiscard]] std::optional<bool> truth(const char* key) const;
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
                     given.is_string() ? "'" + name + "'" : json_text(given), quoted_list(names),
                     did_you_mean(name, names)));
  }
  /// An array of strings; none when the key is missing. `each` names what one of them is.
  [[nodiscard]] std::vector<std::string> texts(const char* key, std::string_view each) const;

  [[noreturn]] void fail(std::string_view rule) const;

 private:
  const Json& object_;
  std::string where_;
};

/// The version of a format under `key`, checked before all other keys: a newer format may have some
/// that are unknown here. Throws DataError unless it is a whole number from 1 to `newest`.
void check_version(const nlohmann::ordered_json& document, const char* key, int newest,
                   const std::string& source);

}  // namespace croco
