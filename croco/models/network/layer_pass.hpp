// SPDX-License-Identifier: Apache-2.0
/// A network of any depth on blocks of projected draws, in single precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/kernels/aligned.hpp>
#include <croco/models/network/float_layer.hpp>
#include <croco/models/network/mlp.hpp>

namespace croco {

/// The network must outlive it.
struct FloatNetwork {
  const std::vector<DenseLayer>& layers;
  Activation activation;
  std::vector<FloatLayer> floats;

  explicit FloatNetwork(const Mlp& model)
      : layers(model.layers()),
        activation(model.hidden_activation()),
        floats(layers.begin(), layers.end()) {}
};

/// The units of the first layer that draws go through, what is added to each, and the weights of
/// the next layer for these.
struct LayerRoute {
  std::vector<std::uint32_t> units;
  std::vector<float> shifts;
  std::vector<float> packed;  ///< only when some units are left out

  /// Through all units.
  LayerRoute(const FloatNetwork& network, const Vector& shift);
  /// Without the ReLU units that are 0 for every value within `reach` of the shift.
  LayerRoute(const FloatNetwork& network, const Vector& shift, const Vector& reach);
  /// The same units with other shifts.
  void set_shifts(const Vector& shift);

 private:
  void pack(const FloatNetwork& network);
};

/// Working memory of one block on its way through the layers.
class LayerPass {
 public:
  explicit LayerPass(const FloatNetwork& network);

  /// The logits of a block of projected draws.
  [[nodiscard]] const float* forward(const LayerRoute& route, const float* projected);
  /// From the slopes of the logits back to those of the first pre-activations, summed over the
  /// draws of the block that went forward last, through all units.
  void backward(const AlignedFloats& logit_slopes, Vector& sums);

 private:
  void start(const LayerRoute& route, const float* projected, bool hidden);
  [[nodiscard]] const float* activated(std::size_t layer);
  void slope_through(const AlignedFloats& values, std::size_t units);

  const FloatNetwork& network_;
  std::vector<AlignedFloats> values_;
  AlignedFloats activated_;
  AlignedFloats slopes_;
  AlignedFloats back_;
};

}  // namespace croco
