// SPDX-License-Identifier: Apache-2.0
/// A sum of trees as a part of a program on planes.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <croco/models/graph/plane_program.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

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

/// 0 where a sum of trees is clear, NaN where a comparison on the way to a leaf is `is_unclear`:
/// the inexact columns are known up to the runtime's roundings only.
class TreeDoubts final : public OpaqueFunction {
 public:
  TreeDoubts(TreeEnsemble ensemble, std::vector<bool> inexact)
      : ensemble_(std::move(ensemble)), inexact_(std::move(inexact)) {}

  [[nodiscard]] std::size_t inputs() const noexcept override { return ensemble_.width; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return 1; }
  void apply(std::span<const double* const> in, std::span<double* const> out,
             std::size_t items) const override;

 private:
  TreeEnsemble ensemble_;
  std::vector<bool> inexact_;  ///< by column
};

}  // namespace croco
