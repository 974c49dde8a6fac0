// SPDX-License-Identifier: Apache-2.0
/// Logistic probabilities of many logits, in single precision and without fused operations: the
/// same bits on every instruction set. Accurate to about 2e-7.
#pragma once

#include <span>

namespace croco {

/// The sum of `1 / (1 + exp(sign * logits[k]))`, in double.
[[nodiscard]] double logistic_sum(std::span<const float> logits, float sign) noexcept;

/// The same, and `slopes[k] = factor * p_k (1 - p_k)`. `slopes` may be `logits` itself.
double logistic_slopes(std::span<const float> logits, float sign, float factor,
                       float* slopes) noexcept;

}  // namespace croco
