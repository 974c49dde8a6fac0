// SPDX-License-Identifier: Apache-2.0
#include <croco/noise/covariance.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/noise/covariance_root.hpp>

namespace croco {
namespace {

constexpr double kSymmetry = 1e-9;
/// What is left of a variance that others explain, relative to the variance: in doubles it is known
/// to many digits above this.
constexpr double kClear = 1e-9;
/// How far the square of the root may be from the correlations.
constexpr double kRootSlack = 1e-6;

std::string place(std::size_t row, std::size_t column) {
  return fmt::format("row {}, column {} of the covariance", row + 1, column + 1);
}

void require_sound(const Matrix& matrix, std::size_t columns) {
  if (matrix.width != columns || matrix.count() != columns || columns == 0) {
    throw InvalidArgument(fmt::format("the covariance has {} rows of {}; it must have {} of {}",
                                      matrix.count(), matrix.width, columns, columns));
  }
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (std::isfinite(matrix[i][j])) continue;
      throw InvalidArgument(fmt::format("{} is {}; it must be a finite number", place(i, j),
                                        format_number(matrix[i][j])));
    }
    if (matrix[i][i] < 0) {
      throw InvalidArgument(fmt::format("{} is {}; a variance must be at least 0", place(i, i),
                                        format_number(matrix[i][i])));
    }
  }
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double a = matrix[i][j];
      const double b = matrix[j][i];
      const double limit = std::sqrt(matrix[i][i]) * std::sqrt(matrix[j][j]);
      if (std::abs(a - b) > kSymmetry * std::max(limit, std::abs(a))) {
        throw InvalidArgument(
            fmt::format("{} is {}, and row {}, column {} is {}; a covariance must be symmetric",
                        place(i, j), format_number(a), j + 1, i + 1, format_number(b)));
      }
      if (std::abs(a) > limit * (1 + kSymmetry)) {
        throw InvalidArgument(
            fmt::format("{} is {}; with variances of {} and {} it must be within +-{}", place(i, j),
                        format_number(a), format_number(matrix[i][i]), format_number(matrix[j][j]),
                        format_number(limit)));
      }
    }
  }
}

/// Cholesky on the correlations in plain doubles, the greatest remainder first. Empty as soon as a
/// remainder is so small that rounding errors would show in it.
Matrix clear_root(const Matrix& matrix) {
  const std::size_t n = matrix.count();
  Vector deviations(n);
  for (std::size_t i = 0; i < n; ++i) deviations[i] = std::sqrt(matrix[i][i]);
  const auto correlation = [&](std::size_t i, std::size_t j) {
    return matrix[i][j] / deviations[i] / deviations[j];
  };
  Matrix root(n, n);
  Vector left(n, 1.0);
  std::vector<bool> used(n, false);
  std::size_t columns = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (deviations[i] != 0) continue;
    used[i] = true;
    --columns;
  }
  for (std::size_t k = 0; k < columns; ++k) {
    std::size_t pivot = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!used[i] && (pivot == n || left[i] > left[pivot])) pivot = i;
    }
    if (left[pivot] <= kClear) return {};
    used[pivot] = true;
    const double own = std::sqrt(left[pivot]);
    root[pivot][k] = own;
    for (std::size_t i = 0; i < n; ++i) {
      if (used[i]) continue;
      double sum = correlation(i, pivot);
      for (std::size_t m = 0; m < k; ++m) sum -= root[i][m] * root[pivot][m];
      root[i][k] = sum / own;
      left[i] -= root[i][k] * root[i][k];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : root[i]) value *= deviations[i];
  }
  return root;
}

}  // namespace

Covariance::Covariance(std::vector<std::size_t> columns, Matrix matrix)
    : columns_(std::move(columns)), matrix_(std::move(matrix)) {
  const std::size_t n = columns_.size();
  require_sound(matrix_, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double mean = (matrix_[i][j] + matrix_[j][i]) / 2;
      matrix_[i][j] = matrix_[j][i] = mean;
    }
  }
  root_ = clear_root(matrix_);
  if (root_.data.empty()) root_ = fine_root(matrix_);
  error_ = root_error(matrix_, root_);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (error_[i][j] <= kRootSlack) continue;
      if (i == j) {
        throw InvalidArgument(
            fmt::format("the covariance is not positive semidefinite: given the other columns, the "
                        "variance of column {} must be above {}",
                        i + 1, format_number(matrix_[i][i])));
      }
      throw InvalidArgument(fmt::format(
          "the covariance is not positive semidefinite: given the other columns, the correlation "
          "of columns {} and {} cannot be {:.6g}",
          j + 1, i + 1, matrix_[i][j] / std::sqrt(matrix_[i][i]) / std::sqrt(matrix_[j][j])));
    }
  }
}

}  // namespace croco
