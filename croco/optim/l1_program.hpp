// SPDX-License-Identifier: Apache-2.0
/// The point nearest to 0 in weighted L1 that satisfies a few linear rows: a small linear program,
/// by the bounded dual simplex on a dense tableau. Each column is its value nearest to 0 plus a way
/// up less a way down, both between 0 and the ends of the box, so |x_j| becomes linear. With these
/// at 0 and the slacks as the basis all reduced costs are the costs themselves, which are above 0:
/// dual feasible, so no first phase is needed. What is left is to repair the violated rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <croco/base/types.hpp>

namespace croco {

/// `coefficients . x <= bound`.
struct ProgramRow {
  View coefficients;  ///< one per column
  double bound = 0.0;
  /// What a unit above the bound costs; infinite when the row must hold.
  double penalty = std::numeric_limits<double>::infinity();
};

/// Minimises `sum_j costs_j |x_j| + sum_i penalty_i max(0, row_i . x - bound_i)` subject to
/// `lower_j <= x_j <= upper_j` and the rows that must hold.
struct L1Program {
  View costs;  ///< > 0
  View lower;  ///< may be infinite
  View upper;  ///< not below `lower`; may be infinite
  std::vector<ProgramRow> rows;
};

enum class ProgramVerdict : std::uint8_t {
  optimal,
  infeasible,  ///< no point of the box satisfies the rows that must hold
  unfinished,  ///< the limit of the iterations was reached, which rounding errors alone can do
};

struct L1Solution {
  ProgramVerdict verdict = ProgramVerdict::unfinished;
  Vector point = {};  ///< with `optimal`; columns that need not move are at exactly their value
                      ///< nearest to 0
  double cost = 0.0;  ///< `sum_j costs_j |point_j|`, without penalties
  /// With `infeasible`: a factor >= 0 for every row such that no point of the box satisfies the sum
  /// of the rows times their factors. The rows with a factor above 0 contradict each other and the
  /// box; usually no one of them can be left out.
  Vector conflict = {};
  std::size_t iterations = 0;
};

/// Solves the program exactly up to rounding: rows hold to 1e-10 of their largest coefficient.
/// Deterministic. An iteration takes the most violated row and buys what it lacks from the
/// variables with the least reduced cost per gain; those that do not suffice go to their other end
/// on the way and stay out of the basis (the bound-flipping ratio test, or long-step rule, of the
/// dual simplex; Maros 2003). With a single row that is the greedy fractional knapsack, in one
/// iteration. After `long_steps` iterations, far more than programs need, the smallest index
/// decides (Bland 1977), which cannot cycle. When all variables together cannot repair a row, its
/// multipliers are a Farkas certificate: `conflict`.
[[nodiscard]] L1Solution solve(const L1Program& program, std::size_t long_steps = 400);

}  // namespace croco
