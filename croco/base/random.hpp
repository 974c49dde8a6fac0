// SPDX-License-Identifier: Apache-2.0
/// Counter-based random numbers: a draw is a pure function of (seed, purpose, item, index), never
/// of the thread, the batch, the order or the machine. Philox4x32-10 (Salmon et al., SC 2011).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <croco/base/purpose.hpp>

namespace croco {

/// A family of draws.
struct Stream {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::search;
  /// The person, where draws are not shared between people; kShared otherwise.
  std::uint64_t item = 0;

  /// The item of draws that all people share.
  static constexpr std::uint64_t kShared = ~std::uint64_t{0};

  bool operator==(const Stream&) const = default;
};

/// Four random words. `index` < 2^40 counts draws, `block` < 2^16 the words within a draw.
[[nodiscard]] std::array<std::uint32_t, 4> random_words(const Stream& stream, std::uint64_t index,
                                                        std::uint32_t block) noexcept;

/// The middle of a word's cell: a uniform number strictly between 0 and 1.
[[nodiscard]] constexpr double to_uniform(std::uint32_t word) noexcept {
  return (static_cast<double>(word) + 0.5) * 0x1p-32;
}

/// Consecutive numbers of a stream, for the places that need a sequence (splits, shuffles, initial
/// weights).
class Sequence {
 public:
  explicit Sequence(Stream stream) noexcept : stream_(stream) {}
  [[nodiscard]] std::uint32_t word() noexcept;
  /// Uniform in (0, 1).
  [[nodiscard]] double uniform() noexcept { return to_uniform(word()); }
  /// Uniform in 0 .. bound - 1, without bias; 0 < bound < 2^32.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept;
  /// A uniformly random order, in place.
  void shuffle(std::span<std::size_t> values) noexcept;

 private:
  Stream stream_;
  std::uint64_t index_ = 0;
  std::array<std::uint32_t, 4> words_{};
  std::size_t used_ = 4;
};

}  // namespace croco
