// SPDX-License-Identifier: Apache-2.0
/// The invalidation rate without samples, where it has a closed form: a linear model under
/// two-sided Gaussian noise, correlated or not, that does not depend on the point, and no flips.
/// The margin `offset + slope . (x' + e)` is then Gaussian itself, with mean `at(x')` and standard
/// deviation
///
///     spread = sqrt(sum_j (scale_j slope_j)^2)  or  sqrt(slope' covariance slope),
///
/// so the probability that it is at most 0 is
///
///     rate(x') = Phi(-at(x') / spread).
///
/// "Rate at most target" is therefore the linear constraint `at(x') >= -Phi^-1(target) spread`.
/// Certificates by this form are certain but for rounding, which is bounded: a sum of n products is
/// off by at most about n epsilon / 2 of the sum of their magnitudes (Higham 2002, section 3.1).
#pragma once

#include <croco/base/types.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// A linear model's margin `offset + slope . x` on the wanted side, and its spread under noise:
/// the standard deviation that the noise gives it.
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
/// `upper` takes the margin less its rounding error, and the spread that makes it worst: the
/// largest for a positive margin, the smallest for a negative one. `upper - rate` is about 1e-14
/// for models of usual size, and never below 1e-12 of the rate.
[[nodiscard]] ExactRate exact_rate(const Problem& problem, const LinearMargin& margin, View point);

}  // namespace croco
