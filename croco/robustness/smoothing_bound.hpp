// SPDX-License-Identifier: Apache-2.0
/// A lower bound on the cost of any point that meets a target, for every model under Gaussian noise
/// that does not depend on the point, with flips of categories that stay or without. The rate is
/// the model smoothed by the noise, and
///
///     h(x') = Phi^-1(1 - rate(x'))
///
/// of any classifier whatsoever is 1-Lipschitz in the L2 norm that measures columns in standard
/// deviations (Salman et al., NeurIPS 2019, lemma 2; equality holds for a half-space). A change
/// from a rate of at least `origin_rate` to one of at most `target` therefore has the length
///
///     |d / sd|_2 >= Phi^-1(1 - target) - Phi^-1(1 - origin_rate).
#pragma once

#include <string_view>

#include <croco/base/types.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Why the bound says nothing about this problem, in a clause; empty when it applies. It needs
/// two-sided Gaussian noise with a scope other than `changed`, on every column that may move: along
/// a column without noise the rate can fall at once.
[[nodiscard]] std::string_view smoothing_obstacle(const Problem& problem);

/// A lower bound on the cost of an admissible point whose rate is at most `target`, given that the
/// rate at `origin` is at least `origin_rate`; infinite when no admissible point is far enough
/// away. The least cost of that length inside the box is bounded from below: the cost is concave in
/// the squared lengths of the columns, so the chord below it is linear in them, and the cheapest
/// columns per squared length are taken first. Without ends it is `length min_j price_j sd_j`.
/// Requires that there is no obstacle, and 0 <= origin_rate < 1.
[[nodiscard]] double smoothing_bound(const Problem& problem, View origin, double origin_rate,
                                     double target);

}  // namespace croco
