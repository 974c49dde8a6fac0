// SPDX-License-Identifier: Apache-2.0
/// Networks of one shape that take turns at the samples of a search: a single hidden layer of ReLU
/// units, equally many in each. Where every network answers for few samples, what costs most is not
/// the samples but `W1 x` of every network. It is linear in x, so that around a point (`fixed_at`)
/// only the columns that differ from the point's are added.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <croco/models/model.hpp>

namespace croco {

/// The weights of all members side by side. Immutable and thread-safe.
class NetworkTable;

/// Null unless all members are such networks. `free` are the columns whose gradient is asked for
/// around a point; all when it is empty.
[[nodiscard]] std::shared_ptr<const NetworkTable> table_of(
    std::span<const std::shared_ptr<const Model>> members, std::span<const std::size_t> free);

/// Samples in turns of `kTurn`. For searching: answers are in single precision, and all samples
/// count as undecided where exact counts are asked for. Null when samples are too large for it.
[[nodiscard]] std::unique_ptr<DrawEvaluator> bind_turns(std::shared_ptr<const NetworkTable> table,
                                                        Rows draws, DrawnFlips flips);

}  // namespace croco
