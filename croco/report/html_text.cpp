// SPDX-License-Identifier: Apache-2.0
#include <croco/report/html_text.hpp>

#include <array>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>
#include <openssl/evp.h>

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
  constexpr std::size_t kBytes = 32;
  const std::string digits = sha256(text);
  std::array<unsigned char, kBytes> digest{};
  for (std::size_t k = 0; k < kBytes; ++k) {
    std::from_chars(&digits[2 * k], &digits[2 * k] + 2, digest[k], 16);
  }
  std::array<unsigned char, 4 * ((kBytes + 2) / 3) + 1> encoded{};
  EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(kBytes));
  return fmt::format("'sha256-{}'", reinterpret_cast<const char*>(encoded.data()));
}

}  // namespace croco
