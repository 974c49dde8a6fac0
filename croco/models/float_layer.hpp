// SPDX-License-Identifier: Apache-2.0
/// A fully connected layer in single precision, as the kernels take it.
#pragma once

#include <vector>

#include <croco/models/dense.hpp>

namespace croco {

/// With its transpose for the way back. Weights below 1e-30 are 0.
struct FloatLayer {
  std::vector<float> weight = {};
  std::vector<float> transposed = {};
  std::vector<float> bias = {};

  FloatLayer() = default;
  explicit FloatLayer(const DenseLayer& layer);
};

}  // namespace croco
