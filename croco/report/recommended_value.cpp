// SPDX-License-Identifier: Apache-2.0
#include <croco/report/recommended_value.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/decimal.hpp>
#include <croco/data/missing.hpp>

namespace croco {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// Files write whole numbers as "9120.0" too.
std::string_view without_zeros(std::string_view number) {
  const std::size_t point = number.find('.');
  if (point == std::string_view::npos) return number;
  const bool zeros = number.find_first_not_of('0', point + 1) == std::string_view::npos;
  return zeros && point > 0 ? number.substr(0, point) : number;
}

}  // namespace

std::string grouped(std::string_view number) {
  const std::size_t sign = number.starts_with('-') || number.starts_with('+') ? 1 : 0;
  const std::size_t end = std::min(number.find_first_not_of(kDigits, sign), number.size());
  const bool decimal =
      end > sign &&
      (end == number.size() || (number[end] == '.' && number.find_first_not_of(kDigits, end + 1) ==
                                                          std::string_view::npos));
  std::string out(number);
  if (!decimal) return out;
  for (std::size_t at = end; at > sign + 3; at -= 3) out.insert(at - 3, 1, ',');
  return out;
}

std::string shortened(const Feature& feature, std::string_view number, std::optional<double> to) {
  constexpr int kDigits = 4;
  constexpr double kShows = 0.01;  // of the change
  const std::optional<double> value = parse_number(trimmed(number));
  if (feature.type != FeatureType::numeric || !value || *value == 0) return std::string(number);
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(*value))));
  int decimals = std::max(0, kDigits - 1 - exponent);
  if (feature.step > 0) decimals = std::max(decimals, decimals_of(feature.step));
  constexpr int kMostDecimals = 15;  // beyond these only an exponent is readable
  std::string out = decimals > kMostDecimals ? fmt::format("{:.{}g}", *value, kDigits)
                                             : format_fixed(*value, decimals);
  const double rounded = parse_number(out).value_or(*value);
  const bool shows = to && std::abs(rounded - *value) > kShows * std::abs(*to - *value);
  if (shows || out.size() >= trimmed(number).size()) return std::string(number);
  return out;
}

std::string with_unit(const Feature& feature, std::string_view number) {
  if (feature.unit.empty()) return std::string(number);
  const bool one = number == "1" && !feature.unit_one.empty();
  return fmt::format("{} {}", number, one ? feature.unit_one : feature.unit);
}

std::string recommended_value(const Feature& feature, std::string_view value) {
  if (is_missing(value) && std::ranges::find(feature.levels, value) == feature.levels.end()) {
    return "unknown";
  }
  if (feature.type != FeatureType::numeric) return with_unit(feature, value);
  return with_unit(feature, grouped(without_zeros(trimmed(value))));
}

std::string amount_text(const Feature& feature, double value) {
  if (!(value > 0) || !std::isfinite(value)) return with_unit(feature, format_number(value));
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  // A number that has three digits keeps them: a billionth forgives what doubles do to it.
  const double rounded = std::floor(value / unit + 1e-9) * unit;
  return with_unit(feature, grouped(fmt::format("{:.10g}", rounded)));
}

}  // namespace croco
