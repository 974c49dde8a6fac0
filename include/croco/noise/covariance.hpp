// SPDX-License-Identifier: Apache-2.0
/// A covariance of some columns, and a root of it.
///
///     croco::Matrix matrix(2, 2);
///     matrix.data = {0.04, 0.01, 0.01, 0.09};
///     noise.shape = croco::NoiseShape::correlated;
///     noise.covariance = croco::Covariance({0, 3}, matrix);
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>

namespace croco {

/// Symmetric and positive semidefinite; columns may be exact, or repeat each other. Immutable.
class CROCO_EXPORT Covariance {
 public:
  Covariance() = default;
  /// `matrix` is by `columns` in both directions. Throws InvalidArgument naming the places and the
  /// numbers: not square, not finite, not symmetric to 1e-9 of its size, a negative variance, a
  /// covariance beyond what the variances allow, or an eigenvalue clearly below 0.
  Covariance(std::vector<std::size_t> columns, Matrix matrix);

  [[nodiscard]] const std::vector<std::size_t>& columns() const noexcept { return columns_; }
  [[nodiscard]] const Matrix& matrix() const noexcept { return matrix_; }
  /// `root root' = matrix`: a lower triangle but for the order of its rows, [column][normal].
  [[nodiscard]] const Matrix& root() const noexcept { return root_; }
  /// How far each entry of `root root'` may be from the matrix, in units of the columns' standard
  /// deviations: rounding errors, or more where the matrix is positive semidefinite but for the
  /// rounding of its own entries.
  [[nodiscard]] const Matrix& error() const noexcept { return error_; }

  bool operator==(const Covariance& other) const {
    return columns_ == other.columns_ && matrix_.data == other.matrix_.data;
  }

 private:
  std::vector<std::size_t> columns_;
  Matrix matrix_;
  Matrix root_;
  Matrix error_;
};

}  // namespace croco
