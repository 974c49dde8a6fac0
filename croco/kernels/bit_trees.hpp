// SPDX-License-Identifier: Apache-2.0
/// Decision trees on 512 draws at a time: a split is one bit of every draw, so that trees are logic
/// on words of 512 bits, without a branch that depends on data. Whole numbers and bits throughout:
/// all instruction sets give the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <croco/kernels/aligned.hpp>

namespace croco {

/// Draws of a block.
inline constexpr std::size_t kTreeBlock = 512;
/// Leaf values are rounded to whole numbers whose sum takes this many bits.
inline constexpr std::size_t kTreePlanes = 20;

/// A bit for each draw of a block.
struct alignas(kCacheLine) DrawBits {
  std::array<std::uint64_t, kTreeBlock / 64> words{};

  [[nodiscard]] bool operator[](std::size_t draw) const noexcept {
    return (words[draw / 64] >> (draw % 64) & 1) != 0;
  }
  void set(std::size_t draw) noexcept { words[draw / 64] |= std::uint64_t{1} << (draw % 64); }
};

/// Trees as logic. The draws that reach each node of a tree have a slot: slot 0 is the root, and
/// split k of the tree sends those that reach it into slot `2 k + 1` (its condition holds) or
/// `2 k + 2`.
struct BitForest {
  struct Tree {
    std::uint32_t splits = 0;
    std::uint32_t planes = 0;
    std::uint32_t leaves = 0;
  };
  struct Leaf {
    double value = 0.0;
    std::uint32_t slot = 0;
  };
  /// A slot or a condition as an offset in words of 64 bits, ready to be added to a pointer.
  using Place = std::uint32_t;
  [[nodiscard]] static constexpr Place place(std::size_t number) noexcept {
    return static_cast<Place>(number * (kTreeBlock / 64));
  }
  std::vector<Tree> trees;
  /// Slot and condition of every split, parents before children.
  std::vector<Place> splits;
  /// For every plane of every tree: how many slots, always even, and the slots whose draws have
  /// this bit in their leaf's value.
  std::vector<Place> lists;
  /// All leaves, as they are.
  std::vector<Leaf> leaves;
  std::size_t slots = 1;  ///< of the largest tree; one more is always empty
};

/// `out[i]` gets the draws whose rank is below `cuts[i]`. 512 ranks.
void ranks_below(const std::int16_t* ranks, std::span<const std::int16_t> cuts, DrawBits* out);
/// `out[i]` gets the rows whose value is at most `limits[i]`. 512 values.
void values_at_most(const double* values, std::span<const double> limits, DrawBits* out);

/// Room for `sum_trees` and `add_leaves`: `forest.slots + 1` words.
using TreeSlots = std::vector<DrawBits>;

/// The sums of the rounded leaf values, as kTreePlanes planes of bits. The lowest `skipped` bits of
/// each tree's value are left out.
void sum_trees(const BitForest& forest, const DrawBits* conditions, std::size_t skipped,
               TreeSlots& slots, DrawBits* planes);
/// The draws whose sum is at most `limit`.
[[nodiscard]] DrawBits sums_at_most(const DrawBits* planes, std::int64_t limit);
/// `out[k] = offset + step * sum`, 512 of them.
void plane_values(const DrawBits* planes, float offset, float step, float* out);

/// Adds to `sums[k]` the leaf values of draw k as they are, in the order of the trees.
void add_leaves(const BitForest& forest, const DrawBits* conditions, TreeSlots& slots,
                double* sums);
/// The same in single precision.
void add_leaves(const BitForest& forest, const DrawBits* conditions, TreeSlots& slots, float* sums);

}  // namespace croco
