// SPDX-License-Identifier: Apache-2.0
/// PROBE's closed form of the invalidation rate (Pawelczyk et al., ICLR 2023). To first order the
/// margin at x' + e is `margin(x') + J . e`, Gaussian with the variance `s^2 = sum_j (scale_j
/// J_j)^2`, so that
///
///     rate(x') = P(margin + J . e <= 0) = 1 - Phi(margin / s).
///
/// Exact for a linear model under Gaussian noise; for others the boundary bends away from its
/// tangent, and the rate may be too low. It is about the numeric noise alone, as published: flips
/// of categories are in certificates, not in this rate.
#pragma once

#include <croco/base/types.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

struct ProbeRate {
  double rate = 0.0;
  double logit = 0.0;  ///< of the model at the point
};

/// `rate = 1 - Phi(margin / s)` with `s = sqrt(sum_j (scale_j J_j)^2)`, J the gradient of the logit
/// and `scales` the standard deviations of the columns. `slope` is set to the gradient of the rate
/// with J taken as constant, `-phi(margin / s) / s * sign * J`, and `logit_slope` to J. With s = 0
/// the rate is 0 or 1. Requires a model with a gradient.
[[nodiscard]] ProbeRate probe_rate(const Problem& problem, View scales, View point,
                                   MutableView slope, MutableView logit_slope);

/// Throws InvalidArgument when the closed form does not apply: noise that is not Gaussian, depends
/// on the point, or a model without a gradient.
void require_probe_applies(const Problem& problem);

}  // namespace croco
