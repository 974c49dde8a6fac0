// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/instruction_set.hpp>

#include <cstdint>

#include <hwy/highway.h>

#include <croco/kernels/dispatch.hpp>

namespace croco {

std::string instruction_set() {
  // Targets are bits, the better ones lower; those that the kernels are compiled for count.
  const std::uint64_t usable =
      static_cast<std::uint64_t>(hwy::SupportedTargets()) & static_cast<std::uint64_t>(HWY_TARGETS);
  return hwy::TargetName(static_cast<std::int64_t>(usable & (~usable + 1)));
}

}  // namespace croco
