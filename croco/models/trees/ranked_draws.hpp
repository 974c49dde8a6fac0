// SPDX-License-Identifier: Apache-2.0
/// Samples laid out for trees: numbers by their ranks, flips by their cells. A tree asks of sample
/// k only whether `x_j + e_kj <= limit`. With the distinct values of column j sorted, that is
///
///     rank(e_kj) < cut,    cut = #{v : x_j + v <= limit},
///
/// because rounding a sum in double precision never reverses an order: the answers are exactly
/// those of the sums. Ranks are 15-bit numbers that never change; for a new point only one cut per
/// condition does, and one comparison of 16-bit lanes gives a bit for each of many samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/kernels/bit_trees.hpp>
#include <croco/space/level_flips.hpp>

namespace croco {

/// Ranks have 15 bits.
inline constexpr std::size_t kMostRanked = 32'767;

/// Blocks that hold this many samples.
[[nodiscard]] constexpr std::size_t tree_blocks(std::size_t draws) noexcept {
  return (draws + kTreeBlock - 1) / kTreeBlock;
}

/// The samples of one column, by rank: "at most this limit" is then "of a rank below this cut" for
/// every point, exactly as sums in double precision have it. Immutable.
class RankedColumn {
 public:
  /// At least one sample, at most kMostRanked.
  RankedColumn(Rows draws, std::size_t column);

  [[nodiscard]] const std::int16_t* block(std::size_t index) const noexcept {
    return ranks_.data() + index * kTreeBlock;
  }
  /// How many of the distinct values v have `point + v <= limit`.
  [[nodiscard]] std::int16_t cut(double point, double limit) const noexcept;

 private:
  std::vector<std::int16_t> ranks_;
  Vector sorted_;                      ///< distinct
  std::vector<std::uint32_t> starts_;  ///< where to begin to look, at equal steps
  double low_ = 0;
  double scale_ = 0;
};

/// Which samples fell into each cell of each category. A cell says what every level turns into, so
/// a condition on the category has one answer per cell and level. Immutable.
class CellBits {
 public:
  /// Of samples `first .. first + count - 1`.
  CellBits(const DrawnFlips& flips, std::size_t first, std::size_t count);

  struct Cell {
    std::uint32_t cell = 0;
    std::size_t bits = 0;
  };
  /// The cells of a category that occur.
  [[nodiscard]] std::span<const Cell> of(std::size_t category) const noexcept {
    return std::span(cells_).subspan(begin_[category], begin_[category + 1] - begin_[category]);
  }
  [[nodiscard]] const DrawBits& bits(const Cell& cell, std::size_t block) const noexcept {
    return bits_[cell.bits + block];
  }

 private:
  std::size_t blocks_;
  std::vector<Cell> cells_;
  std::vector<std::size_t> begin_;
  std::vector<DrawBits> bits_;
};

}  // namespace croco
