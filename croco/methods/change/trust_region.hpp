// SPDX-License-Identifier: Apache-2.0
/// The cheapest change that satisfies one smooth constraint, `min cost(d)` subject to `C(d) >= 0`
/// and the box: a trust-region sequence of linear programs on the exact l1 penalty (Fletcher's
/// Sl1QP without its quadratic term; Nocedal and Wright 2006, section 18.5). Around d with
/// g = dC/dd, a step minimises the model of the merit `cost + mu max(0, -C)`,
///
///     min_n  sum_j cost_j |n_j| + mu max(0, -(C + g . (n - d))),   |n_j - d_j| <= radius_j,
///
/// and is taken when the merit falls by at least a tenth of what the model predicts. Where that
/// ratio is high the radius doubles, where it is low it shrinks. A linear program costs about
/// nothing beside one evaluation of C, and a few steps suffice because C is nearly linear.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>

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
  /// Of the first step, in the largest coordinate. A large one finds far optima, a small one stays
  /// near the start; searches try both.
  double radius = 0.1;
  std::size_t iterations = 60;  ///< at most; 4 to 6 are usual
  /// A point counts as feasible when `C >= -tolerance * max_j |g_j| / cost_j`: C is concave along
  /// the path, so iterates come from outside, and calibration repairs what is missing. Demanding
  /// C >= 0 would make good runs look failed.
  double tolerance = 3e-4;
  /// Ends when a step is predicted to gain less than this, in cost, or the radius falls below ten
  /// times this.
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

/// Minimises the merit `cost + mu max(0, -C)` from the admissible point nearest to `start`, with
/// `mu = penalty / max_j (|g_j| / cost_j)`: missing the constraint costs `penalty` times what the
/// cheapest column takes to gain it. The penalty begins at 3, so that useless columns stay where
/// they are, and rises when a run gets stuck outside. Returns the cheapest feasible point seen.
/// When the rows contradict each other and the intervals: not feasible, after one evaluation.
[[nodiscard]] TrustRegionResult minimise_change(const ChangeProblem& problem,
                                                const Constraint& constraint, View start,
                                                const TrustRegionOptions& options);

/// The linear program of one step, in closed form: every coordinate goes to the value of its
/// interval nearest to 0, then coordinates are spent in decreasing yield `|g_j| / cost_j` until the
/// linearised constraint holds. That is a fractional knapsack, for which the greedy order is
/// optimal (Dantzig 1957). It stops at `mu |g_j| / cost_j <= 1`, where the penalty is cheaper than
/// the gain: otherwise a constraint out of reach would fill every useless coordinate. Writes the
/// next change. With rows the same program by the simplex method; false when no change of the trust
/// region satisfies them.
bool linear_step(const ChangeProblem& problem, View change, const ConstraintValue& constraint,
                 double radius, double mu, MutableView next);

}  // namespace croco
