// SPDX-License-Identifier: Apache-2.0
/// A network and draws of the noise, made ready for bounds that hold for many people and points at
/// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/proof/change_region.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/space/level_flips.hpp>

namespace croco {

/// Why the margins of this model cannot be bounded, in a clause; empty when they can. It takes a
/// network of ReLU or leaky ReLU units of any depth, or none (logistic regression), whose one-hot
/// columns move as levels alone.
[[nodiscard]] std::string_view network_obstacle(const Problem& problem);
/// The same for margins under noise, which must not depend on the point.
[[nodiscard]] std::string_view margin_obstacle(const Problem& problem);

/// A category that advice may move or that noise may flip.
struct DrawnCategory {
  OneHotGroup group = {};
  const LevelFlips* flips = nullptr;  ///< the problem's; null when there are none
};

/// A network and draws, the latter projected through its first layer once for all people. Levels
/// are not part of that: what becomes of them is kept as the cells that the draws fell into, and
/// draws with the same cells share a pattern. The draw behind the last one is no noise at all.
/// Immutable and thread-safe.
class DrawnNetwork {
 public:
  /// Requires that the network is no obstacle. Keeps a reference to the problem.
  DrawnNetwork(const Problem& problem, Rows draws, const DrawnFlips& flips = {});

  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  [[nodiscard]] const Mlp& network() const noexcept { return network_; }
  [[nodiscard]] std::size_t draws() const noexcept { return draws_; }
  /// The columns of numbers that may move, in their order.
  [[nodiscard]] const std::vector<std::size_t>& movable() const noexcept { return movable_; }
  [[nodiscard]] const std::vector<DrawnCategory>& categories() const noexcept {
    return categories_;
  }

  /// What a draw adds to the first pre-activations; `draws()` is the number of no noise.
  [[nodiscard]] const double* projected(std::size_t draw) const noexcept {
    return &projected_[draw * network_.layers().front().outputs];
  }
  [[nodiscard]] double largest() const noexcept { return largest_; }

  /// The cell of no flip at all, whatever the level.
  static constexpr std::uint32_t kNoFlip = ~std::uint32_t{0};
  [[nodiscard]] std::size_t patterns() const noexcept { return patterns_; }
  [[nodiscard]] std::size_t pattern_of(std::size_t draw) const noexcept { return pattern_[draw]; }
  /// The cells of a pattern, by category.
  [[nodiscard]] std::span<const std::uint32_t> cells(std::size_t pattern) const noexcept {
    return std::span(cells_).subspan(pattern * categories_.size(), categories_.size());
  }
  /// What a level of a category turns into.
  [[nodiscard]] std::size_t target(std::size_t category, std::uint32_t cell,
                                   std::size_t level) const noexcept {
    const LevelFlips* flips = categories_[category].flips;
    return cell == kNoFlip || flips == nullptr ? level : flips->target(cell, level);
  }

 private:
  void project(Rows draws);
  void find_patterns(const DrawnFlips& flips);

  const Problem& problem_;
  const Mlp& network_;
  std::size_t draws_;
  std::vector<std::size_t> movable_;
  std::vector<DrawnCategory> categories_;
  Vector projected_;    ///< [draw][unit of the first layer]
  double largest_ = 0;  ///< the greatest sum of sizes that makes one of them
  std::size_t patterns_ = 0;
  std::vector<std::uint32_t> pattern_;  ///< by draw
  std::vector<std::uint32_t> cells_;    ///< [pattern][category]
};

/// A network with the first draws of `Purpose::prove`; `person` names those that are not shared.
[[nodiscard]] DrawnNetwork draw_for_proof(const Problem& problem, std::size_t samples,
                                          std::uint64_t person);

/// All that may be recommended to a person: the sides of the columns that may move, counted from
/// the person's values, and the levels of the categories. Steps do not count.
[[nodiscard]] ChangeRegion admissible_region(const DrawnNetwork& network, View origin);
/// The least prices of the columns that may move, per unit. The prices of touching a value, and
/// what a curve costs above its least, are left out: a bound on what remains is a bound on the
/// whole.
[[nodiscard]] Vector movable_costs(const DrawnNetwork& network, View origin);
/// The change between a person and a point.
[[nodiscard]] RegionChange change_between(const DrawnNetwork& network, View origin, View point);

}  // namespace croco
