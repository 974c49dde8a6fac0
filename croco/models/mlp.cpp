// SPDX-License-Identifier: Apache-2.0
#include <croco/models/mlp.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

void require_sound(const std::vector<DenseLayer>& layers) {
  if (layers.empty()) throw ModelError("the network has no layers; it needs at least 1");
  const auto finite = [](double value) { return std::isfinite(value); };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const DenseLayer& layer = layers[i];
    if (layer.inputs == 0 || layer.outputs == 0 ||
        layer.weight.size() != layer.inputs * layer.outputs || layer.bias.size() != layer.outputs) {
      throw ModelError(
          fmt::format("layer {}: {} weights and {} biases do not make {} outputs of {} inputs", i,
                      layer.weight.size(), layer.bias.size(), layer.outputs, layer.inputs));
    }
    if (i > 0 && layer.inputs != layers[i - 1].outputs) {
      throw ModelError(fmt::format("layer {} has {} inputs; layer {} has {} outputs", i,
                                   layer.inputs, i - 1, layers[i - 1].outputs));
    }
    if (!std::ranges::all_of(layer.weight, finite) || !std::ranges::all_of(layer.bias, finite)) {
      throw ModelError(fmt::format("layer {} has a weight that is not a finite number", i));
    }
  }
  if (layers.back().outputs != 1) {
    throw ModelError(
        fmt::format("the last layer has {} outputs; it must have 1", layers.back().outputs));
  }
}

}  // namespace

Mlp::Mlp(std::vector<DenseLayer> layers, Activation hidden_activation)
    : layers_(std::move(layers)), activation_(hidden_activation) {
  require_sound(layers_);
}

std::size_t Mlp::parameter_count() const noexcept {
  std::size_t count = 0;
  for (const DenseLayer& layer : layers_) count += layer.weight.size() + layer.bias.size();
  return count;
}

void Mlp::logits(Rows rows, MutableView out) const {
  constexpr std::size_t kBlock = 64;
  DensePass pass(layers_, activation_);
  Vector inputs(width() * std::min(kBlock, out.size()));
  for (std::size_t begin = 0; begin < out.size(); begin += kBlock) {
    const std::size_t n = std::min(kBlock, out.size() - begin);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < width(); ++j) inputs[j * n + k] = rows[begin + k][j];
    }
    pass.run(inputs.data(), n);
    std::copy_n(pass.values(layers_.size() - 1).begin(), n, out.begin() + std::ptrdiff_t(begin));
  }
}

double Mlp::logit_gradient(View point, MutableView gradient) const {
  DensePass pass(layers_, activation_);
  pass.run(point.data(), 1);
  Vector slopes{1.0};
  pass.run_back(slopes, 1, [](std::size_t, const Vector&) {});
  std::ranges::fill(gradient, 0.0);
  for (std::size_t h = 0; h < slopes.size(); ++h) {
    add_scaled(&layers_[0].weight[h * width()], slopes[h], width(), gradient.data());
  }
  return pass.values(layers_.size() - 1)[0];
}

}  // namespace croco
