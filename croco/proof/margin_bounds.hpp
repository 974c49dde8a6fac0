// SPDX-License-Identifier: Apache-2.0
/// Linear upper bounds on a network's margin at noisy copies of a person, valid for every change of
/// a region (CROWN: Zhang et al., NeurIPS 2018). Given that a pre-activation a stays within [l, u],
/// with l < 0 < u, its ReLU (slope `leak` below 0) lies between two lines,
///
///     under a <= relu(a) <= u + chord (a - u),    chord = (u - leak l) / (u - l),
///
/// where under is 1 or leak, whichever line is nearer. From the output back, each unit is replaced
/// by the upper line where its coefficient is positive and by the lower one where it is negative:
/// what is left at the inputs is a linear function that is never below the margin. The ranges of
/// the first layer are exact (`linear_range`), since the noise only shifts them; those of deeper
/// layers come from interval arithmetic. A slack for rounding in double precision is added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/proof/change_region.hpp>
#include <croco/proof/drawn_network.hpp>
#include <croco/proof/level_ranges.hpp>

namespace croco {

/// The bounds for one person. Not thread-safe: it keeps scratch.
class MarginBounds {
 public:
  /// The slack that makes up for rounding counts on changes inside `region`, which must be finite.
  /// The network must outlive the bounds.
  MarginBounds(const DrawnNetwork& network, View origin, const ChangeRegion& region);

  /// The margins of the draws after a change, in their order: > 0 on the wanted side. With one
  /// number more than there are draws, the last is the margin without noise.
  void margins(const RegionChange& change, MutableView out);

  /// Prepares for the changes of the region that cost at most `budget`. The region must live until
  /// the next one is entered.
  void enter(View costs, double budget, const ChangeRegion& region);
  static constexpr std::size_t kLanes = 16;
  /// The bounds of up to kLanes draws, by number; `least` are lower bounds on their margins.
  void bound(std::span<const std::uint32_t> draws, std::span<LinearBound, kLanes> out,
             std::span<double, kLanes> least);
  /// By movable column, then by category: what the relaxation has lost since `enter` to the width
  /// of its side, and to draws that would each have another level. The region should be split where
  /// this is greatest.
  [[nodiscard]] Vector blame();

 private:
  using Lanes = Vector;  ///< [unit][lane]

  void copy_level_weights(const ChangeRegion& region);
  /// Gathers draws side by side; lanes without a draw repeat the last one.
  void gather_draws(std::span<const std::uint32_t> draws);
  /// What the levels of the region add to the bounds, from the coefficients of the first layer.
  void add_gains(std::span<const std::uint32_t> draws, std::span<LinearBound, kLanes> out);

  const DrawnNetwork& network_;
  const std::vector<DenseLayer>& layers_;
  double leak_;
  double sign_;
  double offset_;  ///< margin = sign * logit + offset
  Vector base_;    ///< pre-activations of the first layer at the origin, without categories
  Matrix first_;   ///< the first layer's weights on the movable columns, [unit][column]
  LevelRanges levels_;
  Matrix level_weights_;                  ///< the same for the columns of categories that may move
  std::vector<std::size_t> level_first_;  ///< where a category begins there
  const ChangeRegion* region_ = nullptr;
  double slack_ = 0;
  Vector lowest_;             ///< ranges of the first layer's change by numbers, by unit
  Vector highest_;            ///
  std::vector<Lanes> lower_;  ///< pre-activations by layer
  std::vector<Lanes> upper_;
  Lanes at_;  ///< pre-activations of the first layer before the change
  Lanes coefficients_;
  Lanes next_;
  std::vector<Vector> lost_;    ///< by layer and unit
  std::vector<Vector> gained_;  ///< by category and option, over the draws
  Vector most_gained_;          ///< by category, were every draw to choose its level
};

}  // namespace croco
