// SPDX-License-Identifier: Apache-2.0
/// The values of JSON documents that other programs saved. Only .cpp files of this folder include
/// it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>

namespace croco {

/// Reads parts of a document, with the place in every complaint.
class JsonReader {
 public:
  using Json = nlohmann::json;

  explicit JsonReader(std::string source) : source_(std::move(source)) {}

  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  [[nodiscard]] JsonReader at(const std::string& place) const {
    return JsonReader(fmt::format("{}, {}", source_, place));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(fmt::format("{}: {}", source_, what));
  }

  [[nodiscard]] const Json* find(const Json& object, const char* key) const {
    if (!object.is_object()) fail(fmt::format("'{}' is looked for in what is no object", key));
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }
  [[nodiscard]] const Json& member(const Json& object, const char* key) const {
    if (const Json* found = find(object, key)) return *found;
    fail(fmt::format("'{}' is missing", key));
  }
  [[nodiscard]] const Json& list(const Json& object, const char* key) const {
    const Json& value = member(object, key);
    if (!value.is_array()) fail(fmt::format("'{}' must be a list", key));
    return value;
  }
  [[nodiscard]] std::string text(const Json& object, const char* key) const {
    const Json& value = member(object, key);
    if (!value.is_string()) fail(fmt::format("'{}' must be a text", key));
    return value.get<std::string>();
  }
  [[nodiscard]] std::vector<std::string> texts(const Json& object, const char* key) const {
    std::vector<std::string> out;
    const Json* values = find(object, key);
    if (values == nullptr) return out;
    if (!values->is_array()) fail(fmt::format("'{}' must be a list of texts", key));
    for (const Json& value : *values) {
      if (!value.is_string()) fail(fmt::format("'{}' must be a list of texts", key));
      out.push_back(value.get<std::string>());
    }
    return out;
  }
  /// XGBoost writes the parameters of a model as texts.
  [[nodiscard]] double parameter(const Json& object, const char* key) const {
    std::string written = text(object, key);
    // Since there can be several outputs, some are lists of one.
    if (written.starts_with('[') && written.ends_with(']')) {
      written = written.substr(1, written.size() - 2);
    }
    const std::optional<double> number = parse_number(written);
    if (!number || !std::isfinite(*number)) {
      fail(fmt::format("'{}' is '{}'; it must be a number", key, written.substr(0, 40)));
    }
    return *number;
  }
  [[nodiscard]] std::size_t count(const Json& object, const char* key, std::size_t most) const {
    const double number = parameter(object, key);
    if (number < 0 || number != std::floor(number) || number > static_cast<double>(most)) {
      fail(fmt::format("'{}' is {}; it must be a whole number up to {}", key, format_number(number),
                       most));
    }
    return static_cast<std::size_t>(number);
  }
  /// The numbers of a list that has `count` of them.
  [[nodiscard]] std::vector<double> numbers(const Json& object, const char* key,
                                            std::optional<std::size_t> count) const {
    const Json& values = list(object, key);
    if (count && values.size() != *count) {
      fail(fmt::format("'{}' has {} entries; {} are needed", key, values.size(), *count));
    }
    std::vector<double> out;
    out.reserve(values.size());
    for (const Json& value : values) {
      if (value.is_boolean()) {
        out.push_back(value.get<bool>() ? 1 : 0);
      } else if (value.is_number()) {
        out.push_back(value.get<double>());
      } else {
        fail(fmt::format("'{}', entry {}: must be a number", key, out.size()));
      }
    }
    return out;
  }
  [[nodiscard]] std::vector<std::int64_t> integers(const Json& object, const char* key,
                                                   std::optional<std::size_t> count) const {
    std::vector<std::int64_t> out;
    for (const double number : numbers(object, key, count)) {
      constexpr double kLargest = 0x1p53;
      if (!(std::abs(number) <= kLargest) || number != std::floor(number)) {
        fail(fmt::format("'{}', entry {}: {} is no whole number", key, out.size(),
                         format_number(number)));
      }
      out.push_back(static_cast<std::int64_t>(number));
    }
    return out;
  }

 private:
  std::string source_;
};

}  // namespace croco
