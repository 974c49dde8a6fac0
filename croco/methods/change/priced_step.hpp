// SPDX-License-Identifier: Apache-2.0
/// One step of a trust region where the price of a unit depends on the value: prices are
/// piecewise linear in the change but need not be convex, so the step is no linear program. Branch
/// and bound over separable functions (Falk and Soland 1969): replace each column's price by its
/// convex envelope on the region, the lower hull of its knots, which makes a linear program with a
/// variable for each stretch of the hull. Its optimum bounds the step from below; where the price
/// at that point lies above the envelope, the column with the widest gap is cut there, and both
/// halves have tighter envelopes.
#pragma once

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>

namespace croco {

/// Minimises, over the changes within `radius` of `change` that keep the rows,
///
///     sum_j price_j(next_j) + mu max(0, -(value + gradient . (next - change))),
///
/// to a thousandth of the optimum, unless that takes more than about 25 parts of the region. `mu`
/// may be infinite. False when no change within the radius keeps the rows.
bool priced_step(const ChangeProblem& problem, View change, double value, View gradient,
                 double radius, double mu, MutableView next);

/// By column: the mean price of a unit within `radius` of a change; above 0.
[[nodiscard]] Vector local_prices(const ChangeProblem& problem, View change, double radius);

}  // namespace croco
