// SPDX-License-Identifier: Apache-2.0
#include <croco/report/html_text.hpp>

#include <charconv>
#include <cstddef>

#include <fmt/format.h>

#include <croco/base/base64.hpp>
#include <croco/base/sha256.hpp>

namespace croco {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string source_hash(std::string_view text) {
  const std::string digits = sha256(text);
  std::string digest;
  for (std::size_t k = 0; k < digits.size(); k += 2) {
    unsigned char byte = 0;
    std::from_chars(&digits[k], &digits[k] + 2, byte, 16);
    digest += static_cast<char>(byte);
  }
  return fmt::format("'sha256-{}'", base64(digest));
}

}  // namespace croco
