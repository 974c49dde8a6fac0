// SPDX-License-Identifier: Apache-2.0
/// The sampled problem, solved to proven optimality: the cheapest change after which the model
/// gives the wanted answer and at most `allowed` of the draws around it do not.
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
  std::size_t allowed;  ///< invalid draws
};

struct BranchOptions {
  double gap = 0.005;  ///< stop when the bound is this near to the best change, relatively
  std::size_t max_boxes = 1000;
  double floor = 0;  ///< a bound that is known already
  /// Changes that cost this or more are of no interest.
  double ceiling = std::numeric_limits<double>::infinity();
  /// A change from which to begin; shortened as far as the draws allow. Where it is no solution, it
  /// still tells which draws to look at first.
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

/// Best-first branch and bound over regions. In a region every draw has a linear bound on its
/// margin, hence a least cost at which it can be valid; a solution costs at least the (allowed +
/// 1)-th largest of these. Sound whenever it stops. A pure function of its arguments but for the
/// deadline and the stop token.
[[nodiscard]] BranchResult branch_and_bound(const DrawnNetwork& network,
                                            const SampledProblem& problem,
                                            const BranchOptions& options);

}  // namespace croco
