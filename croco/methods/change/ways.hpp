// SPDX-License-Identifier: Apache-2.0
/// Which categories to move, and which numbers to change beside them: each choice is a "way", a
/// continuous problem of its own. The walk over ways is the same whatever solves a single one:
///
/// - Sets of moves grow by one move at a time, up to three (a beam search of width 8), ranked
///   without evaluating the model by the price of the set plus an estimate of what numbers will
///   still cost. All sets of up to two moves are examined when they are at most 64.
/// - A set whose moves alone cost as much as the best known change is dropped. That loses nothing,
///   since numbers only add to the cost.
/// - Ways are compared on few samples (`sketch`), and the six cheapest are solved on all of them.
/// - With a limit on the number of features or prices for touching one, the numbers that may change
///   are chosen too (`search_supports`).
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/methods/change/level_sets.hpp>
#include <croco/methods/change/shortest_change.hpp>
#include <croco/space/features.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// Whether there are several ways to compare: categories that may move, a limit on the number of
/// features, prices for touching one.
[[nodiscard]] bool has_ways(const Space& space) noexcept;

/// What a person may change but for some features, before any way is chosen.
[[nodiscard]] ChangeProblem changes_without(const Space& space, View origin,
                                            const FeatureSet& frozen);

/// What a person may change who begins again at a recommended point, with the same categories
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
  /// The best change, on all samples.
  [[nodiscard]] virtual ShortestChange solve(ChangeProblem changes) = 0;
  /// A cheap look at the same on few samples: enough to compare ways.
  [[nodiscard]] virtual ShortestChange sketch(ChangeProblem changes) = 0;
  /// The same from a change that nearly keeps the rate, without a look at others.
  [[nodiscard]] virtual ShortestChange solve_from(ChangeProblem changes, View /*start*/) {
    return solve(std::move(changes));
  }
  /// The constraint at a change if that keeps the rate, on all samples; none when it does not. Few
  /// samples that rule it out are enough for that.
  [[nodiscard]] virtual std::optional<double> constraint_if_feasible(const ChangeProblem& changes,
                                                                     View change) = 0;
  /// About what numbers will still cost beside a set of moves, which are `change`; with a gradient
  /// of the constraint `max(0, -(C + g . change)) / max_j (|g_j| / cost_j)`. It must be nearly
  /// free: it ranks more sets than are examined.
  [[nodiscard]] virtual double estimated_numeric_cost(const LevelSet& set, View change) = 0;
  /// Whether its query budget is spent: what sketches found is then taken as it is.
  [[nodiscard]] virtual bool spent() const noexcept { return false; }
  /// Evaluations so far, in whatever the solver counts.
  [[nodiscard]] virtual std::size_t evaluations() const noexcept = 0;
};

/// A person and what may change.
struct WayRequest {
  const Space& space;
  View origin;
  const ChangeProblem& changes;
  const FeatureSet& frozen;  ///< categories among them stay
  std::stop_token stop = {};
  /// For rates that numbers hardly move, such as those of models that fail at a point nearly always
  /// or nearly never: the cheapest moves that keep the rate without numbers, up to four of them,
  /// are looked for before anything else.
  bool moves_first = false;
  /// The cheapest change that keeps a higher rate, when that is known; empty otherwise. The search
  /// begins there, and nothing much cheaper is looked for.
  View known = {};
};

/// All changes worth calibrating, the best first: those that keep the rate by their cost; when
/// there are none, the one that comes nearest to it. Never empty. Where categories may move, the
/// best over sets of moves: a beam over up to three of them, ranked by what the solver expects of
/// them, or all sets of up to two when they are few. Where few features may change or touching one
/// has a price, the best over which numbers to change (`search_supports`). Ways are compared by
/// sketches and the cheapest are solved. When `stop` is requested, the best so far.
[[nodiscard]] std::vector<ShortestChange> search_ways(const WayRequest& request, WaySolver& solver);

}  // namespace croco
