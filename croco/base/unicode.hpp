// SPDX-License-Identifier: Apache-2.0
/// Encodings of text: what is UTF-8, and how UTF-16 becomes it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace croco {

/// Where `text` stops being UTF-8: the first byte that begins no well-formed character (RFC 3629:
/// shortest forms only, no surrogates, nothing above U+10FFFF). Nothing when all of it is UTF-8.
[[nodiscard]] std::optional<std::size_t> first_invalid_utf8(std::string_view text) noexcept;

/// UTF-16 as UTF-8; the first two bytes are the byte order mark, which is dropped. A surrogate
/// without its partner, or half a unit at the end, becomes the byte 0xFF, which no UTF-8 holds, so
/// that whoever checks the result finds it where it stands.
[[nodiscard]] std::string utf8_of_utf16(std::string_view bytes);
/// Whether the text begins with a byte order mark of UTF-16.
[[nodiscard]] bool begins_as_utf16(std::string_view bytes) noexcept;

/// Code points of a UTF-8 text: about what it takes on a terminal.
[[nodiscard]] std::size_t count_characters(std::string_view text) noexcept;

}  // namespace croco
