// SPDX-License-Identifier: Apache-2.0
/// Numbers in text, independent of the locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace croco {

/// The number that `text` spells out completely (surrounding blanks aside), such as `-3`, `+.5` or
/// `1e-3`; infinities and NaN are returned as such. Nothing when it is no number or is out of the
/// range of a double (`1e400`): ask `is_out_of_range` which of the two it was.
[[nodiscard]] std::optional<double> parse_number(std::string_view text) noexcept;
/// Whether `text` is a well-formed decimal number too large (or small) for a double.
[[nodiscard]] bool is_out_of_range(std::string_view text) noexcept;
/// The shortest text that reads back as the same double.
[[nodiscard]] std::string format_number(double value);
/// At most `decimals` places after the point, without trailing zeros: 3.10 -> "3.1", 4.00 -> "4".
[[nodiscard]] std::string format_fixed(double value, int decimals);
/// A share of 0 .. 1 in per cent, such as "5 %", "0.004 %" or "99.996 %": four digits of the share,
/// two of what it lacks to 1, so that neither is rounded away.
[[nodiscard]] std::string percent(double share);
/// Without the blanks around it.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

}  // namespace croco
