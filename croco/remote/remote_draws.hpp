// SPDX-License-Identifier: Apache-2.0
/// Samples for a remote model: noisy copies of several points go into batches together.
#pragma once

#include <memory>

#include <croco/models/model.hpp>

namespace croco {

/// Adds the draws row by row and asks `model` for `batch` rows at a time.
[[nodiscard]] std::unique_ptr<DrawEvaluator> bind_in_batches(const Model& model, std::size_t batch,
                                                             Rows draws, DrawnFlips flips);

}  // namespace croco
