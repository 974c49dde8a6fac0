// SPDX-License-Identifier: Apache-2.0
/// The arithmetic of fully connected layers, for inference, bound draws and training alike. A batch
/// of n items is stored [unit][item]. Every sum runs over the units of one item in their order, so
/// that results depend neither on the batch nor on the instruction set.
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/network/activation.hpp>

namespace croco {

/// An affine map: `weight` is outputs x inputs, row-major.
struct DenseLayer {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  Vector weight;
  Vector bias;

  bool operator==(const DenseLayer&) const = default;
};

/// `out[k] += factor * in[k]`.
void add_scaled(const double* in, double factor, std::size_t count, double* out) noexcept;
/// Four of these one after the other, to the same bits, with one pass over `out`. No two of the
/// arrays overlap.
void add_scaled_four(const double* const (&in)[4], const double (&factor)[4], std::size_t count,
                     double* out) noexcept;
/// The sum of `weights[k] * in[k]`.
[[nodiscard]] double weighted_sum(const double* in, const double* weights,
                                  std::size_t count) noexcept;

/// The batch as it passes through the layers of a network; reused between batches.
class DensePass {
 public:
  DensePass(const std::vector<DenseLayer>& layers, Activation activation)
      : layers_(layers), activation_(activation), values_(layers.size()) {}

  /// The pre-activations of layer i, to be filled by the caller for `run_from(i + 1)`.
  [[nodiscard]] Vector& values(std::size_t layer) noexcept { return values_[layer]; }
  /// From inputs [unit][item] to the pre-activations of every layer.
  void run(const double* inputs, std::size_t items);
  /// The layers from `layer` on, the pre-activations before it being there.
  void run_from(std::size_t layer, std::size_t items);
  /// From `slopes` = d loss / d (last pre-activation), [unit][item], back to the pre-activations
  /// of the first layer, which `slopes` holds afterwards. `visit(layer, slopes)` sees each layer's
  /// on the way.
  template <typename Visit>
  void run_back(Vector& slopes, std::size_t items, Visit visit) {
    for (std::size_t layer = layers_.size() - 1; layer > 0; --layer) {
      visit(layer, slopes);
      step_back(layer, slopes, items);
    }
    visit(std::size_t{0}, slopes);
  }
  /// The inputs that layer > 0 saw: the activated values of the layer before.
  void activated(std::size_t layer, Vector& out) const;

 private:
  void step_back(std::size_t layer, Vector& slopes, std::size_t items);

  const std::vector<DenseLayer>& layers_;
  Activation activation_;
  std::vector<Vector> values_;
  Vector scratch_;
};

}  // namespace croco
