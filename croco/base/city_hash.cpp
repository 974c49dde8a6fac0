// SPDX-License-Identifier: Apache-2.0
#include <croco/base/city_hash.hpp>

#include <bit>
#include <cstddef>
#include <utility>

namespace croco {
namespace {

using Word = std::uint64_t;

constexpr Word kPrime0 = 0xc3a5c85c97cb3127;
constexpr Word kPrime1 = 0xb492b66fbe98f273;
constexpr Word kPrime2 = 0x9ae16a3b2f90404f;
constexpr Word kPrime3 = 0xc949d7c7509e6557;
constexpr Word kMix = 0x9ddfea08eb382d69;

/// Little-endian numbers in a text, whatever the machine.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : text_(text) {}

  [[nodiscard]] Word byte(std::size_t at) const { return static_cast<unsigned char>(text_[at]); }
  [[nodiscard]] Word word32(std::size_t at) const { return number(at, 4); }
  [[nodiscard]] Word word64(std::size_t at) const { return number(at, 8); }
  [[nodiscard]] std::size_t size() const { return text_.size(); }

 private:
  [[nodiscard]] Word number(std::size_t at, std::size_t count) const {
    Word out = 0;
    for (std::size_t k = count; k > 0; --k) out = out << 8 | byte(at + k - 1);
    return out;
  }

  std::string_view text_;
};

Word turned(Word word, std::size_t bits) { return std::rotr(word, static_cast<int>(bits % 64)); }

Word folded(Word word) { return word ^ word >> 47; }

Word mixed(Word low, Word high) {
  const Word first = folded((low ^ high) * kMix);
  return folded((high ^ first) * kMix) * kMix;
}

Word up_to_16(const Bytes& text) {
  const std::size_t n = text.size();
  if (n > 8) {
    const Word end = text.word64(n - 8);
    return mixed(text.word64(0), turned(end + n, n)) ^ end;
  }
  if (n >= 4) return mixed(n + (text.word32(0) << 3), text.word32(n - 4));
  if (n == 0) return kPrime2;
  const Word front = text.byte(0) + (text.byte(n / 2) << 8);
  const Word back = n + (text.byte(n - 1) << 2);
  return folded(front * kPrime2 ^ back * kPrime3) * kPrime2;
}

Word up_to_32(const Bytes& text) {
  const std::size_t n = text.size();
  const Word a = text.word64(0) * kPrime1;
  const Word b = text.word64(8);
  const Word c = text.word64(n - 8) * kPrime2;
  const Word d = text.word64(n - 16) * kPrime0;
  return mixed(turned(a - b, 43) + turned(c, 30) + d, a + turned(b ^ kPrime3, 20) - c + n);
}

using Pair = std::pair<Word, Word>;

/// 32 bytes from a place on, into two seeds. `x` and `z` are its first and last words.
Pair stirred(Word x, Word y, Word between, Word z, Word a, Word b) {
  a += x;
  b = turned(b + a + z, 21);
  const Word before = a;
  a += y + between;
  b += turned(a, 44);
  return {a + z, b + before};
}

Pair stirred(const Bytes& text, std::size_t at, Word a, Word b) {
  return stirred(text.word64(at), text.word64(at + 8), text.word64(at + 16), text.word64(at + 24),
                 a, b);
}

Word up_to_64(const Bytes& text) {
  const std::size_t n = text.size();
  const auto half = [](Word a, Word z, Word second, Word third) {
    const Word b = turned(a + z, 52);
    Word c = turned(a, 37);
    a += second;
    c += turned(a, 7);
    a += third;
    return Pair{a + z, b + turned(a, 31) + c};
  };
  const Pair v = half(text.word64(0) + (n + text.word64(n - 16)) * kPrime0, text.word64(24),
                      text.word64(8), text.word64(16));
  const Pair w = half(text.word64(16) + text.word64(n - 32), text.word64(n - 8),
                      text.word64(n - 24), text.word64(n - 16));
  const Word r = folded((v.first + w.second) * kPrime2 + (w.first + v.second) * kPrime0);
  return folded(r * kPrime0 + v.second) * kPrime2;
}

Word longer(const Bytes& text) {
  const std::size_t n = text.size();
  Word x = text.word64(0);
  Word y = text.word64(n - 16) ^ kPrime1;
  Word z = text.word64(n - 56) ^ kPrime0;
  Pair v = stirred(text, n - 64, n, y);
  Pair w = stirred(text, n - 32, n * kPrime1, kPrime0);
  z += folded(v.second) * kPrime1;
  x = turned(z + x, 39) * kPrime1;
  y = turned(y, 33) * kPrime1;
  for (std::size_t at = 0; at < (n - 1) / 64 * 64; at += 64) {
    x = turned(x + y + v.first + text.word64(at + 16), 37) * kPrime1;
    y = turned(y + v.second + text.word64(at + 48), 42) * kPrime1;
    x ^= w.second;
    y ^= v.first;
    z = turned(z ^ w.first, 33);
    v = stirred(text, at, v.second * kPrime1, x + w.first);
    w = stirred(text, at + 32, z + w.second, y);
    std::swap(z, x);
  }
  return mixed(mixed(v.first, w.first) + folded(y) * kPrime1 + z, mixed(v.second, w.second) + x);
}

}  // namespace

std::uint64_t city_hash(std::string_view text) noexcept {
  const Bytes bytes(text);
  if (text.size() <= 16) return up_to_16(bytes);
  if (text.size() <= 32) return up_to_32(bytes);
  return text.size() <= 64 ? up_to_64(bytes) : longer(bytes);
}

}  // namespace croco
