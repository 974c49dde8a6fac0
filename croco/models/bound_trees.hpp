// SPDX-License-Identifier: Apache-2.0
/// Tree ensembles on fixed draws: every split of 512 draws is one word of bits.
#pragma once

#include <memory>

#include <croco/base/types.hpp>
#include <croco/models/model.hpp>
#include <croco/models/tree_model.hpp>

namespace croco {

/// Null when the trees are too large for it.
[[nodiscard]] std::unique_ptr<BoundDraws> bind_trees(const TreeModel& model, Rows draws,
                                                     DrawnFlips flips);

}  // namespace croco
