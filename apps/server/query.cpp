// SPDX-License-Identifier: Apache-2.0
#include <apps/server/query.hpp>

#include <charconv>
#include <string>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco::server {
namespace {

constexpr std::size_t kLongest = 200;

/// "a%20b+c" -> "a b c". Throws InvalidArgument for a broken escape.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      unsigned value = 0;
      const std::string_view digits = text.substr(i + 1, 2);
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) {
        throw InvalidArgument("the query has a % that no two hexadecimal digits follow");
      }
      out += static_cast<char>(value);
      i += 2;
    }
  }
  return out;
}

std::size_t whole(const std::string& text, const char* name) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InvalidArgument(fmt::format("{} must be a whole number", name));
  }
  return value;
}

}  // namespace

PeopleQuery read_people_query(std::string_view query) {
  PeopleQuery out;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string key = decoded(part.substr(0, equals));
    std::string value =
        equals == std::string_view::npos ? std::string() : decoded(part.substr(equals + 1));
    if (value.size() > kLongest) {
      throw InvalidArgument(fmt::format("a value of the query is longer than {} bytes", kLongest));
    }
    if (key == "query") {
      out.text = std::move(value);
    } else if (key == "decision") {
      out.decision = std::move(value);
    } else if (key == "sort") {
      out.sort = std::move(value);
    } else if (key == "cursor") {
      out.cursor = std::move(value);
    } else if (key == "limit") {
      out.limit = whole(value, "limit");
    } else {
      throw InvalidArgument("the query may have query, decision, sort, cursor and limit");
    }
  }
  return out;
}

}  // namespace croco::server
