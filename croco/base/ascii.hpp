// SPDX-License-Identifier: Apache-2.0
/// Letters and digits of ASCII, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace croco {

[[nodiscard]] constexpr bool is_digit(char letter) noexcept {
  return letter >= '0' && letter <= '9';
}

/// The text with A .. Z as a .. z; all other bytes stay.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return out;
}

}  // namespace croco
