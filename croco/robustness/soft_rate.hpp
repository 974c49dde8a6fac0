// SPDX-License-Identifier: Apache-2.0
/// The soft recourse invalidation rate (section 4.1 of the paper): the mean probability of the
/// unwanted class under noise. Differentiable, and `rate <= soft rate / (1 - t)`.
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// The estimate of eq. 5, `mean_k (1 - f(point + e_k))` over `count` draws of the bank from `first`
/// on. `scratch` is resized and reused.
[[nodiscard]] double soft_rate(const NoiseBank& bank, const Goal& goal, View origin, View point,
                               std::size_t first, std::size_t count, std::vector<float>& scratch);

/// The same, and its gradient: `-(1/K) sum_k f_k (1 - f_k) d z_k / d point`.
[[nodiscard]] double soft_rate_gradient(const NoiseBank& bank, const Goal& goal, View origin,
                                        View point, std::size_t first, std::size_t count,
                                        std::vector<float>& scratch, MutableView gradient);

}  // namespace croco
