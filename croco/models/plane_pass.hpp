// SPDX-License-Identifier: Apache-2.0
/// A batch on its way through a program on planes, forward and back. The numbers of an item do not
/// depend on the others in its batch.
#pragma once

#include <cstddef>

#include <croco/base/types.hpp>
#include <croco/models/plane_program.hpp>

namespace croco {

/// Working memory for batches of up to `items()`; the program must outlive it.
class PlanePass {
 public:
  /// As many items as stay in the cache with all planes, and no more than `most`.
  PlanePass(const PlaneProgram& program, std::size_t most);

  [[nodiscard]] std::size_t items() const noexcept { return items_; }
  /// The plane of an input, to be filled before `forward`.
  [[nodiscard]] double* input(std::size_t index) noexcept {
    return plane(static_cast<Plane>(index));
  }
  /// Runs the steps for the first `count` items; returns the plane of the result, in which NaN (the
  /// logarithm of a negative number) is -infinity.
  const double* forward(std::size_t count);
  /// From the slopes of the results (`weights[k]` for item k) back to those of the inputs, for the
  /// items that went forward last.
  void backward(View weights);
  /// The slope of an input, after `backward`.
  [[nodiscard]] const double* input_slope(std::size_t index) const noexcept {
    return &slopes_[index * items_];
  }

 private:
  [[nodiscard]] double* plane(Plane index) noexcept { return &values_[index * items_]; }
  [[nodiscard]] double* slope(Plane index) noexcept { return &slopes_[index * items_]; }

  void run(const AffineStep& step);
  void run(const ScaleStep& step);
  void run(const UnaryStep& step);
  void run(const BinaryStep& step);
  void run(const SelectStep& step);
  void run(const GroupStep& step);
  void run(const OpaqueStep& step);
  void back(const AffineStep& step);
  void back(const ScaleStep& step);
  void back(const UnaryStep& step);
  void back(const BinaryStep& step);
  void back(const SelectStep& step);
  void back(const GroupStep& step);
  void back(const OpaqueStep& step);

  const PlaneProgram& program_;
  std::size_t items_;
  std::size_t count_ = 0;
  Vector values_;  ///< [plane][item]
  Vector slopes_;  ///< made when a gradient is first asked for
};

}  // namespace croco
