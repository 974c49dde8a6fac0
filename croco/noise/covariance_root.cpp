// SPDX-License-Identifier: Apache-2.0
#include <croco/noise/covariance_root.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <croco/base/double_double.hpp>

namespace croco {
namespace {

/// The rounding error of one operation, with some room.
constexpr double kUnit = 0x1p-98;
/// Shares of a variance that the rounding of a matrix to few digits can change.
constexpr double kSmall = 1e-6;

/// Powers of two near the standard deviations: dividing by them rounds nothing.
std::vector<int> exponents(const Matrix& matrix) {
  std::vector<int> out(matrix.count());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (matrix[i][i] > 0) out[i] = std::ilogb(std::sqrt(matrix[i][i]));
  }
  return out;
}

}  // namespace

Matrix fine_root(const Matrix& matrix) {
  const std::size_t n = matrix.count();
  const std::vector<int> exponent = exponents(matrix);
  const auto entry = [&](std::size_t i, std::size_t j) {
    return std::ldexp(matrix[i][j], -exponent[i] - exponent[j]);
  };
  std::vector<DoubleDouble> root(n * n);
  std::vector<DoubleDouble> left(n);
  for (std::size_t i = 0; i < n; ++i) left[i] = entry(i, i);
  const double negligible = kUnit * static_cast<double>(n + 8);
  std::vector<bool> used(n, false);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = n;
    double most = negligible;
    for (std::size_t i = 0; i < n; ++i) {
      const double share = used[i] || matrix[i][i] == 0 ? 0.0 : left[i].high / entry(i, i);
      if (share > most) {
        most = share;
        pivot = i;
      }
    }
    if (pivot == n) break;
    used[pivot] = true;
    const DoubleDouble own = square_root(left[pivot]);
    root[pivot * n + k] = own;
    for (std::size_t i = 0; i < n; ++i) {
      if (used[i] || matrix[i][i] == 0) continue;
      DoubleDouble sum(entry(i, pivot));
      for (std::size_t m = 0; m < k; ++m) sum = sum - root[i * n + m] * root[pivot * n + m];
      DoubleDouble part = sum / own;
      // Of a small remainder no column has more than its own variance; that of a large one says
      // clearly that the matrix is no covariance.
      const DoubleDouble rest = left[i] - part * part;
      if (rest.high < 0 && most <= kSmall) {
        const DoubleDouble all = left[i].high > 0 ? square_root(left[i]) : DoubleDouble(0);
        part = part.high < 0 ? -all : all;
        left[i] = 0;
      } else {
        left[i] = rest;
      }
      root[i * n + k] = part;
    }
  }
  Matrix out(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < n; ++m) {
      out[i][m] = std::ldexp(root[i * n + m].value(), exponent[i]);
    }
  }
  return out;
}

Matrix root_error(const Matrix& matrix, const Matrix& root) {
  const std::size_t n = matrix.count();
  const std::vector<int> exponent = exponents(matrix);
  std::vector<double> scaled(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < n; ++m) scaled[i * n + m] = std::ldexp(root[i][m], -exponent[i]);
  }
  Matrix out(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (matrix[i][i] == 0 || matrix[j][j] == 0) continue;
      DoubleDouble sum(-std::ldexp(matrix[i][j], -exponent[i] - exponent[j]));
      for (std::size_t m = 0; m < n; ++m) {
        sum = sum + DoubleDouble(scaled[i * n + m]) * DoubleDouble(scaled[j * n + m]);
      }
      const double size = std::sqrt(std::ldexp(matrix[i][i], -2 * exponent[i])) *
                          std::sqrt(std::ldexp(matrix[j][j], -2 * exponent[j]));
      out[i][j] = out[j][i] =
          std::abs(sum.value()) / size * (1 + 1e-9) + kUnit * static_cast<double>(n + 8);
    }
  }
  return out;
}

}  // namespace croco
