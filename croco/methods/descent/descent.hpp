// SPDX-License-Identifier: Apache-2.0
/// The loop that the published methods share: blocks of Adam steps (`optim/adam`) on
///
///     loss(x') + lambda sum_j cost_j |x'_j - x_j|,
///
/// whose lambda is lowered by `lambda_step` after each block that did not satisfy the method's
/// stopping rule (supplement of the paper: from 1 by .25): first near points, then farther ones.
/// The L1 term enters by its subgradient `lambda cost_j sign(x'_j - x_j)`. Unless it runs as
/// published, every step is projected onto what is admissible: the ranges, then the relations.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/methods/method.hpp>
#include <croco/methods/search.hpp>
#include <croco/optim/adam.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// The published code accepts a rate (PROBE) or a bound on it (CROCO) this much above the target.
inline constexpr double kPublishedSlack = 0.01;

struct DescentOptions {
  double learning_rate = 0.01;
  double lambda = 1.0;
  double lambda_step = 0.25;
  std::size_t block_steps = 200;
  std::size_t max_blocks = 1;
  /// As the published code: every numeric column moves without bounds, lambda may turn negative.
  bool as_published = false;
};

/// The part of a method's options that the loop takes.
template <typename MethodOptions>
[[nodiscard]] DescentOptions descent_options(const MethodOptions& options) {
  return {.learning_rate = options.learning_rate,
          .lambda = options.lambda,
          .lambda_step = options.lambda_step,
          .block_steps = options.block_steps,
          .max_blocks = options.max_blocks,
          .as_published = options.as_published};
}

/// One person on the way down. Many can be led step by step together.
class Descent {
 public:
  /// The problem and the origin must outlive it.
  Descent(const Problem& problem, View origin, const DescentOptions& options);

  [[nodiscard]] View origin() const noexcept { return origin_; }
  [[nodiscard]] View point() const noexcept { return result_.point; }
  [[nodiscard]] bool done() const noexcept { return done_; }
  /// Steps along the gradient of the loss without its L1 term, which is spent on the way.
  void step(MutableView gradient);
  /// After the steps of a block: ends the search when the rule holds or no block is left, and
  /// lowers lambda otherwise.
  void end_block(const Judgement& judgement);
  void finish(const Judgement& judgement);
  void cancel();
  [[nodiscard]] const Counterfactual& result() const noexcept { return result_; }

 private:
  /// Brings the point back to the relations; false when nothing keeps them.
  [[nodiscard]] bool keep_relations();

  const Space& space_;
  View origin_;
  DescentOptions options_;
  ChangeProblem changes_;
  Adam adam_;
  Counterfactual result_;
  bool done_ = false;
};

/// The parts in which the methods differ.
struct Objective {
  /// Sets the gradient of the loss without its L1 term; `step` counts from 0 within the block.
  std::function<void(View point, std::size_t step, MutableView gradient)> gradient;
  /// The stopping rule, asked at the end of each block.
  std::function<Judgement(View point)> judge;
  /// When set: ends the search after any step at which it holds.
  std::function<bool(View point)> stops_at;
};

/// Runs the loop from `origin`, inside what is admissible (but between steps) unless it runs as
/// published; infeasible at once when nothing that the person may change keeps the relations.
[[nodiscard]] Counterfactual descend(const Problem& problem, View origin,
                                     const DescentOptions& options, const Objective& objective,
                                     const std::stop_token& stop);

}  // namespace croco
