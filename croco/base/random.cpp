// SPDX-License-Identifier: Apache-2.0
#include <croco/base/random.hpp>

#include <utility>

#include <Random123/philox.h>

namespace croco {

std::array<std::uint32_t, 4> random_words(const Stream& stream, std::uint64_t index,
                                          std::uint32_t block) noexcept {
  // Counter: 32 bits of the index | 8 more, purpose, block | item. Key: the seed.
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  const std::uint32_t middle = ((high(index) & 0xffU) << 24U) |
                               (static_cast<std::uint32_t>(stream.purpose) << 16U) |
                               (block & 0xffffU);
  const r123::Philox4x32::ctr_type counter{
      {low(index), middle, low(stream.item), high(stream.item)}};
  const r123::Philox4x32::key_type key{{low(stream.seed), high(stream.seed)}};
  const auto words = r123::Philox4x32{}(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

std::uint32_t Sequence::word() noexcept {
  if (used_ == words_.size()) {
    words_ = random_words(stream_, index_++, 0);
    used_ = 0;
  }
  return words_[used_++];
}

std::uint32_t Sequence::below(std::uint32_t bound) noexcept {
  // Words in the last, incomplete cycle of `bound` would favour small values.
  const std::uint32_t excess = (0U - bound) % bound;  // 2^32 mod bound
  std::uint32_t value = word();
  while (value < excess) value = word();
  return value % bound;
}

void Sequence::shuffle(std::span<std::size_t> values) noexcept {
  for (std::size_t last = values.size(); last > 1; --last) {
    std::swap(values[last - 1], values[below(static_cast<std::uint32_t>(last))]);
  }
}

}  // namespace croco
