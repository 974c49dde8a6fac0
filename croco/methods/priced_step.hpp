// SPDX-License-Identifier: Apache-2.0
/// One step of a trust region where the price of a unit depends on the value.
#pragma once

#include <croco/base/types.hpp>
#include <croco/methods/change.hpp>

namespace croco {

/// Minimises, over the changes within `radius` of `change` that keep the rows, the prices of the
/// columns plus `mu max(0, -(value + gradient . (next - change)))`: a linear program with the
/// convex envelopes of the prices, and where that is not yet the price, branch and bound over a few
/// parts of the trust region. To a thousandth, unless the parts are too many. `mu` may be infinite.
/// False when no change within the radius keeps the rows.
bool priced_step(const ChangeProblem& problem, View change, double value, View gradient,
                 double radius, double mu, MutableView next);

/// By column: the mean price of a unit within `radius` of a change; above 0.
[[nodiscard]] Vector local_prices(const ChangeProblem& problem, View change, double radius);

}  // namespace croco
