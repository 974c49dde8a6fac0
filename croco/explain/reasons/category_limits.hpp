// SPDX-License-Identifier: Apache-2.0
/// Which categories are obstacles because they may not change, or not to every level.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/reasons/obstacle.hpp>
#include <croco/methods/lowest_rate.hpp>

namespace croco {

/// How much the margin of rank `rank` would rise at a point if a category had another level that
/// occurs in the training data but that may not be recommended to this person: the best such level
/// of every category for which there is one. In the order of the features.
[[nodiscard]] std::vector<std::pair<double, Limit>> category_limits(const Codec& codec,
                                                                    const RateMinimiser& minimiser,
                                                                    View origin, View point,
                                                                    std::size_t rank);

}  // namespace croco
