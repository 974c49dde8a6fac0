// SPDX-License-Identifier: Apache-2.0
/// A fully connected layer in single precision, as the kernels take it.
#pragma once

#include <vector>

#include <croco/models/network/dense.hpp>

namespace croco {

/// Weights smaller than this count as 0 in single precision, where subnormal numbers are slow. Who
/// bounds errors has to add what their products would have been.
inline constexpr double kLeastWeight = 1e-30;
[[nodiscard]] constexpr bool counts_as_zero(double weight) noexcept {
  // A little more, for the rounding to single precision.
  return weight < 1.001 * kLeastWeight && weight > -1.001 * kLeastWeight;
}

/// With its transpose for the way back. Weights below kLeastWeight are 0.
struct FloatLayer {
  std::vector<float> weight = {};
  std::vector<float> transposed = {};
  std::vector<float> bias = {};

  FloatLayer() = default;
  explicit FloatLayer(const DenseLayer& layer);
};

}  // namespace croco
