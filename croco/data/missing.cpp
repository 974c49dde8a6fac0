// SPDX-License-Identifier: Apache-2.0
#include <croco/data/missing.hpp>

#include <algorithm>
#include <array>

#include <croco/base/numbers.hpp>

namespace croco {

bool is_missing(std::string_view field) noexcept {
  constexpr std::array<std::string_view, 6> kSpellings = {"", "?", "na", "n/a", "nan", "null"};
  const std::string_view text = trimmed(field);
  const auto same_letter = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  };
  return std::any_of(kSpellings.begin(), kSpellings.end(), [&](std::string_view spelling) {
    return std::equal(text.begin(), text.end(), spelling.begin(), spelling.end(), same_letter);
  });
}

}  // namespace croco
