// SPDX-License-Identifier: Apache-2.0
/// Whole steps near a change, for columns that only take them.
#pragma once

#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/trust_region.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// Whether a change moves a column that has steps.
[[nodiscard]] bool has_steps(const Space& space, View change) noexcept;

/// Whether every column that a change moves has steps.
[[nodiscard]] bool only_steps(const Space& space, View change) noexcept;

/// Admissible changes around `change`: its stepped columns on the steps just inside and outside of
/// it and one step beyond either, in all combinations (of the three columns that weigh most; the
/// others go outward). Distinct, cheapest first.
[[nodiscard]] std::vector<Vector> whole_step_changes(const Space& space,
                                                     const ChangeProblem& changes, View origin,
                                                     View change);

}  // namespace croco
