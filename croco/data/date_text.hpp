// SPDX-License-Identifier: Apache-2.0
/// Dates, as far as recognising them goes.
#pragma once

#include <string_view>

namespace croco {

/// Whether a text is a date: `2024-03-31`, `31/03/2024`, `3/31/24`, `31.3.2024`, `2024-03`,
/// `31 Mar 2024`, `Mar-2024`, each also with a time behind it.
[[nodiscard]] bool is_date(std::string_view text) noexcept;
/// Whether a whole number is a date without separators, such as 20240331.
[[nodiscard]] bool is_compact_date(double number) noexcept;

}  // namespace croco
