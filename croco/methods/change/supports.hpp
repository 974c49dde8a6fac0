// SPDX-License-Identifier: Apache-2.0
/// Which numbers to change, where only few may change or touching one has a price.
#pragma once

#include <cstddef>
#include <functional>

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/methods/change/shortest_change.hpp>
#include <croco/space/features.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// Whether it matters which numbers change, beside by how much.
[[nodiscard]] bool limits_numbers(const Space& space) noexcept;
/// The prices of touching the numbers that a change touches.
[[nodiscard]] double touch_price(const Space& space, View change) noexcept;
/// The numbers that a change touches.
[[nodiscard]] FeatureSet changed_numbers(const Space& space, View change);
/// Takes every other number out of what may change. Categories stay as they are in `changes`.
void freeze_all_except(const Space& space, const FeatureSet& numbers, ChangeProblem& changes);

/// What may be chosen.
struct SupportChoice {
  const Space& space;
  const ChangeProblem& changes;
  std::size_t most = 0;  ///< numbers at most
};

/// Solves for the change of a set of numbers alone.
using SolveSupport = std::function<ShortestChange(const FeatureSet& numbers)>;

/// Asks `solve` for the sets of numbers that are worth a look; it remembers what it likes. All sets
/// of the largest size when they are few (of all sizes where touching has a price: fewer may be
/// cheaper); otherwise those that drop one number at a time from `free`, what changes when all
/// may, and those that take up one at a time, by what is best at each step.
void search_supports(const SupportChoice& choice, const FeatureSet& free,
                     const SolveSupport& solve);

}  // namespace croco
