// SPDX-License-Identifier: Apache-2.0
/// What a single cell of a table may hold, and the words for what is wrong with it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <croco/data/schema.hpp>

namespace croco {

/// The finite number in a cell, if it is one.
[[nodiscard]] std::optional<double> cell_number(std::string_view text) noexcept;
/// Why `cell_number` has no answer: `'abc' is not a number`.
[[nodiscard]] std::string number_fault(std::string_view text);

/// The index of the level in a cell: the text as it is written, or without the blanks around it.
[[nodiscard]] std::optional<std::size_t> cell_level(const Feature& feature, std::string_view text);
/// Why `cell_level` has no answer: `'rents' is no level; did you mean 'rent'? (levels: ...)`.
[[nodiscard]] std::string level_fault(const Feature& feature, std::string_view text);

}  // namespace croco
