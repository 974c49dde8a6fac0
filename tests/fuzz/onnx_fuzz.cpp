// SPDX-License-Identifier: Apache-2.0
// ONNX files: read, compiled on columns that fit their inputs, asked.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <croco/base/error.hpp>
#include <croco/models/onnx/model.hpp>
#include <tests/fuzz/ask.hpp>
#include <tests/onnx_columns.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const croco::onnx::File file = croco::onnx::parse_onnx(bytes, "fuzz");
    const croco::onnx::SourceColumns columns = croco::fixtures::columns_of(file);
    if (columns.width > croco::fuzz::kMaxWidth) return 0;
    croco::fuzz::ask(*croco::onnx::make_model(file, columns, "fuzz").model);
  } catch (const croco::ModelError&) {  // anything else ends the run
  }
  return 0;
}
