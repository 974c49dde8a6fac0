// SPDX-License-Identifier: Apache-2.0
/// Linear upper bounds on a network's margin at noisy copies of a person, valid for every change of
/// a box (CROWN: Zhang et al., NeurIPS 2018). The ranges of the first layer are exact, since the
/// noise only shifts them; those of deeper layers come from interval arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/mlp.hpp>
#include <croco/proof/change_box.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Why the margins of this problem cannot be bounded, in a clause; empty when they can. It takes a
/// network of ReLU or leaky ReLU units of any depth, or none (logistic regression), noise that does
/// not depend on the point, and that categories with flips stay.
[[nodiscard]] std::string_view margin_obstacle(const Problem& problem);

/// A network and draws, the latter projected through its first layer once for all people. The draw
/// behind the last one is no noise at all. Immutable and thread-safe.
class DrawnNetwork {
 public:
  /// Requires that there is no obstacle. Keeps a reference to the problem.
  DrawnNetwork(const Problem& problem, Rows draws);

  [[nodiscard]] std::size_t draws() const noexcept { return draws_; }
  /// The columns that may move, in their order.
  [[nodiscard]] const std::vector<std::size_t>& movable() const noexcept { return movable_; }

 private:
  friend class MarginBounds;

  const Problem& problem_;
  const Mlp& network_;
  std::size_t draws_;
  std::vector<std::size_t> movable_;
  Vector projected_;  ///< [draw][unit of the first layer]
  double largest_;    ///< the greatest |projected_|
  /// By layer, [unit][movable column]: how much a column can move a unit at most, per unit.
  std::vector<Vector> influence_;
};

/// `margin at draw <= value + slopes . change` for every change of a box within a budget.
struct LinearBound {
  double value = 0;
  Vector slopes;
};

/// The bounds for one person. Not thread-safe: it keeps scratch.
class MarginBounds {
 public:
  /// Changes are of the movable columns. The slack that makes up for rounding counts on changes
  /// inside `box`, which must be finite. The network must outlive the bounds.
  MarginBounds(const DrawnNetwork& network, View origin, const ChangeBox& box);

  /// The margins of the draws after a change, in their order: > 0 on the wanted side. With one
  /// number more than there are draws, the last is the margin without noise.
  void margins(View change, MutableView out);

  /// Prepares for the changes of the box that cost at most `budget`.
  void enter(View costs, double budget, const ChangeBox& box);
  static constexpr std::size_t kLanes = 16;
  /// The bounds of up to kLanes draws, by number; `least` are lower bounds on their margins.
  void bound(std::span<const std::uint32_t> draws, std::span<LinearBound, kLanes> out,
             std::span<double, kLanes> least);
  /// By movable column: what the relaxation has lost since `enter` to the width of its side. The
  /// box should be split where this is greatest.
  [[nodiscard]] Vector blame() const;

 private:
  using Lanes = Vector;  ///< [unit][lane]

  [[nodiscard]] const double* draw(std::size_t number) const noexcept {
    return &network_.projected_[number * base_.size()];
  }

  const DrawnNetwork& network_;
  const std::vector<DenseLayer>& layers_;
  double leak_;
  double sign_;
  double offset_;  ///< margin = sign * logit + offset
  Vector base_;    ///< pre-activations of the first layer at the origin
  Matrix first_;   ///< the first layer's weights on the movable columns, [unit][column]
  double slack_;
  Vector lowest_;   ///< ranges of the first layer's change, by unit
  Vector highest_;  ///
  Vector widths_;
  std::vector<Lanes> lower_;  ///< pre-activations by layer
  std::vector<Lanes> upper_;
  Lanes at_;  ///< pre-activations of the first layer before the change
  Lanes coefficients_;
  Lanes next_;
  std::vector<Vector> lost_;  ///< by layer and unit
};

}  // namespace croco
