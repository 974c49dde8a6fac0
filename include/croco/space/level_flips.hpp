// SPDX-License-Identifier: Apache-2.0
/// What becomes of categories that are got wrong: a level turns into another with stated
/// probabilities. One uniform number per category decides, whatever the level is: [0, 1) is cut
/// into cells so fine that within a cell every level has one fate. A sample is thus taken before
/// any person or level is known.
///
///     // a category of three levels turns into another one in 2 of 100 cases
///     const croco::OneHotGroup housing{.first = 4, .count = 3};
///     noise.flips.push_back(croco::LevelFlips::uniform(housing, 0.02, {true, true, true}));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// One category and its transition matrix. Immutable.
class CROCO_EXPORT LevelFlips {
 public:
  /// `transition` is [true level][what it turns into], `group.count` squared. Throws
  /// InvalidArgument naming the row, the value and the rule: a size that does not fit, a number
  /// that is not within 0 .. 1, a row whose sum is off 1 by more than 1e-9.
  LevelFlips(const OneHotGroup& group, Vector transition);
  /// Turns into each of the other levels that are `targets` alike, together with `probability`.
  /// Throws InvalidArgument for a probability outside 0 .. 1, or no other target to turn into.
  [[nodiscard]] static LevelFlips uniform(const OneHotGroup& group, double probability,
                                          const std::vector<bool>& targets);

  [[nodiscard]] const OneHotGroup& group() const noexcept { return group_; }
  [[nodiscard]] const Vector& transition() const noexcept { return transition_; }
  [[nodiscard]] double probability(std::size_t from, std::size_t to) const noexcept {
    return transition_[from * group_.count + to];
  }
  /// The same with every probability of a change times `factor`, 0 .. 1.
  [[nodiscard]] LevelFlips scaled(double factor) const;

  /// Cells of [0, 1), in their order.
  [[nodiscard]] std::size_t cells() const noexcept { return ends_.size(); }
  /// The cell that most samples fall into.
  [[nodiscard]] std::size_t usual() const noexcept { return usual_; }
  [[nodiscard]] std::size_t cell_of(double uniform) const noexcept {
    return uniform >= usual_begin_ && uniform < ends_[usual_] ? usual_ : other_cell_of(uniform);
  }
  /// What a level turns into when the sample is in the cell.
  [[nodiscard]] std::size_t target(std::size_t cell, std::size_t level) const noexcept;

  bool operator==(const LevelFlips& other) const {
    return group_ == other.group_ && transition_ == other.transition_;
  }

 private:
  /// One row's fates in the order in which [0, 1) is dealt out: staying first, so that the cells in
  /// which something happens lie together for all levels.
  struct Fates {
    Vector ends;  ///< ascending; the last is 1
    std::vector<std::uint32_t> targets;
  };

  [[nodiscard]] std::size_t other_cell_of(double uniform) const noexcept;

  OneHotGroup group_;
  Vector transition_;
  std::vector<Fates> rows_;
  Vector ends_;  ///< of the cells, ascending; the last is 1
  std::size_t usual_ = 0;
  double usual_begin_ = 0;
};

/// The cells that samples fell into, one for each category. The categories must outlive it.
struct DrawnFlips {
  std::span<const LevelFlips> categories = {};
  std::vector<std::uint32_t> cells = {};  ///< [sample][category]

  [[nodiscard]] bool empty() const noexcept { return categories.empty(); }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t draw) const noexcept {
    return std::span(cells).subspan(draw * categories.size(), categories.size());
  }
};

/// Adds to a sample what turns the point's levels into those that its cells say: -1 and +1, so that
/// a point that is one-hot stays exactly that.
CROCO_EXPORT void add_flips(std::span<const LevelFlips> categories,
                            std::span<const std::uint32_t> cells, View point,
                            MutableView draw) noexcept;

}  // namespace croco
