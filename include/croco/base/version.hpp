// SPDX-License-Identifier: Apache-2.0
/// The version of the library, as certificates and `croco --version` state it.
///
///     std::cout << croco::version();  // "0.1.0"
#pragma once

#include <string_view>

#include <croco/base/export.hpp>

namespace croco {

/// Such as "0.1.0".
[[nodiscard]] CROCO_EXPORT std::string_view version() noexcept;

}  // namespace croco
