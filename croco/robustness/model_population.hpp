// SPDX-License-Identifier: Apache-2.0
/// What N models, drawn independently by a recipe and never seen by a search, say about all models
/// of that recipe. Model i fails for the share Y_i of its own noise samples, so Y_1 .. Y_N are
/// independent, lie in [0, 1], and have the joint rate over models and noise as their mean.
///
/// Failures of one model depend on each other: they share the model. A binomial bound on all N x K
/// samples together (pooled Clopper-Pearson) takes them for independent, and is wrong far more
/// often than it says. Here the models are what is independent.
#pragma once

#include <cstddef>
#include <optional>

#include <croco/base/types.hpp>

namespace croco {

/// The joint rate mu is at most U, where U is the least m with
///
///     (1/3) sum over theta in {1, .5, .2} of prod_i (1 + theta (m - Y_i) / (1 - m)) >= 1/alpha.
///
/// This is the wealth of three gamblers who bet that the rate is below m. At m = mu every factor is
/// non-negative with mean 1, so by Markov's inequality P(mu > U) <= alpha = 1 - confidence. Each
/// factor grows with m, so U is found by bisection; 1 when no m < 1 will do. Nothing is assumed of
/// the number of noise samples, since Y_i is unbiased for any. Requires at least one rate.
[[nodiscard]] double joint_upper(View rates, double confidence);
/// The mirror image, a limit from below.
[[nodiscard]] double joint_lower(View rates, double confidence);

/// The largest rate r, to 1e-6, for which N models that all fail at r bound the joint rate by
/// `target`; none when even r = 0 does not. Models that differ need a lower mean.
[[nodiscard]] std::optional<double> passing_joint_rate(std::size_t models, double target,
                                                       double confidence);
/// The same where each model fails always or never: the largest share of N that may fail.
[[nodiscard]] std::optional<double> passing_share(std::size_t models, double target,
                                                  double confidence);
/// The fewest models that bound the joint rate by `target` when all of them fail at `rate`; none
/// unless rate < target. At most 10^7.
[[nodiscard]] std::optional<std::size_t> models_for_joint(double rate, double target,
                                                          double confidence);

/// The probability with which a model whose rate is above the limit may pass for one whose rate is
/// not.
inline constexpr double kShareMiss = 0.01;
/// The failures among K samples above which a model counts as exceeding `limit`: the largest c with
/// P(Bin(K, limit) <= c) <= kShareMiss. None when even c = 0 is too likely: every model then
/// counts.
[[nodiscard]] std::optional<std::size_t> most_within_limit(std::size_t samples, double limit);
/// The share of models whose own rate exceeds the limit is at most this, when `exceeding` of N have
/// more than c failures: such a model is noticed with probability 1 - kShareMiss, so
///
///     share (1 - kShareMiss) <= P(a model has more than c failures) <= Clopper-Pearson(exceeding).
///
/// No union over models is needed.
[[nodiscard]] double share_upper(std::size_t exceeding, std::size_t models, double confidence);
/// The fewest models that bound the share by `share` when `exceeding` of them exceed the limit.
[[nodiscard]] std::size_t models_for_share(std::size_t exceeding, double share, double confidence);

}  // namespace croco
