// SPDX-License-Identifier: Apache-2.0
/// Whole steps near a change, for columns that only take them.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// Whether a change moves a column that has steps.
[[nodiscard]] bool has_steps(const Space& space, View change) noexcept;

/// Whether every numeric column that a change moves has steps.
[[nodiscard]] bool only_steps(const Space& space, View change) noexcept;

/// The stepped columns that a change moves and whose single step costs more than a fiftieth of the
/// change, those with the most expensive steps first, at most three.
[[nodiscard]] std::vector<std::size_t> coarse_columns(const Space& space,
                                                      const ChangeProblem& changes, View change);
/// The change of a stepped column that ends on the admissible step just outside of
/// `change[column]`, or just inside of it.
[[nodiscard]] double change_on_step(const Space& space, View origin, View change,
                                    std::size_t column, bool outward);

/// Admissible changes around `change`: its stepped columns on the steps just inside and outside of
/// it and one step beyond either, in all combinations (of the three columns that weigh most; the
/// others go outward). Where that breaks a relation, with the steps that repair it; those without
/// such steps are left out. Distinct, cheapest first.
[[nodiscard]] std::vector<Vector> whole_step_changes(const Space& space,
                                                     const ChangeProblem& changes, View origin,
                                                     View change);

/// Cheaper changes on steps than `change`, which is on steps and satisfies `keeps` like they do: a
/// column goes back by a step or altogether, and the fewest steps of another that make up for it
/// are taken, again and again while it pays. Neighbours follow that go a few steps further, for
/// when fewer fail on other samples. Only columns that `change` moves take part. Cheapest first.
[[nodiscard]] std::vector<Vector> exchanged_steps(const Space& space, const ChangeProblem& changes,
                                                  View origin, View change,
                                                  const std::function<bool(View)>& keeps);

}  // namespace croco
