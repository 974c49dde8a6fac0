// SPDX-License-Identifier: Apache-2.0
/// The moves between levels that advice may recommend, from a feature's schema.
#pragma once

#include <string>
#include <vector>

#include <croco/data/schema.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// The listed moves, or those that `movement` allows: any other level for `both`, higher or lower
/// ones for `up` and `down`, at the feature's cost for each level that is passed. Levels in
/// `unseen` are offered only by listed moves.
[[nodiscard]] std::vector<LevelMove> category_moves(const Feature& feature,
                                                    const std::vector<std::string>& unseen);

}  // namespace croco
