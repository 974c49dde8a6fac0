// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/float_layer.hpp>

#include <cmath>
#include <cstddef>

namespace croco {

FloatLayer::FloatLayer(const DenseLayer& layer)
    : weight(layer.weight.begin(), layer.weight.end()),
      transposed(layer.weight.size()),
      bias(layer.bias.begin(), layer.bias.end()) {
  // Weights that training has decayed to almost nothing.
  for (float& value : weight) {
    if (std::abs(value) < static_cast<float>(kLeastWeight)) value = 0;
  }
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    for (std::size_t i = 0; i < layer.inputs; ++i) {
      transposed[i * layer.outputs + o] = weight[o * layer.inputs + i];
    }
  }
}

}  // namespace croco
