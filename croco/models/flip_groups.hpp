// SPDX-License-Identifier: Apache-2.0
/// Draws with flips on their way through the first layer of a network. What flips do to a point's
/// pre-activations is the same for all draws with the same cells: such draws lie together in whole
/// blocks, and the shift joins the point's own. The bank does not depend on the point or its
/// levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/projected_draws.hpp>
#include <croco/space/level_flips.hpp>

namespace croco {

/// Whole blocks of draws with the same cells; the first group is that of the usual cells.
struct FlipGroup {
  std::size_t first_block = 0;
  std::size_t blocks = 0;
  std::size_t padding = 0;  ///< of the last block
  std::size_t draw = 0;     ///< one of the draws
};

struct FlipGroups {
  std::vector<FlipGroup> groups;
  std::vector<std::uint32_t> draw_of;  ///< by place in the blocks; kNoDraw for padding
  std::vector<std::uint32_t> loose;    ///< draws of groups too small for a block
  static constexpr std::uint32_t kNoDraw = ~std::uint32_t{0};
};

/// Groups `count` draws; without flips all are one group.
[[nodiscard]] FlipGroups group_flips(const DrawnFlips& flips, std::size_t count);

/// What flips add to the units of a projection around one point. Refers to both.
class FlipShifts {
 public:
  FlipShifts(const ProjectedDraws& draws, const DrawnFlips& flips, View point);

  /// `bias + W point` with the usual cells.
  [[nodiscard]] const Vector& base() const noexcept { return base_; }
  /// Adds to `units` values what the draw's cells add to the base.
  void add(std::size_t draw, double* out) const noexcept;
  /// By unit, how far flips can move a value from the base at most.
  [[nodiscard]] Vector reach() const;

 private:
  void move(std::size_t from, std::size_t to, double* out) const noexcept;

  const ProjectedDraws& draws_;
  const DrawnFlips& flips_;
  Vector base_;
  std::vector<std::size_t> levels_;  ///< of the point, by category
  std::vector<std::size_t> usual_;   ///< what they turn into in the usual cells
};

}  // namespace croco
