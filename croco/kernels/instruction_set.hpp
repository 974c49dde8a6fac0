// SPDX-License-Identifier: Apache-2.0
/// The instruction set that the kernels run with on this processor.
#pragma once

#include <string>

namespace croco {

/// As Highway calls it, such as "AVX2" or "NEON".
[[nodiscard]] std::string instruction_set();

}  // namespace croco
