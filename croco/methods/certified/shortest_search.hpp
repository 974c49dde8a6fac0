// SPDX-License-Identifier: Apache-2.0
/// The cheapest change that keeps a rate on a small bank of draws, before any calibration.
#pragma once

#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/certified/numeric_change.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/space/features.hpp>

namespace croco {

/// Draws that a person's search looks at.
struct SearchDraws {
  const NoiseBank& whole;
  /// The first of them alone, on which ways to go about it are compared; the whole bank where there
  /// is one way only.
  const NoiseBank& coarse;
};

/// Changes that leave `frozen` alone, the best first. When nothing keeps the rate, the change that
/// comes nearest to it; when nothing keeps the relations, no change. Where there are several ways
/// to go about it, the best of each that was solved (`search_ways`). When `stop` is requested, what
/// was found by then. `known`, if not
/// empty, is the cheapest change that keeps a higher rate.
[[nodiscard]] std::vector<ShortestChange> shortest_changes(const Problem& problem,
                                                           const SearchDraws& draws, View origin,
                                                           double rate, const FeatureSet& frozen,
                                                           const std::stop_token& stop,
                                                           View known = {});
/// The first of them.
[[nodiscard]] ShortestChange shortest_change(const Problem& problem, const SearchDraws& draws,
                                             View origin, double rate,
                                             const FeatureSet& frozen = {},
                                             const std::stop_token& stop = {});

}  // namespace croco
