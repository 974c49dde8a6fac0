// SPDX-License-Identifier: Apache-2.0
/// The sampled problem, solved to proven optimality: the cheapest change after which the model
/// gives the wanted answer and at most j = `allowed` of the K samples around it do not,
///
///     min cost(d)   subject to   z(x + d) > 0,   #{k : z(x + d + e_k) <= 0} <= j,   d in region.
///
/// Best-first branch and bound over regions R (boxes of numbers, sets of levels):
///
/// 1. Every sample gets a linear upper bound on its margin, u_k(d) >= z(x + d + e_k) for d in R
///    (`MarginBounds`, CROWN), hence a least cost at which it can be valid,
///    c_k = min{cost(d) : u_k(d) >= 0, d in R}, a fractional knapsack (`cost_to_reach`).
/// 2. A change that is cheaper than the (j+1)-th largest c_k leaves j + 1 samples invalid, so a
///    solution in R costs at least that; and at least what the point itself needs.
/// 3. R is dropped when its bound reaches the best known cost less the gap, else it is cut in two
///    where the bounds lose most.
///
/// The lowest bound of the open regions is a lower bound wherever the search ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <stop_token>

#include <croco/base/types.hpp>
#include <croco/proof/change_region.hpp>
#include <croco/proof/drawn_network.hpp>

namespace croco {

/// One person's question. Changes are of the movable columns and the categories of the network.
struct SampledProblem {
  View origin;
  View costs;           ///< by movable column, > 0
  ChangeRegion region;  ///< finite
  std::size_t allowed;  ///< j: invalid samples
};

struct BranchOptions {
  double gap = 0.005;  ///< stop when the bound is this near to the best change, relatively
  std::size_t max_boxes = 1000;  ///< regions that are bounded, about
  double floor = 0;              ///< a bound that is known already
  /// Changes that cost this or more are of no interest.
  double ceiling = std::numeric_limits<double>::infinity();
  /// A change from which to begin; shortened as far as the samples allow. Where it is no solution,
  /// it still says which samples are hard and should be bounded first.
  std::optional<RegionChange> start = {};
  /// Whether there is a solution at all is the question: ends with the first one.
  bool existence = false;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::stop_token stop = {};
};

struct BranchResult {
  /// Every change that solves the sampled problem costs at least this; at most the ceiling.
  double lower = 0;
  /// No change of the region that costs less than the ceiling solves it. Says more than `lower`
  /// only when the ceiling is above all costs of the region.
  bool exhausted = false;
  /// The cost of the best solution found on the way, if there is one.
  std::optional<double> upper = {};
  std::size_t boxes = 0;  ///< looked at
};

/// Best-first branch and bound as above. Sound whenever it stops: samples that were not bounded in
/// a region count as valid there, which can only lower its bound. A pure function of its arguments
/// but for the deadline and the stop token.
[[nodiscard]] BranchResult branch_and_bound(const DrawnNetwork& network,
                                            const SampledProblem& problem,
                                            const BranchOptions& options);

}  // namespace croco
