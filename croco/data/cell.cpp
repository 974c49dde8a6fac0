// SPDX-License-Identifier: Apache-2.0
#include <croco/data/cell.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>

namespace croco {

std::optional<double> cell_number(std::string_view text) noexcept {
  const std::optional<double> number = parse_number(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string number_fault(std::string_view text) {
  if (parse_number(text)) return fmt::format("'{}' is not a finite number", text);
  if (is_out_of_range(text)) return fmt::format("'{}' is out of the range of a double", text);
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
