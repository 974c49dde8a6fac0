// SPDX-License-Identifier: Apache-2.0
/// What one core of this machine can do at most.
#pragma once

namespace croco {

/// Additions in single precision per second, measured once with everything in registers.
[[nodiscard]] double peak_operations_per_second();

}  // namespace croco
