// SPDX-License-Identifier: Apache-2.0
#include <croco/data/decimal.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include <croco/base/numbers.hpp>

namespace croco {
namespace {

int decimal_exponent(double value) noexcept {
  return static_cast<int>(std::floor(std::log10(std::abs(value))));
}

}  // namespace

int decimals_of(double value) {
  const std::string shortest = format_number(value);
  const std::size_t e = shortest.find('e');
  const std::size_t point = shortest.find('.');
  const std::size_t mantissa_end = e == std::string::npos ? shortest.size() : e;
  int decimals = point == std::string::npos
                     ? 0
                     : static_cast<int>(mantissa_end - std::min(mantissa_end, point + 1));
  if (e != std::string::npos) {
    int exponent = 0;
    const char* first = shortest.data() + e + 1;
    if (*first == '+') ++first;
    std::from_chars(first, shortest.data() + shortest.size(), exponent);
    decimals -= exponent;
  }
  return std::max(decimals, 0);
}

double decimal_value(double value, double origin) noexcept {
  if (value == 0.0) return 0.0;
  if (!std::isfinite(value)) return value;
  const int exponent = decimal_exponent(value);
  int digits = std::clamp(exponent + 1, 12, 15);
  // Scaling and back costs a few units in the last place of the larger of value and origin; a
  // decimal at 1e-13 of the origin stays clear of them.
  if (origin != 0.0) digits = std::min(digits, exponent - decimal_exponent(origin) + 14);
  if (digits < 1) return 0.0;
  // Room for a sign, 15 digits, a point and an exponent.
  std::array<char, 32> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), value,
                                  std::chars_format::scientific, digits - 1)
                        .ptr;
  double rounded = value;
  const auto [stop, error] = std::from_chars(text.data(), end, rounded);
  return error == std::errc{} ? rounded : value;
}

std::string decimal_text(double value, double origin) {
  return format_number(decimal_value(value, origin));
}

std::string multiple_text(double count, double step) {
  const std::string text = format_fixed(count * step, decimals_of(step));
  // Beyond 17 digits the fixed notation would write out the binary representation.
  const double value = parse_number(text).value_or(count * step);
  return value == 0.0 ? "0" : format_number(value);
}

}  // namespace croco
