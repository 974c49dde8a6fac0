// SPDX-License-Identifier: Apache-2.0
/// A program on planes whose inputs are sums of trees: averages, calibrations and votes of forests.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/graph/plane_program.hpp>
#include <croco/models/model.hpp>
#include <croco/models/runtime_error.hpp>
#include <croco/models/trees/tree_model.hpp>

namespace croco {

/// Trees are evaluated as such, 512 draws at a time, and the program goes on with their sums. What
/// is counted has the sums that a row has, to the last bit, so that counts are exact although the
/// program may jump. There is no gradient.
class TreeGraphModel final : public Model {
 public:
  using Forests = std::vector<std::unique_ptr<const TreeModel>>;

  /// `behind` has an input for each of the forests: its logit. `error` of the runtime, see
  /// `Model::tolerance`. Throws ModelError when there are not as many.
  TreeGraphModel(Forests forests, PlaneProgram behind, const RuntimeError& error);

  [[nodiscard]] std::size_t width() const noexcept override { return forests_.front()->width(); }
  void logits(Rows rows, MutableView out) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                          DrawnFlips flips) const override;
  [[nodiscard]] std::size_t evaluator_bytes_per_draw() const noexcept override;
  [[nodiscard]] double tolerance(double threshold) const noexcept override {
    return error_.at(threshold);
  }
  [[nodiscard]] ModelDescription describe() const override;

  void set_runtime_error(const RuntimeError& error) noexcept { error_ = error; }
  [[nodiscard]] const Forests& forests() const noexcept { return forests_; }
  [[nodiscard]] const PlaneProgram& behind() const noexcept { return behind_; }

  /// How far the logits of rows move at most when the sum of each forest does, all of them up or
  /// all down. What is no number, or far from every threshold, does not count.
  [[nodiscard]] double moved_by(View sums, Rows rows) const;

 private:
  Forests forests_;
  PlaneProgram behind_;
  RuntimeError error_;
};

}  // namespace croco
