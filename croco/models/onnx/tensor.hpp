// SPDX-License-Identifier: Apache-2.0
/// The tensors of an ONNX file: element types, shapes and the many ways in which values are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <croco/models/onnx/file.hpp>
#include <croco/models/onnx/wire.hpp>

namespace croco::onnx {

/// No tensor has more elements, whether read or made.
inline constexpr std::size_t kMaxElements = std::size_t{1} << 26;

/// What a number of TensorProto.DataType means to croco; nothing when it means nothing.
[[nodiscard]] std::optional<ElementType> element_type(std::int64_t data_type) noexcept;

/// The elements of a shape. Throws ModelError for a negative size, more dimensions than any model
/// of a table has, or more elements than `limit`.
[[nodiscard]] std::size_t element_count(std::span<const std::int64_t> shape, std::size_t limit);

/// A TensorProto. Values in another file are left to `set_raw`. Throws ModelError naming the tensor
/// and the rule.
[[nodiscard]] Tensor read_tensor(WireReader reader);
/// Gives a tensor its values, as bytes. Throws ModelError naming the tensor and the rule.
void set_raw(Tensor& tensor, std::string_view raw, ModelBudget& budget);

}  // namespace croco::onnx
