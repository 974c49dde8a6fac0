// SPDX-License-Identifier: Apache-2.0
#include <croco/report/json_difference.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/json_text.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

/// Other machines and versions of the libraries may round the last digits differently.
constexpr double kSame = 1e-9;

std::string shown(const Json& value) {
  constexpr std::size_t kMost = 120;
  std::string text = json_text(value, -1, BrokenText::replace);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

/// Where two long texts part, so that the difference is on the screen.
std::string shown_beside(const std::string& text, const std::string& other) {
  constexpr std::size_t kLead = 30;
  const auto parted = std::ranges::mismatch(text, other).in1 - text.begin();
  const auto from = static_cast<std::size_t>(parted) > kLead ? std::size_t(parted) - kLead : 0;
  return from == 0 ? shown(text) : "... " + shown(text.substr(from));
}

std::string quoted(const std::string& path) {
  return path.empty() ? "the line" : fmt::format("'{}'", path);
}

std::string joined(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

bool same_number(const Json& given, const Json& made) {
  if (!given.is_number_float() && !made.is_number_float()) return given == made;
  const auto a = given.get<double>();
  const auto b = made.get<double>();
  return a == b || std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

std::optional<std::string> compare(const Json& given, const Json& made, const std::string& path);

std::optional<std::string> compare_objects(const Json& given, const Json& made,
                                           const std::string& path) {
  for (const auto& [key, value] : made.items()) {
    const auto found = given.find(key);
    if (found == given.end()) {
      return fmt::format("'{}' is missing; it must be {}", joined(path, key), shown(value));
    }
    if (auto difference = compare(*found, value, joined(path, key))) return difference;
  }
  for (const auto& [key, value] : given.items()) {
    if (made.contains(key)) continue;
    return fmt::format("'{}' is {}; it must not be there", joined(path, key), shown(value));
  }
  return std::nullopt;
}

std::optional<std::string> compare_arrays(const Json& given, const Json& made,
                                          const std::string& path) {
  for (std::size_t i = 0; i < std::min(given.size(), made.size()); ++i) {
    const std::string inner = fmt::format("{}[{}]", path, i);
    if (auto difference = compare(given[i], made[i], inner)) return difference;
  }
  if (given.size() == made.size()) return std::nullopt;
  return fmt::format("{} has {} entries; it must have {}", quoted(path), given.size(), made.size());
}

std::optional<std::string> compare(const Json& given, const Json& made, const std::string& path) {
  if (given.is_object() && made.is_object()) return compare_objects(given, made, path);
  if (given.is_array() && made.is_array()) return compare_arrays(given, made, path);
  if (given.is_number() && made.is_number() ? same_number(given, made) : given == made) {
    return std::nullopt;
  }
  if (given.is_string() && made.is_string()) {
    const auto& a = given.get_ref<const std::string&>();
    const auto& b = made.get_ref<const std::string&>();
    return fmt::format("{} is {}; it must be {}", quoted(path), shown_beside(a, b),
                       shown_beside(b, a));
  }
  return fmt::format("{} is {}; it must be {}", quoted(path), shown(given), shown(made));
}

}  // namespace

std::optional<std::string> first_difference(std::string_view given, std::string_view made) {
  return compare(parse_json(given), parse_json(made), "");
}

}  // namespace croco
