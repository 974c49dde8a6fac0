// SPDX-License-Identifier: Apache-2.0
/// Loops over threads. No result may depend on the schedule: iterations write to places of their
/// own, and draws are counter-based.
#pragma once

#include <cstddef>
#include <functional>

namespace croco {

/// Calls `body(i)` for every i < count on `threads` threads (0: all that the machine has). The
/// first exception ends the loop and is thrown here. The caller's `task_context` is the body's.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& body);

/// The threads that such a number stands for: itself, or all that the machine has.
[[nodiscard]] std::size_t thread_count(unsigned threads);

}  // namespace croco
