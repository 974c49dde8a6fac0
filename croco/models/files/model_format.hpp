// SPDX-License-Identifier: Apache-2.0
/// Which program wrote a model file, by its content: names of files prove nothing.
#pragma once

#include <cstdint>
#include <string_view>

namespace croco {

enum class ModelFormat : std::uint8_t {
  croco,  ///< also whatever is not recognised: its reader says what is wrong
  xgboost_json,
  xgboost_ubjson,
  lightgbm,
  catboost,
  onnx,
  bundle,  ///< one of these with all that belongs to it
};

[[nodiscard]] ModelFormat format_of(std::string_view bytes) noexcept;

}  // namespace croco
