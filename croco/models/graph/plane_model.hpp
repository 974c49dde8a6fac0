// SPDX-License-Identifier: Apache-2.0
/// A program on planes as a model: its affine beginning, which draws go through once, and the rest.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
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
    return ((projected_ ? drawn().head.size() : 0) + (keeps_rows() ? width_ : 0)) * sizeof(double);
  }

  [[nodiscard]] double tolerance(double threshold) const noexcept override {
    return error_.at(threshold);
  }

  [[nodiscard]] ModelDescription describe() const override;

  /// What rows go through.
  [[nodiscard]] const SplitProgram& parts() const noexcept { return parts_; }
  /// What draws go through: the same, or without the coupling at its end.
  [[nodiscard]] const SplitProgram& drawn() const noexcept {
    return uncoupled_ ? *uncoupled_ : parts_;
  }
  /// Whether a coupling at the end of rows is left out for draws.
  [[nodiscard]] bool uncoupled() const noexcept { return uncoupled_.has_value(); }
  /// How near to a threshold a logit of draws must be for that to matter.
  [[nodiscard]] double coupling_gap(double threshold) const noexcept;
  /// The logit of a row, from that of the draw.
  [[nodiscard]] double coupled(double drawn) const noexcept;
  /// Whether it clears a cut.
  [[nodiscard]] bool clears(const Cut& cut, double drawn) const noexcept {
    const bool near = uncoupled() && std::abs(drawn - cut.threshold) <= kCouplingGap;
    return cut.clears(near ? coupled(drawn) : drawn);
  }
  /// The affine steps of the draws' tail in single precision.
  [[nodiscard]] std::span<const FloatLayer> float_layers() const noexcept { return layers_; }
  /// Whether draws go through the head once: not when a jump would see the last bit.
  [[nodiscard]] bool projected() const noexcept { return projected_; }
  /// Whether counts need the rows themselves: nothing bounds what the tail makes of a rounding.
  [[nodiscard]] bool by_rows() const noexcept { return by_rows_; }
  /// Whether bound draws are kept as they are, for rows that have to be exact.
  [[nodiscard]] bool keeps_rows() const noexcept { return by_rows_ || uncoupled(); }
  /// Whether draws are projected through an affine beginning that is more than a choice of columns.
  [[nodiscard]] bool projects() const noexcept;

 private:
  double logit_gradient(View point, MutableView gradient) const override;

  std::size_t width_;
  SplitProgram parts_;
  double coupling_sign_;
  std::optional<SplitProgram> uncoupled_;
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
