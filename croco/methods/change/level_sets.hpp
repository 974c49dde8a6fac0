// SPDX-License-Identifier: Apache-2.0
/// Sets of moves of categories, each of another category, that a recommendation may combine. A set
/// S fixes the one-hot columns of its categories, at the price of its moves; what is left is a
/// problem of numbers alone,
///
///     cost = sum of the prices in S + sum_j cost_j |d_j|,
///
/// so a search over few sets, each with a continuous solve, replaces a mixed-integer one. The price
/// of S alone bounds the cost of everything with these moves from below.
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/space/features.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// One category and the level that it moves to.
struct LevelChoice {
  std::size_t group = 0;
  std::size_t to = 0;

  auto operator<=>(const LevelChoice&) const = default;
};

struct LevelSet {
  std::vector<LevelChoice> moves = {};  ///< by group
  double price = 0.0;

  bool operator==(const LevelSet& other) const { return moves == other.moves; }
};

/// Every set with one more move than `set`, from a person's levels; `frozen` categories stay.
[[nodiscard]] std::vector<LevelSet> extended(const Space& space, View origin, const LevelSet& set,
                                             const FeatureSet& frozen = {});

/// The moves between a person and a point.
[[nodiscard]] LevelSet levels_between(const Space& space, View origin, View point);

/// What the person may change beside the moves: their columns are fixed where they lead, at a cost
/// that is their price.
[[nodiscard]] ChangeProblem with_levels(const Space& space, View origin, ChangeProblem changes,
                                        const LevelSet& set);

/// The change that is left when nothing else is done: what is fixed, and 0 in all other columns.
[[nodiscard]] Vector fixed_change(const ChangeProblem& changes);

}  // namespace croco
