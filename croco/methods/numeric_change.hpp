// SPDX-License-Identifier: Apache-2.0
/// The cheapest change of numbers that keeps a rate on a bank of draws, for one person whose
/// categories are settled.
#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/change.hpp>
#include <croco/methods/order_statistic.hpp>
#include <croco/methods/trust_region.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

struct ShortestChange {
  Vector change = {};
  /// What the person may still change: columns with coarse steps are fixed on one, categories on
  /// the level that was chosen, and what must be left alone where it is.
  ChangeProblem changes = {};
  bool feasible = false;  ///< the rate is kept on the bank
  double cost = 0.0;      ///< of the change, categories included
  double constraint = 0.0;
  std::size_t evaluations = 0;
};

/// Feasible ones first, by their cost; among the others those that come nearer to the rate.
[[nodiscard]] bool is_better(const ShortestChange& a, const ShortestChange& b) noexcept;

/// Looks for one change; made anew for each.
class NumericSearch {
 public:
  /// `bank` is fixed at the levels that `changes` lead to. What is given must outlive it.
  /// When `stop` is requested, the best so far is the answer.
  NumericSearch(const Problem& problem, const NoiseBank& bank, View origin, double rate,
                ChangeProblem changes, std::stop_token stop = {});

  /// The best of several starts, ranked on a few draws of the bank and polished on all of them: one
  /// start alone ends in a local optimum for every tenth person.
  [[nodiscard]] ShortestChange solve();
  /// From few starts on this bank alone: enough to compare sets of moves.
  [[nodiscard]] ShortestChange sketch();

 private:
  [[nodiscard]] OrderStatistic statistic(std::size_t samples) const;
  void take(TrustRegionResult result);
  [[nodiscard]] TrustRegionResult minimise(OrderStatistic& statistic, const ChangeProblem& changes,
                                           const Vector& start, TrustRegionOptions options);
  [[nodiscard]] std::vector<TrustRegionResult> ranked();
  [[nodiscard]] TrustRegionResult polished(const std::vector<TrustRegionResult>& found);
  void reach_further();
  void fix_coarse_steps();

  const Problem& problem_;
  const NoiseBank& bank_;
  View origin_;
  double rate_;
  std::stop_token stop_;
  OrderStatistic whole_;
  ShortestChange out_;
};

/// The largest difference of a coordinate.
[[nodiscard]] double distance_between(View a, View b) noexcept;

}  // namespace croco
