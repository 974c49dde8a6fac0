// SPDX-License-Identifier: Apache-2.0
#include <croco/base/unicode.hpp>

#include <algorithm>
#include <cstdint>

namespace croco {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) noexcept {
  return static_cast<unsigned char>(text[at]);
}

/// Length of the well-formed character at `at`, 0 when there is none (Unicode, table 3-7).
std::size_t character_at(std::string_view text, std::size_t at) noexcept {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  if (length == 0 || length > text.size() - at) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    const unsigned byte = byte_at(text, at + k);
    if (byte < low || byte > high) return 0;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto put_rest = [&](std::uint32_t shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | (code >> 6U));
    put_rest(0);
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
    put_rest(6);
    put_rest(0);
  } else {
    put(0xF0U | (code >> 18U));
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

bool begins_as_utf16(std::string_view bytes) noexcept {
  return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
}

std::string utf8_of_utf16(std::string_view bytes) {
  constexpr char kInvalid = '\xFF';
  const bool little = bytes.starts_with("\xFF\xFE");
  const auto unit_at = [&](std::size_t at) -> std::uint32_t {
    const unsigned first = byte_at(bytes, at);
    const unsigned second = byte_at(bytes, at + 1);
    return little ? second << 8U | first : first << 8U | second;
  };
  const auto is_in = [](std::uint32_t unit, std::uint32_t first) {
    return unit >= first && unit < first + 0x400U;
  };
  std::string out;
  out.reserve(bytes.size());
  std::size_t at = 2;
  for (; at + 1 < bytes.size(); at += 2) {
    const std::uint32_t unit = unit_at(at);
    if (is_in(unit, 0xD800)) {
      const std::uint32_t next = at + 3 < bytes.size() ? unit_at(at + 2) : 0;
      if (is_in(next, 0xDC00)) {
        append_utf8(0x10000U + ((unit - 0xD800U) << 10U) + (next - 0xDC00U), out);
        at += 2;
        continue;
      }
      out += kInvalid;
    } else if (is_in(unit, 0xDC00)) {
      out += kInvalid;
    } else {
      append_utf8(unit, out);
    }
  }
  if (at < bytes.size()) out += kInvalid;
  return out;
}

std::size_t count_characters(std::string_view text) noexcept {
  // Every byte but those that continue a character.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

}  // namespace croco
