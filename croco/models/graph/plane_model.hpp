// SPDX-License-Identifier: Apache-2.0
/// A program on planes as a model: its affine beginning, which draws go through once, and the rest.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/graph/affine_forms.hpp>
#include <croco/models/graph/plane_program.hpp>
#include <croco/models/model.hpp>
#include <croco/models/network/float_layer.hpp>
#include <croco/models/runtime_error.hpp>

namespace croco {

/// Computes in double; on bound draws in single precision where that decides the same. Its gradient
/// is there when every step has a slope.
class PlaneModel final : public Model, private Gradient {
 public:
  /// `error` of the runtime that the program was written for, see `Model::tolerance`.
  explicit PlaneModel(const PlaneProgram& program, const RuntimeError& error = {});

  [[nodiscard]] std::size_t width() const noexcept override { return width_; }
  void logits(Rows rows, MutableView out) const override;
  [[nodiscard]] const Gradient* gradient() const noexcept override {
    return smooth_ ? this : nullptr;
  }
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                          DrawnFlips flips) const override;
  [[nodiscard]] std::size_t evaluator_bytes_per_draw() const noexcept override {
    return ((projected_ ? parts_.head.size() : 0) + (by_rows_ ? width_ : 0)) * sizeof(double);
  }

  [[nodiscard]] double tolerance(double threshold) const noexcept override {
    return error_.at(threshold);
  }

  [[nodiscard]] ModelDescription describe() const override;

  [[nodiscard]] const SplitProgram& parts() const noexcept { return parts_; }
  /// The tail's affine steps in single precision.
  [[nodiscard]] std::span<const FloatLayer> float_layers() const noexcept { return layers_; }
  /// Whether draws go through the head once: not when a jump would see the last bit.
  [[nodiscard]] bool projected() const noexcept { return projected_; }
  /// Whether counts need the rows themselves: nothing bounds what the tail makes of a rounding.
  [[nodiscard]] bool by_rows() const noexcept { return by_rows_; }
  /// Whether draws are projected through an affine beginning that is more than a choice of columns.
  [[nodiscard]] bool projects() const noexcept;

 private:
  double logit_gradient(View point, MutableView gradient) const override;

  std::size_t width_;
  SplitProgram parts_;
  std::vector<FloatLayer> layers_;
  bool smooth_;
  bool projected_;
  bool by_rows_;
  RuntimeError error_;
};

/// Draws through the head of a model once; the tail on blocks of them.
[[nodiscard]] std::unique_ptr<DrawEvaluator> bind_planes(const PlaneModel& model, Rows draws,
                                                         DrawnFlips flips);

}  // namespace croco
