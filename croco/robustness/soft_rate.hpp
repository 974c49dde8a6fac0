// SPDX-License-Identifier: Apache-2.0
/// The soft recourse invalidation rate (section 4.1 of the paper): the mean probability of the
/// unwanted class under noise,
///
///     Theta(x') = E[1 - f(x' + e)],
///
/// with f the probability of the wanted class. Unlike the rate it is differentiable. An invalid
/// sample has 1 - f >= 1 - t, so `rate <= Theta / (1 - t)` (proposition 1, Markov's inequality).
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// The estimate of eq. 5, `mean_k (1 - f(point + e_k))` over `count` samples of the bank from
/// `first` on. `scratch` is resized and reused.
[[nodiscard]] double soft_rate(const NoiseBank& bank, const Goal& goal, View origin, View point,
                               std::size_t first, std::size_t count, std::vector<float>& scratch);

/// The same, and its gradient: `-(1/K) sum_k f_k (1 - f_k) d z_k / d point`, with z_k the logit of
/// the wanted class, since `df/dz = f (1 - f)`.
[[nodiscard]] double soft_rate_gradient(const NoiseBank& bank, const Goal& goal, View origin,
                                        View point, std::size_t first, std::size_t count,
                                        std::vector<float>& scratch, MutableView gradient);

}  // namespace croco
