// SPDX-License-Identifier: Apache-2.0
/// Draws with flips on their way through the first layer of a network. What flips do to a point's
/// pre-activations is the same for all draws with the same cells: such draws lie together in whole
/// blocks, and the shift joins the point's own. The bank does not depend on the point or its
/// levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/network/projected_draws.hpp>
#include <croco/space/level_flips.hpp>

namespace croco {

/// The draws that have unusual cells, and which ones: few draws have any, and those have few.
class FlipLists {
 public:
  /// A cell of a category that is not its usual one.
  struct Entry {
    std::uint32_t category = 0;
    std::uint32_t cell = 0;
  };

  explicit FlipLists(const DrawnFlips& flips);

  /// Every entry that some draw has.
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  /// The draws with an entry, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& draws() const noexcept { return draws_; }
  /// The entries of `draws()[i]`, as indices, ascending.
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const noexcept {
    return std::span(ids_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> draws_;
  std::vector<std::uint32_t> begin_{0};
  std::vector<std::uint32_t> ids_;
};

/// Whole blocks of draws with the same entries.
struct FlipGroup {
  std::size_t first_block = 0;
  std::size_t blocks = 0;
  std::size_t padding = 0;                  ///< of the last block
  std::span<const std::uint32_t> ids = {};  ///< of the entries; none for the usual cells
};

struct FlipGroups {
  std::vector<FlipGroup> groups;
  std::vector<std::uint32_t> draw_of;  ///< by place in the blocks; kNoDraw for padding
  std::vector<std::uint32_t> loose;    ///< draws whose groups are too small for a block
  std::vector<std::uint32_t> begin;    ///< of the loose draws' entries in `ids`, and the end
  std::vector<std::uint32_t> ids;
  static constexpr std::uint32_t kNoDraw = ~std::uint32_t{0};
};

/// Groups `count` draws; without flips all are one group. Refers to the lists.
[[nodiscard]] FlipGroups group_flips(const FlipLists& lists, std::size_t count);

/// What flips add to the units of a projection around one point.
class FlipShifts {
 public:
  /// Rows are padded with zeros to a multiple of `run` units.
  FlipShifts(const ProjectedDraws& draws, const DrawnFlips& flips, const FlipLists& lists,
             View point, std::size_t run = 1);

  [[nodiscard]] std::size_t stride() const noexcept { return base_.size(); }
  /// `bias + W point` with the usual cells.
  [[nodiscard]] const Vector& base() const noexcept { return base_; }
  /// What the entries add to the base, [entry][unit].
  [[nodiscard]] const Vector& deltas() const noexcept { return deltas_; }
  [[nodiscard]] const double* delta(std::size_t entry) const noexcept {
    return &deltas_[entry * stride()];
  }
  /// The base and what the entries add to it.
  void sum(std::span<const std::uint32_t> ids, Vector& out) const;
  /// By unit, how far the entries can move a value from the base at most.
  [[nodiscard]] Vector reach() const;

 private:
  const FlipLists& lists_;
  Vector base_;
  Vector deltas_;
};

}  // namespace croco
