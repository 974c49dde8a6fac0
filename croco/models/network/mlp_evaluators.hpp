// SPDX-License-Identifier: Apache-2.0
/// Networks bound to draws. `Mlp::bind` picks.
#pragma once

#include <memory>

#include <croco/base/types.hpp>
#include <croco/models/model.hpp>
#include <croco/models/network/mlp.hpp>

namespace croco {

// Null when draws are too large for single precision.

/// One hidden layer of ReLU units: two operations per draw and unit.
[[nodiscard]] std::unique_ptr<DrawEvaluator> bind_shallow_relu(const Mlp& model, Rows draws,
                                                               DrawnFlips flips);
/// Any network: the layers after the first on blocks of draws.
[[nodiscard]] std::unique_ptr<DrawEvaluator> bind_layers(const Mlp& model, Rows draws,
                                                         DrawnFlips flips);

}  // namespace croco
