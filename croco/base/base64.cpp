// SPDX-License-Identifier: Apache-2.0
#include <croco/base/base64.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace croco {
namespace {

// OpenSSL's decoder skips blanks, takes lengths as int and leaves the padding to its caller.
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 64;

constexpr std::array<std::uint8_t, 256> values() {
  std::array<std::uint8_t, 256> out{};
  out.fill(kNone);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    out[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return out;
}

constexpr std::array<std::uint8_t, 256> kValues = values();

std::uint32_t byte_of(std::string_view bytes, std::size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group =
        byte_of(bytes, i) << 16 | byte_of(bytes, i + 1) << 8 | byte_of(bytes, i + 2);
    const std::size_t left = bytes.size() - i;
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += left > 1 ? kDigits[group >> 6 & 63] : '=';
    out += left > 2 ? kDigits[group & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t digits = i + 4 == text.size() ? 4 - padding : 4;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint8_t value =
          k < digits ? kValues[static_cast<unsigned char>(text[i + k])] : std::uint8_t{0};
      if (value == kNone) return std::nullopt;
      group = group << 6 | value;
    }
    // Bits that no byte holds are 0, so that every text has one meaning and every meaning one text.
    if ((digits == 2 && (group & 0xffff) != 0) || (digits == 3 && (group & 0xff) != 0)) {
      return std::nullopt;
    }
    for (std::size_t k = 0; k + 1 < digits; ++k) {
      out += static_cast<char>(group >> (16 - 8 * k) & 0xff);
    }
  }
  return out;
}

}  // namespace croco
