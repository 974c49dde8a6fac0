// SPDX-License-Identifier: Apache-2.0
/// A program on planes as a model: its affine beginning, which draws go through once, and the rest.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/affine_forms.hpp>
#include <croco/models/model.hpp>
#include <croco/models/plane_program.hpp>

namespace croco {

/// Computes in double throughout. Its gradient is there when every step has a slope.
class PlaneModel final : public Model, private Gradient {
 public:
  explicit PlaneModel(const PlaneProgram& program);

  [[nodiscard]] std::size_t width() const noexcept override { return width_; }
  void logits(Rows rows, MutableView out) const override;
  [[nodiscard]] const Gradient* gradient() const noexcept override {
    return smooth_ ? this : nullptr;
  }
  [[nodiscard]] std::unique_ptr<BoundDraws> bind(Rows draws) const override;
  [[nodiscard]] std::unique_ptr<BoundDraws> bind_flips(Rows draws, DrawnFlips flips) const override;
  [[nodiscard]] std::size_t bound_bytes_per_draw() const noexcept override {
    return (jumps_ ? width_ : parts_.head.size()) * sizeof(double);
  }

  [[nodiscard]] const SplitProgram& parts() const noexcept { return parts_; }
  /// Whether draws are projected through an affine beginning that is more than a choice of columns.
  [[nodiscard]] bool projects() const noexcept;

 private:
  double logit_gradient(View point, MutableView gradient) const override;

  std::size_t width_;
  SplitProgram parts_;
  bool smooth_;
  bool jumps_;
};

/// Draws through the head of a model once, in double; the tail on blocks of them. When the program
/// jumps, draws are added to the point first, in the model's own order: then every bit is the
/// model's.
[[nodiscard]] std::unique_ptr<BoundDraws> bind_planes(const SplitProgram& parts, std::size_t width,
                                                      bool jumps, Rows draws, DrawnFlips flips);

}  // namespace croco
