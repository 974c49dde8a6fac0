// SPDX-License-Identifier: Apache-2.0
/// The instruction set that the kernels run with on this processor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace croco {

/// As Highway calls it, such as "AVX2" or "NEON".
[[nodiscard]] std::string instruction_set();

/// All that the kernels are compiled for and this processor has, the best first.
[[nodiscard]] std::vector<std::string> instruction_sets();

/// From now on, the kernels use no better set than this one, in the whole process: to measure on
/// one machine what others are like. Call it while no kernel runs. Throws InvalidArgument for a
/// name that `instruction_sets` does not have; capitals do not matter.
void limit_instruction_set(std::string_view name);

}  // namespace croco
