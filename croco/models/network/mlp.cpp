// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/mlp.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/error.hpp>
#include <croco/models/network/mlp_evaluators.hpp>

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

/// The largest number that any sum within the network can be, for inputs up to `reach`: no
/// activation makes a number larger, but for those below 1.
double largest_sum(const std::vector<DenseLayer>& layers, double reach) {
  double largest = reach;
  for (const DenseLayer& layer : layers) {
    double next = 1;
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      double sum = std::abs(layer.bias[o]);
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        sum += std::abs(layer.weight[o * layer.inputs + i]) * reach;
      }
      next = std::max(next, sum);
    }
    reach = next;
    largest = std::max(largest, next);
  }
  return largest;
}

/// Far beyond every encoded value.
constexpr double kLargestInput = 1e9;
/// Sums up to here, and those of draws beside them, fit into single and double precision.
constexpr double kMostSingle = 1e35;
constexpr double kMostDouble = 1e300;

/// One row through a layer; the sums run as they do for a batch, to the same bits.
void affine_row(const DenseLayer& layer, const double* in, Vector& out) {
  out.assign(layer.bias.begin(), layer.bias.end());
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    const double* weights = &layer.weight[o * layer.inputs];
    double sum = out[o];
    for (std::size_t i = 0; i < layer.inputs; ++i) sum += weights[i] * in[i];
    out[o] = sum;
  }
}

}  // namespace

Mlp::Mlp(std::vector<DenseLayer> layers, Activation hidden_activation)
    : layers_(std::move(layers)), activation_(hidden_activation) {
  require_sound(layers_);
  const double largest = largest_sum(layers_, kLargestInput);
  if (!(largest <= kMostDouble)) {
    throw ModelError(
        fmt::format("the weights of the network are so large that its sums reach {:.3g}; at most "
                    "{:g} are allowed for inputs up to {}",
                    largest, kMostDouble, kLargestInput));
  }
  single_ = largest <= kMostSingle;
  if (layers_.size() == 1) linear_ = {layers_.front().weight, layers_.front().bias.front()};
}

std::size_t Mlp::parameter_count() const noexcept {
  std::size_t count = 0;
  for (const DenseLayer& layer : layers_) count += layer.weight.size() + layer.bias.size();
  return count;
}

ModelDescription Mlp::describe() const {
  std::vector<std::size_t> units{width()};
  for (const DenseLayer& layer : layers_) units.push_back(layer.outputs);
  const std::string_view activation = units.size() > 2 ? name_of(activation_) : "linear";
  return {.structure = fmt::format("{}, {}", fmt::join(units, " - "), activation),
          .parameters = parameter_count(),
          .projects_samples = true};
}

void Mlp::logits(Rows rows, MutableView out) const {
  if (out.size() == 1) {
    out[0] = logit_of_row(rows[0]);
    return;
  }
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

double Mlp::logit_of_row(View point) const {
  Vector values;
  Vector before(point.begin(), point.end());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    affine_row(layers_[i], before.data(), values);
    if (i + 1 == layers_.size()) break;
    before.resize(values.size());
    std::ranges::transform(values, before.begin(),
                           [this](double value) { return activate(activation_, value); });
  }
  return values[0];
}

double Mlp::logit_gradient(View point, MutableView gradient) const {
  std::vector<Vector> values(layers_.size());  // pre-activations
  Vector before(point.begin(), point.end());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    affine_row(layers_[i], before.data(), values[i]);
    before.resize(values[i].size());
    std::ranges::transform(values[i], before.begin(),
                           [this](double value) { return activate(activation_, value); });
  }
  Vector slopes{1.0};
  for (std::size_t i = layers_.size() - 1; i > 0; --i) {
    const DenseLayer& layer = layers_[i];
    before.assign(layer.inputs, 0.0);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      const double* weights = &layer.weight[o * layer.inputs];
      for (std::size_t h = 0; h < layer.inputs; ++h) before[h] += weights[h] * slopes[o];
    }
    for (std::size_t h = 0; h < layer.inputs; ++h) {
      before[h] *= activation_slope(activation_, values[i - 1][h]);
    }
    slopes.swap(before);
  }
  std::ranges::fill(gradient, 0.0);
  for (std::size_t h = 0; h < slopes.size(); ++h) {
    if (slopes[h] == 0) continue;
    const double* weights = &layers_[0].weight[h * width()];
    for (std::size_t j = 0; j < width(); ++j) gradient[j] += weights[j] * slopes[h];
  }
  return values.back()[0];
}

std::unique_ptr<DrawEvaluator> Mlp::bind(Rows draws) const { return bind_flips(draws, {}); }

std::unique_ptr<DrawEvaluator> Mlp::bind_flips(Rows draws, DrawnFlips flips) const {
  std::unique_ptr<DrawEvaluator> bound;
  if (single_) {
    const bool shallow = layers_.size() == 2 && activation_ == Activation::relu;
    bound = shallow ? bind_shallow_relu(*this, draws, flips) : bind_layers(*this, draws, flips);
  }
  return bound ? std::move(bound) : Model::bind_flips(draws, std::move(flips));
}

}  // namespace croco
