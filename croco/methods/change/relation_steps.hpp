// SPDX-License-Identifier: Apache-2.0
/// Points that can be recommended and keep the relations: on steps where a column has them, and
/// with the relations repaired that rounding one column at a time would break. Columns without
/// steps repair what they can, which is a linear program (the nearest change that keeps the rows);
/// then single columns go to the step that lowers the total violation `sum_i max(0, excess_i)`
/// most. It is a heuristic: false means that no such point was found, not that there is none.
#pragma once

#include <optional>

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// The nearest change that keeps the rows and leaves every stepped column where it is; none when
/// the other columns cannot make up for them.
[[nodiscard]] std::optional<Vector> repaired_between_steps(const Space& space,
                                                           const ChangeProblem& changes,
                                                           View change);

/// Rounds as `round` does. Where that breaks a relation, columns without steps make up for it if
/// they can; otherwise single columns go to the step that repairs most, the cheapest of equals,
/// until all relations hold. False when that leads nowhere: the point is then rounded one column at
/// a time and breaks a relation.
[[nodiscard]] bool round_within_relations(const Space& space, const ChangeProblem& changes,
                                          View origin, MutableView point, Rounding rounding);
/// The same for all that a person at `origin` may change.
[[nodiscard]] bool round_within_relations(const Space& space, View origin, MutableView point,
                                          Rounding rounding);

}  // namespace croco
