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
  Vector change;
  /// What the person may still change: columns with coarse steps are fixed on one.
  ChangeProblem changes;
  std::size_t evaluations = 0;
};

/// The best of several starts, ranked on a few draws of the bank and polished on all of them: one
/// start alone ends in a local optimum for every tenth person. When nothing keeps the rate, the
/// change that comes nearest to it; when nothing keeps the relations, no change.
[[nodiscard]] ShortestChange shortest_change(const Problem& problem, const NoiseBank& bank,
                                             View origin, double rate);

/// The largest difference of a coordinate.
[[nodiscard]] double distance_between(View a, View b) noexcept;

}  // namespace croco
