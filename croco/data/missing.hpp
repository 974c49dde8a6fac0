// SPDX-License-Identifier: Apache-2.0
/// What counts as "no value" in a data file.
#pragma once

#include <string_view>

namespace croco {

/// An empty field, `NA`, `N/A`, `?`, `nan` or `null`, in any case and with blanks around it.
[[nodiscard]] bool is_missing(std::string_view field) noexcept;

}  // namespace croco
