// SPDX-License-Identifier: Apache-2.0
/// Follows a probability back to its logit, through whatever a tool wrote to make one of the other.
#pragma once

#include <optional>

#include <croco/models/onnx/builder.hpp>

namespace croco::onnx {

struct TracedLogit {
  Plane logit = 0;
  const char* words = "";  ///< where it was found
};

/// The logit of a probability, when a sigmoid, a softmax of two or a share of two made it. May add
/// steps to the program. Nothing when the probability has another origin.
[[nodiscard]] std::optional<TracedLogit> trace_logit(Builder& build, Plane probability);

/// Whether one is the negative of the other for every row, as the layers that they come from say.
[[nodiscard]] bool are_opposite(const Builder& build, Plane one, Plane two);

}  // namespace croco::onnx
