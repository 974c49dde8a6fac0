// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/layer_pass.hpp>

#include <algorithm>
#include <cmath>

#include <croco/kernels/dense_block.hpp>
#include <croco/kernels/relu_bank.hpp>

namespace croco {

LayerRoute::LayerRoute(const FloatNetwork& network, const Vector& shift) {
  for (std::size_t u = 0; u < network.layers.front().outputs; ++u) {
    units.push_back(static_cast<std::uint32_t>(u));
  }
  set_shifts(shift);
}

LayerRoute::LayerRoute(const FloatNetwork& network, const Vector& shift, const Vector& reach) {
  const bool sparse = network.layers.size() > 1 && network.activation == Activation::relu;
  for (std::size_t u = 0; u < network.layers.front().outputs; ++u) {
    // A little room for the roundings of both.
    if (sparse && shift[u] + reach[u] < -1e-5 * std::abs(shift[u])) continue;
    units.push_back(static_cast<std::uint32_t>(u));
  }
  set_shifts(shift);
  if (units.size() < network.layers.front().outputs) pack(network);
}

void LayerRoute::set_shifts(const Vector& shift) {
  shifts.clear();
  for (const std::uint32_t u : units) shifts.push_back(static_cast<float>(shift[u]));
}

void LayerRoute::pack(const FloatNetwork& network) {
  const DenseLayer& next = network.layers[1];
  packed.reserve(next.outputs * units.size());
  for (std::size_t o = 0; o < next.outputs; ++o) {
    for (const std::uint32_t u : units) {
      packed.push_back(network.floats[1].weight[o * next.inputs + u]);
    }
  }
}

LayerPass::LayerPass(const FloatNetwork& network) : network_(network) {
  for (const DenseLayer& layer : network.layers) values_.emplace_back(layer.outputs * kBankBlock);
}

const float* LayerPass::forward(const LayerRoute& route, const float* projected) {
  const std::size_t depth = network_.layers.size();
  start(route, projected, depth > 1);
  for (std::size_t i = 1; i < depth; ++i) {
    const DenseLayer& layer = network_.layers[i];
    const FloatLayer& floats = network_.floats[i];
    const bool some = i == 1 && !route.packed.empty();
    const bool none = i == 1 && route.units.empty();
    dense_block(some ? route.packed.data() : floats.weight.data(), floats.bias.data(),
                some || none ? route.units.size() : layer.inputs, layer.outputs, activated(i - 1),
                values_[i].data());
    if (i + 1 < depth && network_.activation == Activation::relu) {
      relu_blocks(layer.outputs, values_[i].data());
    }
  }
  return values_.back().data();
}

void LayerPass::backward(const AlignedFloats& logit_slopes, Vector& sums) {
  slopes_.assign(logit_slopes.begin(), logit_slopes.end());
  for (std::size_t i = network_.layers.size() - 1; i > 0; --i) {
    const DenseLayer& layer = network_.layers[i];
    back_.resize(layer.inputs * kBankBlock);
    dense_block(network_.floats[i].transposed.data(), nullptr, layer.outputs, layer.inputs,
                slopes_.data(), back_.data());
    slope_through(values_[i - 1], layer.inputs);
    slopes_.swap(back_);
  }
  add_block_sums(sums.size(), slopes_.data(), sums.data());
}

/// The first layer's values, activated unless they are the logits already.
void LayerPass::start(const LayerRoute& route, const float* projected, bool hidden) {
  if (hidden && network_.activation == Activation::relu) {
    shifted_relu_blocks(route.units, projected, route.shifts.data(), values_[0].data());
    return;
  }
  for (std::size_t v = 0; v < values_[0].size(); ++v) {
    values_[0][v] = route.shifts[v / kBankBlock] + projected[v];
  }
}

/// The activated values of a hidden layer. ReLU layers are stored activated: the sign that the way
/// back needs is still there.
const float* LayerPass::activated(std::size_t layer) {
  if (network_.activation == Activation::relu) return values_[layer].data();
  activated_.resize(values_[layer].size());
  std::ranges::transform(values_[layer], activated_.begin(), [this](float value) {
    return static_cast<float>(activate(network_.activation, static_cast<double>(value)));
  });
  return activated_.data();
}

void LayerPass::slope_through(const AlignedFloats& values, std::size_t units) {
  if (network_.activation == Activation::relu) {
    relu_mask_blocks(units, values.data(), back_.data());
    return;
  }
  for (std::size_t v = 0; v < back_.size(); ++v) {
    back_[v] *=
        static_cast<float>(activation_slope(network_.activation, static_cast<double>(values[v])));
  }
}

}  // namespace croco
