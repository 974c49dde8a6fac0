// SPDX-License-Identifier: Apache-2.0
/// Numbers as people write them in tables: with a currency, with commas between thousands, with a
/// percent sign.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace croco {

/// A number and how it was written.
struct WrittenNumber {
  std::string plain;      ///< as `parse_number` reads it: "1006.74"
  std::string_view unit;  ///< "$", "EUR", "%"; empty without one
  /// One comma and no point, such as `1,006`: the same text is 1.006 where a comma is the decimal
  /// sign.
  bool ambiguous = false;
};

/// Reads `12`, `1,006.74`, `-$1,000`, `($1,000)`, `1006.74 EUR` and `12.5 %`. A comma is only read
/// between thousands. Nothing for anything else, infinities and NaN included.
[[nodiscard]] std::optional<WrittenNumber> written_number(std::string_view text);

/// For a number in a notation that is not read, what it probably means: `1.006,74`, `3,5`,
/// `1 006.74` and `1'006.74` are numbers in other notations. Nothing for any other text.
[[nodiscard]] std::optional<std::string> foreign_number(std::string_view text);

/// The same currency, by sign or by code: "$" and "USD".
[[nodiscard]] bool same_currency(std::string_view a, std::string_view b) noexcept;
[[nodiscard]] bool is_currency(std::string_view unit) noexcept;

/// The cell of a numeric feature with this unit as a plain number, such as "1006.74" for
/// "€1,006.74"; the cell as it is where that is not certain: no number, a comma that may be a
/// decimal one because fields are separated by semicolons, a percent sign without the unit "%",
/// another currency than the unit. `number_fault` says which.
[[nodiscard]] std::string plain_cell(std::string_view cell, std::string_view unit, char separator);

}  // namespace croco
