// SPDX-License-Identifier: Apache-2.0
/// The cheapest change that satisfies one smooth constraint: a trust-region sequence of linear
/// programs, each solved in closed form, or by the simplex method when there are relations.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include <croco/base/types.hpp>
#include <croco/methods/change.hpp>

namespace croco {

/// The value of a constraint `C >= 0` at a change, and its gradient there.
struct ConstraintValue {
  double value = 0.0;
  Vector gradient;
};
/// Where a model has no clear answer there is no slope either: gradients that are no numbers become
/// 0, a value that is none fails; what is too large for sums and products is cut off.
void keep_finite(ConstraintValue& at) noexcept;
using Constraint = std::function<ConstraintValue(View change)>;

struct TrustRegionOptions {
  double radius = 0.1;  ///< of the first step, in the largest coordinate
  std::size_t iterations = 60;
  /// A point counts as feasible when `C >= -tolerance * max|gradient|`; C is concave along the
  /// path, so iterates come from outside.
  double tolerance = 3e-4;
  /// Ends when a step promises less than this, in cost.
  double precision = 1e-5;
  /// Ends where it is when this is requested.
  std::stop_token stop = {};
};

struct TrustRegionResult {
  Vector change;
  double cost = 0.0;
  double constraint = 0.0;
  bool feasible = false;
  std::size_t evaluations = 0;
};

/// Minimises the merit `cost + mu max(0, -C)` from the admissible point nearest to `start`. When
/// the rows contradict each other and the intervals: not feasible, after one evaluation.
[[nodiscard]] TrustRegionResult minimise_change(const ChangeProblem& problem,
                                                const Constraint& constraint, View start,
                                                const TrustRegionOptions& options);

/// The linear program of one step: every coordinate to the value of its interval nearest to 0, then
/// spending in decreasing `|g_j| / cost_j` until the linearised constraint holds, or a unit of it
/// costs more than `mu`. Writes the next change. With rows the same program by the simplex method;
/// false when no change of the trust region satisfies them.
bool linear_step(const ChangeProblem& problem, View change, const ConstraintValue& constraint,
                 double radius, double mu, MutableView next);

}  // namespace croco
