// SPDX-License-Identifier: Apache-2.0
/// Ways to go about a change: which categories to move, and which numbers to change beside them.
/// The walk over them is the same whatever solves a single one.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/change.hpp>
#include <croco/methods/level_sets.hpp>
#include <croco/methods/numeric_change.hpp>
#include <croco/space/features.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// Whether there are several ways to compare: categories that may move, a limit on the number of
/// features, prices for touching one.
[[nodiscard]] bool has_ways(const Space& space) noexcept;

/// What a person may change but for some features, before any way is chosen.
[[nodiscard]] ChangeProblem changes_without(const Space& space, View origin,
                                            const FeatureSet& frozen);

/// What a person may change who begins again at a point that was told, with the same categories
/// moved: no other features when they are to stay the same ones, no other numbers where which ones
/// change matters.
struct SecondStart {
  ChangeProblem changes;
  Vector change;
  FeatureSet frozen;  ///< features that any further search leaves alone
};
[[nodiscard]] SecondStart second_start(const Space& space, View origin, View point,
                                       bool same_features);

/// Solves single ways of one person. Each is given as what may still change: what it moves is
/// fixed, what it leaves alone is fixed at 0. Costs are without the prices of touching.
class WaySolver {
 public:
  virtual ~WaySolver() = default;
  /// The best change, on all draws.
  [[nodiscard]] virtual ShortestChange solve(ChangeProblem changes) = 0;
  /// A cheap look at the same on few draws: enough to compare ways.
  [[nodiscard]] virtual ShortestChange sketch(ChangeProblem changes) = 0;
  /// The constraint at a change if that keeps the rate, on all draws. Few draws that rule it out
  /// are enough for a no.
  [[nodiscard]] virtual std::optional<double> kept_by(const ChangeProblem& changes,
                                                      View change) = 0;
  /// About what numbers will still cost beside a set of moves, which are `change`. No work worth
  /// speaking of: it ranks more sets than are looked at.
  [[nodiscard]] virtual double rest_beside(const LevelSet& set, View change) = 0;
  /// Whether it may look no more: what sketches found has to do then.
  [[nodiscard]] virtual bool spent() const noexcept { return false; }
  /// Looks at draws so far, in whatever the solver counts.
  [[nodiscard]] virtual std::size_t evaluations() const noexcept = 0;
};

/// A person and what may change.
struct WayRequest {
  const Space& space;
  View origin;
  const ChangeProblem& changes;
  const FeatureSet& frozen;  ///< categories among them stay
  std::stop_token stop = {};
};

/// All changes worth calibrating, the best first: those that keep the rate by their cost; when
/// there are none, the one that comes nearest to it. Never empty. Where categories may move, the
/// best over sets of moves: a beam over up to three of them, ranked by what the solver expects of
/// them, or all sets of up to two when they are few. Where few features may change or touching one
/// has a price, the best over which numbers to change (`search_supports`). Ways are compared by
/// sketches and the cheapest are solved. When `stop` is requested, the best so far.
[[nodiscard]] std::vector<ShortestChange> search_ways(const WayRequest& request, WaySolver& solver);

}  // namespace croco
