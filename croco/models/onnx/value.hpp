// SPDX-License-Identifier: Apache-2.0
/// Values of a graph while it is brought into the form of a program on planes: tensors that are
/// known, and tensors that have one slice for every row of the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/graph/plane_program.hpp>
#include <croco/models/model_budget.hpp>
#include <croco/models/onnx/file.hpp>

namespace croco::onnx {

using Shape = std::vector<std::int64_t>;

/// A tensor. Of a batched one only a row's part is written down: its shape lacks the dimension of
/// the rows, and each element is a plane, or the category that its text is a level of.
struct Value {
  ElementType type = ElementType::floating;
  bool batched = false;
  /// Which axis of a batched value the rows are in the file: 1 for [3, N, 2]. Few operators take
  /// another one than 0.
  std::size_t row_axis = 0;
  /// The axis in front of the rows is one with them: [3 N, 2], three batches one behind the other.
  bool stacked = false;
  Shape shape = {};
  Vector numbers = {};                         ///< known, and no text
  std::vector<std::string> texts = {};         ///< known texts
  std::vector<Plane> planes = {};              ///< batched, and no text
  std::vector<std::uint32_t> categories = {};  ///< batched texts, as the builder numbers them

  /// Elements, of a row when batched.
  [[nodiscard]] std::size_t size() const noexcept {
    return numbers.size() + texts.size() + planes.size() + categories.size();
  }
  /// Dimensions in ONNX's count, with the batch.
  [[nodiscard]] std::int64_t rank() const noexcept {
    return static_cast<std::int64_t>(shape.size()) + (batched ? 1 : 0);
  }
};

/// A known tensor.
[[nodiscard]] Value known(const Tensor& tensor);
[[nodiscard]] Value known(Vector numbers, Shape shape, ElementType type = ElementType::floating);

/// The memory that a value takes, and that one of its elements takes at most.
[[nodiscard]] std::size_t bytes_of(const Value& value);
[[nodiscard]] std::size_t element_bytes(const Value& value);

// What makes values of any size counts them in the budget of the file first.

/// The value with elements `from[index[0]], from[index[1]], ...` under another shape.
[[nodiscard]] Value picked(const Value& from, Shape shape, std::span<const std::size_t> index,
                           ModelBudget& budget);
/// The same elements under another shape of as many.
[[nodiscard]] Value reshaped(Value value, Shape shape);

/// An axis as ONNX counts it (from the end when negative, the batch first), as a place in `shape`.
/// Throws ModelError when it is not there, or is the batch.
[[nodiscard]] std::size_t axis_of(const Value& value, std::int64_t axis);

/// The elements of a shape, at most as many as a tensor may have.
[[nodiscard]] std::size_t count_of(const Shape& shape);

/// The product of the sizes before an axis, the axis, and those behind it.
struct AxisSplit {
  std::size_t outer = 1;
  std::size_t size = 1;
  std::size_t inner = 1;
};
[[nodiscard]] AxisSplit split_at(const Shape& shape, std::size_t axis);

/// Two values brought to one shape: for each element of it, which one of either takes part.
struct Broadcast {
  Shape shape = {};
  bool batched = false;
  std::vector<std::size_t> left = {};
  std::vector<std::size_t> right = {};
};
/// Throws ModelError when the shapes do not go together.
[[nodiscard]] Broadcast broadcast(const Value& left, const Value& right, ModelBudget& budget);

/// `[3, 4]`, with N in front for batched values.
[[nodiscard]] std::string shape_text(const Value& value);

}  // namespace croco::onnx
