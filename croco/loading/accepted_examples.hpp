// SPDX-License-Identifier: Apache-2.0
/// Accepted examples: where a search without gradients may begin.
#pragma once

#include <cstddef>
#include <memory>

#include <croco/base/types.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// The first examples of a loaded model that have the wanted answer, at most this many. Null when
/// it brings none.
[[nodiscard]] std::shared_ptr<const Matrix> accepted_examples(const LoadedModel& loaded,
                                                              const Goal& goal,
                                                              std::size_t most = 2048);

}  // namespace croco
