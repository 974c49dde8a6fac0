// SPDX-License-Identifier: Apache-2.0
/// Bytes as text (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace croco {

[[nodiscard]] std::string base64(std::string_view bytes);
/// The bytes again; nothing for any other text, blanks included.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace croco
