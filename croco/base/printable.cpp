// SPDX-License-Identifier: Apache-2.0
#include <croco/base/printable.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace croco {
namespace {

/// The bytes of the UTF-8 character at the beginning of `text`, and which one it is; no bytes when
/// it is none.
struct Character {
  std::size_t size = 0;
  char32_t code = 0;
};

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  char32_t code = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return too_long || surrogate || code > 0x10ffff ? Character{} : Character{size, code};
}

bool is_obeyed(char32_t code) {
  if (code == '\n' || code == '\t') return false;
  const bool control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
  // Marks, embeddings, overrides and isolates of the order of text; separators of lines.
  const bool order = code == 0x061c || code == 0x200e || code == 0x200f ||
                     (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return control || order;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_of(text);
    if (character.size == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    if (!is_obeyed(character.code)) {
      out += text.substr(0, character.size);
    } else if (character.code < 0x80) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(character.code));
    } else {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(character.code));
    }
    text.remove_prefix(character.size);
  }
  return out;
}

std::string excerpt(std::string_view text, std::size_t most) {
  std::size_t end = std::min(most, text.size());
  // Not within a character.
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
    --end;
  }
  std::string out(text.substr(0, end));
  std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  out = printable(out);
  if (end < text.size()) out += "...";
  return out;
}

}  // namespace croco
