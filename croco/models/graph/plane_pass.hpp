// SPDX-License-Identifier: Apache-2.0
/// A batch on its way through a program on planes, forward and back. The numbers of an item do not
/// depend on the others in its batch.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/kernels/aligned.hpp>
#include <croco/models/graph/kernel_blocks.hpp>
#include <croco/models/graph/plane_program.hpp>
#include <croco/models/network/float_layer.hpp>

namespace croco {

/// The affine steps of a program in single precision: one layer for each step, empty for others.
[[nodiscard]] std::vector<FloatLayer> float_layers(const PlaneProgram& program);

/// Working memory for batches of up to `items()`, in double or float; what is given must outlive
/// it. In double, results are the same to the last bit for all sizes of batches.
template <typename Number>
class PlanePass {
 public:
  /// Batches as large as stay in the cache with all planes, and no more than `most`. `layers` are
  /// looked at in single precision alone, for which the program must have an error bound (see
  /// plane_error.hpp).
  PlanePass(const PlaneProgram& program, std::span<const FloatLayer> layers, std::size_t most);

  /// The items are draws around one point: inputs that are `fixed` are the same for all of them,
  /// in every batch. What then takes less work is near to what rows give, no more. Of a fixed
  /// input, the slopes of all items may be added to that of the first one.
  void set_draws(std::vector<bool> fixed) {
    draws_ = true;
    fixed_ = std::move(fixed);
  }
  [[nodiscard]] std::size_t items() const noexcept { return items_; }
  /// The plane of an input, to be filled before `forward`.
  [[nodiscard]] Number* input(std::size_t index) noexcept {
    return plane(static_cast<Plane>(index));
  }
  /// Runs the steps for the first `count` items; returns the plane of the result. What is NaN (the
  /// logarithm of a negative number) stays so through all steps that do not ask for it.
  const Number* forward(std::size_t count);
  /// From the slopes of the results (`weights[k]` for item k) back to those of the inputs, for the
  /// items that went forward last.
  void backward(View weights);
  /// The slope of an input, after `backward`.
  [[nodiscard]] const Number* input_slope(std::size_t index) const noexcept {
    return &slopes_[index * items_];
  }

 private:
  [[nodiscard]] Number* plane(Plane index) noexcept { return &values_[index * items_]; }
  [[nodiscard]] Number* slope(Plane index) noexcept { return &slopes_[index * items_]; }

  void run(const AffineStep& step);
  void run(const ScaleStep& step);
  void run(const UnaryStep& step);
  void run(const BinaryStep& step);
  void run(const SelectStep& step);
  void run(const GroupStep& step);
  void run(const OpaqueStep& step);
  void run(const KernelStep& step);
  void back(const AffineStep& step);
  void back(const ScaleStep& step);
  void back(const UnaryStep& step);
  void back(const BinaryStep& step);
  void back(const SelectStep& step);
  void back(const GroupStep& step);
  void back(const OpaqueStep& step);
  void back(const KernelStep& step);
  /// The kernel sum of the step that runs, with the inputs that are fixed.
  [[nodiscard]] KernelBlocks<Number>& blocks(const KernelStep& step);

  /// The planes of a list one after the other, where they are if they lie like that.
  [[nodiscard]] const Number* joined(const std::vector<Plane>& list);

  using Numbers = std::vector<Number, CacheLineAllocator<Number>>;

  const PlaneProgram& program_;
  std::span<const FloatLayer> layers_;
  std::size_t items_;
  std::size_t count_ = 0;
  std::size_t step_ = 0;  ///< the one that runs
  Numbers values_;        ///< [plane][item]
  Numbers slopes_;        ///< made when a gradient is first asked for
  Numbers joined_;
  bool draws_ = false;
  std::vector<bool> fixed_;  ///< by input
  /// By step, made when it first runs on draws.
  std::vector<std::unique_ptr<KernelBlocks<Number>>> kernels_;
};

extern template class PlanePass<double>;
extern template class PlanePass<float>;

}  // namespace croco
