// SPDX-License-Identifier: Apache-2.0
/// Columns of people that fit the inputs of an ONNX file, whatever these are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <croco/models/onnx/file.hpp>
#include <croco/models/onnx/graph.hpp>

namespace croco::fixtures {

/// Numbers for numbers, a category of two levels for each text; no input has more than 64 of them.
inline onnx::SourceColumns columns_of(const onnx::File& file) {
  onnx::SourceColumns out;
  for (const onnx::ValueInfo& input : onnx::model_inputs(file)) {
    const std::int64_t width = std::clamp<std::int64_t>(onnx::input_width(input), 1, 64);
    for (std::int64_t j = 0; j < width; ++j) {
      onnx::SourceColumn column{.name = width == 1 ? input.name : std::to_string(j),
                                .column = out.width++};
      if (input.type == onnx::ElementType::text) column.levels = {"<0", "yes"};
      if (!column.levels.empty()) ++out.width;
      out.columns.push_back(column);
    }
  }
  return out;
}

}  // namespace croco::fixtures
