// SPDX-License-Identifier: Apache-2.0
/// The cheapest change that keeps a rate on a small bank of draws, before any calibration.
#pragma once

#include <croco/base/types.hpp>
#include <croco/methods/numeric_change.hpp>
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

/// The best change that leaves `frozen` alone. When nothing keeps the rate, the change that comes
/// nearest to it; when nothing keeps the relations, no change. Where there are several ways to go
/// about it, the best of them (`search_ways`).
[[nodiscard]] ShortestChange shortest_change(const Problem& problem, const SearchDraws& draws,
                                             View origin, double rate,
                                             const FeatureSet& frozen = {});

}  // namespace croco
