// SPDX-License-Identifier: Apache-2.0
/// The version of the library, as certificates and `croco --version` state it.
#pragma once

#include <string_view>

namespace croco {

/// Such as "0.1.0".
[[nodiscard]] std::string_view version() noexcept;

}  // namespace croco
