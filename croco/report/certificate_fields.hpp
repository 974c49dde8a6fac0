// SPDX-License-Identifier: Apache-2.0
/// The keys of a certificate that anybody may have written, read one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/verify/verify.hpp>

namespace croco::certificate {

using Json = nlohmann::ordered_json;

/// One JSON object: every key is asked for by name and type, and none may be left over.
class Fields {
 public:
  Fields(const Json& object, std::string source, std::string path,
         int version = kCertificateVersion)
      : object_(object), source_(std::move(source)), path_(std::move(path)), version_(version) {
    if (!object.is_object()) fail("", object, "an object");
  }

  [[nodiscard]] bool has(const std::string& key) const { return object_.contains(key); }

  const Json& any(const std::string& key) {
    known_.insert(key);
    const auto found = object_.find(key);
    if (found == object_.end()) {
      throw DataError(
          fmt::format("{}: the key '{}{}' is missing; a certificate of version {} has "
                      "it",
                      source_, path_, key, version_));
    }
    return *found;
  }
  double number(const std::string& key, double low, double high, std::string_view rule) {
    const Json& value = any(key);
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= low && number <= high)) fail(key, value, rule);
    return number;
  }
  double share(const std::string& key) { return number(key, 0, 1, "a number from 0 to 1"); }
  std::uint64_t count(const std::string& key, std::uint64_t most) {
    const Json& value = any(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
      fail(key, value, fmt::format("a whole number from 0 to {}", most));
    }
    return value.get<std::uint64_t>();
  }
  std::string text(const std::string& key) {
    const Json& value = any(key);
    if (!value.is_string()) fail(key, value, "a text");
    return value.get<std::string>();
  }
  bool flag(const std::string& key) {
    const Json& value = any(key);
    if (!value.is_boolean()) fail(key, value, "true or false");
    return value.get<bool>();
  }
  /// The index of a text among those that are allowed.
  std::size_t choice(const std::string& key, std::initializer_list<std::string_view> allowed) {
    const Json& value = any(key);
    if (value.is_string()) {
      const auto& given = value.get_ref<const std::string&>();
      const auto* const found = std::ranges::find(allowed, std::string_view(given));
      if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
    }
    fail(key, value, fmt::format("one of {}", fmt::join(allowed, ", ")));
  }
  std::string fingerprint(const std::string& key) {
    const std::string value = text(key);
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (value.size() != 64 || !std::ranges::all_of(value, is_hex)) {
      fail(key, any(key), "64 hexadecimal digits");
    }
    return value;
  }
  /// Null, where it may be, is NaN: a value that is missing.
  std::vector<std::pair<std::string, double>> numbers(const std::string& key,
                                                      bool may_be_missing = false) {
    Fields inner(any(key), source_, path_ + key + ".", version_);
    std::vector<std::pair<std::string, double>> out;
    constexpr double kMost = std::numeric_limits<double>::max();
    for (const auto& [name, value] : inner.object_.items()) {
      out.emplace_back(name, may_be_missing && value.is_null()
                                 ? std::nan("")
                                 : inner.number(name, -kMost, kMost, "a finite number"));
    }
    return out;
  }
  /// Null, a value that is missing, is empty.
  std::vector<std::pair<std::string, std::string>> texts(const std::string& key) {
    Fields inner(any(key), source_, path_ + key + ".", version_);
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& [name, value] : inner.object_.items()) {
      out.emplace_back(name, value.is_null() ? std::string() : inner.text(name));
    }
    return out;
  }
  /// Names and rows of as many numbers.
  StatedRows rows(const std::string& key) {
    StatedRows out;
    known_.insert("columns");
    const Json& names = any("columns");
    if (!names.is_array() || names.empty()) fail("columns", names, "an array of names");
    for (const Json& name : names) {
      if (!name.is_string()) fail("columns", names, "an array of names");
      out.columns.push_back(name.get<std::string>());
    }
    out.rows = Matrix(0, out.columns.size());
    const Json& list = any(key);
    if (!list.is_array() || list.empty()) fail(key, list, "an array of rows");
    for (const Json& row : list) {
      if (!row.is_array() || row.size() != out.columns.size()) {
        fail(key, row, fmt::format("rows of {} numbers", out.columns.size()));
      }
      for (const Json& value : row) {
        const double number = value.is_number() ? value.get<double>() : std::nan("");
        if (!std::isfinite(number)) fail(key, value, "rows of finite numbers");
        out.rows.data.push_back(number);
      }
    }
    require_no_other();
    return out;
  }
  /// The objects of an array.
  std::vector<Fields> objects(const std::string& key) {
    const Json& list = any(key);
    if (!list.is_array() || list.empty()) fail(key, list, "an array of objects");
    std::vector<Fields> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
      out.emplace_back(list[i], source_, fmt::format("{}{}[{}].", path_, key, i), version_);
    }
    return out;
  }
  [[nodiscard]] Fields object(const std::string& key) {
    return {any(key), source_, path_ + key + ".", version_};
  }
  [[noreturn]] void refuse(const std::string& key, std::string_view rule) {
    fail(key, any(key), rule);
  }
  void require_no_other() const {
    for (const auto& [name, value] : object_.items()) {
      if (known_.contains(name)) continue;
      throw DataError(
          fmt::format("{}: the key '{}{}' is unknown; a certificate of version {} does not have "
                      "it here",
                      source_, path_, name, version_));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& key, const Json& value, std::string_view rule) const {
    constexpr std::size_t kShown = 60;
    std::string shown = json_text(value, -1, BrokenText::replace);
    if (shown.size() > kShown) shown = shown.substr(0, kShown) + "...";
    std::string name = path_ + key;
    if (key.empty() && !name.empty()) name.pop_back();  // the object itself, not what is in it
    throw DataError(fmt::format("{}: {} is {}; it must be {}", source_,
                                name.empty() ? "the certificate" : "'" + name + "'", shown, rule));
  }

  const Json& object_;
  std::string source_;
  std::string path_;  ///< "noise." inside of it
  int version_;
  std::set<std::string> known_;
};

}  // namespace croco::certificate
