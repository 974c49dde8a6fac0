// SPDX-License-Identifier: Apache-2.0
/// The cheapest change of numbers that keeps a rate on a bank of samples, for one person whose
/// categories are settled: `min cost(d)` subject to `OrderStatistic >= 0`, which is not convex. So
/// it is a multi-start local search, coarse to fine: trust-region runs on 512 samples from no
/// change (with a small and a large first radius) and from the four cheapest changes of a single
/// column; the best two that differ are polished on the whole bank. Columns whose steps are long
/// against the cost are then fixed on the steps around the optimum and the others solved again.
#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/certified/order_statistic.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/methods/change/shortest_change.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Looks for one change; made anew for each.
class NumericSearch {
 public:
  /// `bank` is fixed at the levels that `changes` lead to. What is given must outlive it.
  /// When `stop` is requested, the best so far is the answer.
  NumericSearch(const Problem& problem, const NoiseBank& bank, View origin, double rate,
                ChangeProblem changes, std::stop_token stop = {});

  /// The best of several starts, ranked on a few samples of the bank and polished on all of them:
  /// one start alone ends in a local optimum for every tenth person.
  [[nodiscard]] ShortestChange solve();
  /// From one start, near which an answer is expected.
  [[nodiscard]] ShortestChange solve_from(View start);
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
