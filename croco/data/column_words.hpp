// SPDX-License-Identifier: Apache-2.0
/// What the name of a column says about it, in English and in the spellings that data sets use:
/// `Age`, `is_female`, `race_African-American`, `CustomerID`.
#pragma once

#include <string_view>

namespace croco {

/// Whether a name speaks of what nobody can change, or of what no decision may ask a person to
/// change: age, sex, race, colour, origin, nationality, religion, disability, marital status.
[[nodiscard]] bool names_the_protected(std::string_view name);

/// Whether a name is that of an identifier: `id`, `customer_id`, `uuid`, `ssn`, `account number`,
/// `Unnamed: 0`.
[[nodiscard]] bool names_an_identifier(std::string_view name);

/// Whether a name is that of a place's code, such as `zip_code`: digits that measure nothing.
[[nodiscard]] bool names_a_place_code(std::string_view name);

/// Whether a label is named after an outcome that people hope to avoid: `default`, `is_fraud`,
/// `SeriousDlqin2yrs`, `deny`, `churn`.
[[nodiscard]] bool names_the_unwanted(std::string_view name);

}  // namespace croco
