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

/// Whether there are several ways to compare: categories that may move, a limit on the number of
/// features, prices for touching one.
[[nodiscard]] bool has_ways(const Space& space) noexcept;

/// The best change that leaves `frozen` alone. When nothing keeps the rate, the change that comes
/// nearest to it; when nothing keeps the relations, no change. Where categories may move, the best
/// over sets of moves: a beam over up to three of them, ranked by what the constraint's gradient
/// promises, or all sets of up to two when they are few. Where few features may change or touching
/// one has a price, the best over which numbers to change: all choices, or when they are many those
/// that drop numbers one by one and those that take them up one by one. The cheapest ways are
/// solved in full.
[[nodiscard]] ShortestChange shortest_change(const Problem& problem, const SearchDraws& draws,
                                             View origin, double rate,
                                             const FeatureSet& frozen = {});

}  // namespace croco
