// SPDX-License-Identifier: Apache-2.0
/// Changes of a person's point: what is admissible, what they cost.
#pragma once

#include <vector>

#include <croco/base/types.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// `min sum_j cost_j |d_j|` subject to `C(d) >= 0` and `lower_j <= d_j <= upper_j`.
struct ChangeProblem {
  std::vector<Interval> intervals;  ///< of the change, around 0
  Vector costs;                     ///< > 0
};

/// What a person at `origin` may change, at which prices.
[[nodiscard]] ChangeProblem change_problem(const Space& space, View origin);
/// `sum_j cost_j |d_j|`.
[[nodiscard]] double cost_of(const ChangeProblem& problem, View change) noexcept;
/// `factor * change`, inside the intervals.
[[nodiscard]] Vector scaled_change(const ChangeProblem& problem, View change, double factor);
/// `origin + change`.
[[nodiscard]] Vector moved(View origin, View change);

}  // namespace croco
