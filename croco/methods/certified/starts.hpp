// SPDX-License-Identifier: Apache-2.0
/// Where the search for the shortest change begins.
#pragma once

#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/certified/order_statistic.hpp>
#include <croco/methods/change/trust_region.hpp>

namespace croco {

/// The cheapest changes of one coordinate, beside those that are fixed, with no more than the
/// allowed draws invalid, at most four of them, cheapest first. Other coordinates move along as far
/// as relations demand it.
[[nodiscard]] std::vector<Vector> single_moves(const ChangeProblem& changes,
                                               OrderStatistic& statistic);

}  // namespace croco
