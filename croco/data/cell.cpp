// SPDX-License-Identifier: Apache-2.0
#include <croco/data/cell.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>
#include <croco/data/written_number.hpp>

namespace croco {
namespace {

/// Why a number with a unit or commas was not read: see `plain_cell`.
std::string written_fault(std::string_view text, const WrittenNumber& number) {
  if (number.ambiguous) {
    return fmt::format(
        "'{}' may mean {} or {}; write numbers with a decimal point and without other separators",
        text, number.plain, foreign_number(text).value_or(number.plain));
  }
  if (number.unit == "%") {
    return fmt::format(
        "'{}' has a percent sign; it is read as {} where the schema has the unit '%'", text,
        number.plain);
  }
  return fmt::format("'{}' is not a plain number, or not in the unit of the schema; write {}", text,
                     number.plain);
}

}  // namespace

std::optional<double> cell_number(std::string_view text) noexcept {
  const std::optional<double> number = parse_number(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string number_fault(std::string_view text) {
  if (parse_number(text)) return fmt::format("'{}' is not a finite number", text);
  if (is_out_of_range(text)) return fmt::format("'{}' is out of the range of a double", text);
  if (const std::optional<WrittenNumber> number = written_number(text)) {
    return written_fault(text, *number);
  }
  if (const std::optional<std::string> meant = foreign_number(text)) {
    return fmt::format(
        "'{}' is not a number here: the decimal sign is a point and only commas part thousands; "
        "write {}",
        text, *meant);
  }
  return fmt::format("'{}' is not a number", text);
}

std::optional<std::size_t> cell_level(const Feature& feature, std::string_view text) {
  for (const std::string_view spelling : {text, trimmed(text)}) {
    const auto found = std::find(feature.levels.begin(), feature.levels.end(), spelling);
    if (found != feature.levels.end()) {
      return static_cast<std::size_t>(found - feature.levels.begin());
    }
  }
  return std::nullopt;
}

std::string level_fault(const Feature& feature, std::string_view text) {
  return fmt::format("'{}' is no level{} (levels: {})", text, did_you_mean(text, feature.levels),
                     quoted_list(feature.levels));
}

}  // namespace croco
