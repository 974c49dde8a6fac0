// SPDX-License-Identifier: Apache-2.0
/// The invalidation rate without draws, where it has a closed form: a linear model under two-sided
/// Gaussian noise, correlated or not, that does not depend on the point, and no flips. The margin
/// is then Gaussian itself.
#pragma once

#include <croco/base/types.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// A linear model's margin `offset + slope . x` on the wanted side, and its spread under noise.
struct LinearMargin {
  Vector slope;             ///< of the wanted side: sign * weight
  double offset = 0;        ///< sign * (bias - logit of the threshold)
  double spread = 0;        ///< sqrt(sum_j (scale_j slope_j)^2), or sqrt(slope' covariance slope)
  double least_spread = 0;  ///< what rounding may have made of it, down
  double most_spread = 0;   ///< and up
  double largest = 0;       ///< |bias| + |logit of the threshold|, for the bound on rounding errors

  [[nodiscard]] double at(View point) const noexcept;
};

struct ExactRate {
  double rate = 0.0;   ///< Phi(-margin / spread); 0 or 1 without noise
  double upper = 1.0;  ///< at least the true rate: `rate` and all that rounding may have taken off
};

/// Whether the closed form applies: a network without hidden layers, Gaussian noise, two-sided, on
/// all, continuous or movable columns, without flips, and a spread within the range of doubles.
[[nodiscard]] bool has_exact_rate(const Problem& problem);
/// Requires a problem with a closed form, whatever its spread.
[[nodiscard]] LinearMargin linear_margin(const Problem& problem);
/// Rounding errors are bounded by running sums: `upper - rate` is about 1e-14 for models of usual
/// size, and never below 1e-12 of the rate.
[[nodiscard]] ExactRate exact_rate(const Problem& problem, const LinearMargin& margin, View point);

}  // namespace croco
