// SPDX-License-Identifier: Apache-2.0
/// Vectors, views and row-major batches: the vocabulary of every numeric interface.
///
///     croco::Matrix batch(2, 3);  // two rows of three numbers
///     batch[0][2] = 1.5;
///     model.logits(batch.rows(), logits);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace croco {

using Vector = std::vector<double>;
using View = std::span<const double>;
using MutableView = std::span<double>;

/// A batch of rows, row-major: `data.size() == count() * width`.
struct Rows {
  View data;
  std::size_t width = 0;

  [[nodiscard]] std::size_t count() const noexcept { return width == 0 ? 0 : data.size() / width; }
  [[nodiscard]] View operator[](std::size_t row) const noexcept {
    return data.subspan(row * width, width);
  }
  [[nodiscard]] Rows slice(std::size_t first, std::size_t rows) const noexcept {
    return {data.subspan(first * width, rows * width), width};
  }
};

/// An owning batch of rows.
struct Matrix {
  Vector data;
  std::size_t width = 0;

  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : data(rows * columns), width(columns) {}

  [[nodiscard]] std::size_t count() const noexcept { return width == 0 ? 0 : data.size() / width; }
  [[nodiscard]] Rows rows() const noexcept { return {data, width}; }
  [[nodiscard]] View operator[](std::size_t row) const noexcept {
    return View(data).subspan(row * width, width);
  }
  [[nodiscard]] MutableView operator[](std::size_t row) noexcept {
    return MutableView(data).subspan(row * width, width);
  }
  void append(View row) { data.insert(data.end(), row.begin(), row.end()); }
};

}  // namespace croco
