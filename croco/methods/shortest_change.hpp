// SPDX-License-Identifier: Apache-2.0
/// The cheapest change that keeps a rate on a small bank of draws, before any calibration.
#pragma once

#include <cstddef>

#include <croco/base/types.hpp>
#include <croco/methods/change.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

struct ShortestChange {
  Vector change = {};
  /// What the person may still change: columns with coarse steps are fixed on one, categories on
  /// the level that was chosen.
  ChangeProblem changes = {};
  bool feasible = false;  ///< the rate is kept on the bank
  double cost = 0.0;      ///< of the change, categories included
  double constraint = 0.0;
  std::size_t evaluations = 0;
};

/// Draws that a person's search looks at.
struct SearchDraws {
  const NoiseBank& whole;
  /// The first of them alone, on which sets of moves are compared; the whole bank where no category
  /// may move.
  const NoiseBank& coarse;
};

/// The best of several starts, ranked on a few draws of the bank and polished on all of them: one
/// start alone ends in a local optimum for every tenth person. When nothing keeps the rate, the
/// change that comes nearest to it; when nothing keeps the relations, no change. Where categories
/// may move, the best over sets of moves: a beam over up to three of them, ranked by what the
/// constraint's gradient promises, or all sets of up to two when they are few; the cheapest ones
/// are solved in full.
[[nodiscard]] ShortestChange shortest_change(const Problem& problem, const SearchDraws& draws,
                                             View origin, double rate);

/// The largest difference of a coordinate.
[[nodiscard]] double distance_between(View a, View b) noexcept;

}  // namespace croco
