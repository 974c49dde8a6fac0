// SPDX-License-Identifier: Apache-2.0
/// Several networks as one: their logits' mean is again a network, whose layers hold theirs side by
/// side. Errors of networks that were trained apart cancel in part, and everything that is quick
/// for a network stays so.
#pragma once

#include <memory>
#include <span>

#include <croco/models/network/mlp.hpp>

namespace croco {

/// The network whose logit is the mean of theirs. They must have the same inputs, depth and
/// activation, and there must be at least one; throws InvalidArgument otherwise.
[[nodiscard]] std::shared_ptr<const Mlp> averaged(
    std::span<const std::shared_ptr<const Mlp>> networks);

}  // namespace croco
