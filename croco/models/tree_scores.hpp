// SPDX-License-Identifier: Apache-2.0
/// A sum of trees as a part of a program on planes.
#pragma once

#include <cstddef>
#include <span>

#include <croco/models/plane_program.hpp>
#include <croco/models/tree_ensemble.hpp>

namespace croco {

/// For ensembles whose splits are all of the kind `at_most`, without missing values.
class TreeScores final : public OpaqueFunction {
 public:
  explicit TreeScores(TreeEnsemble ensemble) : ensemble_(std::move(ensemble)) {}

  [[nodiscard]] const TreeEnsemble& ensemble() const noexcept { return ensemble_; }
  [[nodiscard]] std::size_t inputs() const noexcept override { return ensemble_.width; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return 1; }
  void apply(std::span<const double* const> in, std::span<double* const> out,
             std::size_t items) const override;

 private:
  TreeEnsemble ensemble_;
};

}  // namespace croco
