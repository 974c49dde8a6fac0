// SPDX-License-Identifier: Apache-2.0
/// The cheapest change that satisfies one linear constraint, where some columns move in steps: a
/// small mixed-integer program, by branch and bound (Land and Doig 1960), best first. A node is a
/// box of changes; without the steps its optimum has a closed form (`linear_step`; with relations
/// by the simplex method) and bounds the cost of every stepped change in it from below. A column
/// between two of its steps is branched on: one part goes no farther than the nearer step, the
/// other at least to the farther one. The first node that is all on steps is optimal, because every
/// open node has a bound that is no lower. Without relations the relaxed optimum has at most one
/// column between steps, so that few nodes are needed.
#pragma once

#include <cstddef>
#include <optional>

#include <croco/base/types.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/space/space.hpp>

namespace croco {

struct LatticeChange {
  Vector change;
  double cost = 0.0;
  std::size_t nodes = 0;  ///< relaxed problems that were solved
  bool optimal = true;    ///< false when the search was cut off; `gap` bounds what is missing
  double gap = 0.0;       ///< cost - the lowest cost that could not be excluded
};

/// Minimises `sum_j cost_j |d_j|` subject to `slope . d >= needed`, `d_j` in the column's interval
/// around `origin` and, where the column has a step, on it (or 0), and to the relations. None when
/// no admissible change gives as much. Only columns with a cheap yield move, and those that the
/// relations ask for: the others stay at exactly 0.
[[nodiscard]] std::optional<LatticeChange> cheapest_lattice_change(const Space& space, View origin,
                                                                   View slope, double needed);

/// The admissible change with the largest `slope . d`; columns without an end are left at 0. With
/// relations it is between steps, and 0 when no change keeps them.
[[nodiscard]] Vector farthest_change(const Space& space, View origin, View slope);

}  // namespace croco
