// SPDX-License-Identifier: Apache-2.0
#include <croco/base/json_check.hpp>

#include <cstddef>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>

namespace croco {
namespace {

using Json = nlohmann::json;

/// Far above what the formats need, far below what recursion over a document can stand.
constexpr std::size_t kMaxDepth = 64;

/// The library of choice keeps the last of several equal keys and says nothing.
class Checker final : public Json::json_sax_t {
 public:
  /// A document of `bytes` bytes.
  Checker(const std::string& source, std::size_t bytes) : source_(source), most_(bytes) {}

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t& text) override {
    ++size_.texts;
    size_.text_bytes += text.size();
    return count();
  }
  bool binary(binary_t&) override { return count(); }
  bool start_object(std::size_t) override { return enter(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  [[nodiscard]] const JsonSize& size() const noexcept { return size_; }

  bool key(string_t& name) override {
    ++size_.texts;
    size_.text_bytes += name.size();
    size_.key_pairs += keys_.back().size();
    if (!keys_.back().insert(name).second) {
      throw DataError(fmt::format("{}: the key '{}' occurs twice in one object", source_, name));
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string_view reason = error.what();
    // The message begins with an identifier in brackets that means nothing to people.
    if (const auto bracket = reason.find("] ");
        reason.starts_with('[') && bracket != std::string_view::npos) {
      reason.remove_prefix(bracket + 2);
    }
    throw DataError(fmt::format("{}: {}", source_, reason));
  }

 private:
  /// Every value of a text takes a byte of it at least; where values are announced by their number,
  /// this is not so.
  bool count() {
    if (++size_.values > most_) {
      throw DataError(fmt::format("{}: announces more values than it has bytes", source_));
    }
    return true;
  }
  bool enter() {
    count();
    ++size_.containers;
    if (keys_.size() == kMaxDepth) {
      throw DataError(fmt::format("{}: nested deeper than {} levels", source_, kMaxDepth));
    }
    keys_.emplace_back();
    return true;
  }
  bool leave() {
    keys_.pop_back();
    return true;
  }

  const std::string& source_;
  std::size_t most_;
  JsonSize size_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

JsonSize check_json(std::string_view json, const std::string& source) {
  Checker checker(source, json.size());
  Json::sax_parse(json, &checker);
  return checker.size();
}

JsonSize check_ubjson(std::string_view bytes, const std::string& source) {
  Checker checker(source, bytes.size());
  Json::sax_parse(bytes, &checker, Json::input_format_t::ubjson);
  return checker.size();
}

}  // namespace croco
