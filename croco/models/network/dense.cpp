// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/dense.hpp>

#include <algorithm>

#include <croco/base/multiversion.hpp>

namespace croco {
namespace {

// Sums over items run in this many interleaved partial sums, added in a fixed order: wide on every
// machine, equal on all.
constexpr std::size_t kLanes = 8;

double total(const double (&partial)[kLanes]) noexcept {
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
         ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

/// `out = bias + weight * in`.
void affine(const DenseLayer& layer, const double* in, std::size_t items, Vector& out) {
  out.resize(layer.outputs * items);
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    double* row = &out[o * items];
    std::fill_n(row, items, layer.bias[o]);
    const double* weight = &layer.weight[o * layer.inputs];
    std::size_t h = 0;
    // The same sums in the same order, with a quarter of the traffic.
    for (; h + 4 <= layer.inputs; h += 4) {
      const double* const four[4] = {in + h * items, in + (h + 1) * items, in + (h + 2) * items,
                                     in + (h + 3) * items};
      const double factor[4] = {weight[h], weight[h + 1], weight[h + 2], weight[h + 3]};
      add_scaled_four(four, factor, items, row);
    }
    for (; h < layer.inputs; ++h) {
      add_scaled(in + h * items, weight[h], items, row);
    }
  }
}

}  // namespace

CROCO_MULTIVERSION void add_scaled(const double* __restrict in, double factor, std::size_t count,
                                   double* __restrict out) noexcept {
  for (std::size_t k = 0; k < count; ++k) out[k] += factor * in[k];
}

CROCO_MULTIVERSION void add_scaled_four(const double* const (&in)[4], const double (&factor)[4],
                                        std::size_t count, double* __restrict out) noexcept {
  const double* __restrict a = in[0];
  const double* __restrict b = in[1];
  const double* __restrict c = in[2];
  const double* __restrict d = in[3];
  for (std::size_t k = 0; k < count; ++k) {
    out[k] =
        (((out[k] + factor[0] * a[k]) + factor[1] * b[k]) + factor[2] * c[k]) + factor[3] * d[k];
  }
}

CROCO_MULTIVERSION double weighted_sum(const double* __restrict in,
                                       const double* __restrict weights,
                                       std::size_t count) noexcept {
  double partial[kLanes] = {};
  std::size_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      partial[lane] += weights[k + lane] * in[k + lane];
    }
  }
  for (std::size_t lane = 0; k < count; ++k, ++lane) partial[lane] += weights[k] * in[k];
  return total(partial);
}

void DensePass::run(const double* inputs, std::size_t items) {
  affine(layers_[0], inputs, items, values_[0]);
  run_from(1, items);
}

void DensePass::run_from(std::size_t layer, std::size_t items) {
  for (; layer < layers_.size(); ++layer) {
    activated(layer, scratch_);
    affine(layers_[layer], scratch_.data(), items, values_[layer]);
  }
}

void DensePass::activated(std::size_t layer, Vector& out) const {
  const Vector& before = values_[layer - 1];
  out.resize(before.size());
  if (activation_ == Activation::relu) {  // the common case, in a loop that vectorises
    std::ranges::transform(before, out.begin(), [](double x) { return x <= 0 ? 0.0 : x; });
  } else {
    std::ranges::transform(before, out.begin(),
                           [this](double x) { return activate(activation_, x); });
  }
}

void DensePass::step_back(std::size_t layer, Vector& slopes, std::size_t items) {
  const DenseLayer& dense = layers_[layer];
  scratch_.assign(dense.inputs * items, 0.0);
  for (std::size_t o = 0; o < dense.outputs; ++o) {
    for (std::size_t h = 0; h < dense.inputs; ++h) {
      add_scaled(&slopes[o * items], dense.weight[o * dense.inputs + h], items,
                 &scratch_[h * items]);
    }
  }
  const Vector& before = values_[layer - 1];
  if (activation_ == Activation::relu) {  // the common case, in a loop that vectorises
    for (std::size_t v = 0; v < scratch_.size(); ++v) scratch_[v] *= before[v] > 0 ? 1.0 : 0.0;
  } else {
    for (std::size_t v = 0; v < scratch_.size(); ++v) {
      scratch_[v] *= activation_slope(activation_, before[v]);
    }
  }
  slopes.swap(scratch_);
}

}  // namespace croco
