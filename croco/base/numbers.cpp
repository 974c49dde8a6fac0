// SPDX-License-Identifier: Apache-2.0
#include <croco/base/numbers.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

namespace croco {
namespace {

struct Parsed {
  double value = 0.0;
  std::errc error = std::errc::invalid_argument;
};

Parsed parse(std::string_view text) noexcept {
  text = trimmed(text);
  if (text.starts_with('+')) {
    // from_chars knows no plus sign, and "+-3" must not pass for -3.
    text.remove_prefix(1);
    if (text.starts_with('-')) return {};
  }
  Parsed parsed;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, parsed.value);
  if (stop == end && !text.empty()) parsed.error = error;
  return parsed;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) noexcept {
  const Parsed parsed = parse(text);
  if (parsed.error != std::errc()) return std::nullopt;
  return parsed.value;
}

bool is_out_of_range(std::string_view text) noexcept {
  return parse(text).error == std::errc::result_out_of_range;
}

std::string format_number(double value) { return fmt::format("{}", value); }

std::string format_fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, std::max(decimals, 0));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string percent(double share) {
  // Places after the point of the percentage that show `digits` digits of a part.
  const auto places = [](double part, int digits) {
    return part > 0 ? digits - 1 - static_cast<int>(std::floor(std::log10(100 * part))) : 0;
  };
  constexpr int kMost = 16;
  const int needed = std::max(places(share, 4), places(1 - share, 2));
  if (!(share >= 0) || needed > kMost) return fmt::format("{:.4g} %", 100 * share);
  return format_fixed(100 * share, needed) + " %";
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace croco
