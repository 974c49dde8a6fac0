// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/instruction_set.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/highway.h>

#include <croco/base/error.hpp>
#include <croco/kernels/dispatch.hpp>

namespace croco {
namespace {

/// Targets are bits, the better ones lower; those that the kernels are compiled for count.
std::vector<std::int64_t> usable_targets() {
  auto rest =
      static_cast<std::uint64_t>(hwy::SupportedTargets()) & static_cast<std::uint64_t>(HWY_TARGETS);
  std::vector<std::int64_t> out;
  for (; rest != 0; rest &= rest - 1) out.push_back(static_cast<std::int64_t>(rest & (~rest + 1)));
  return out;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::string instruction_set() { return hwy::TargetName(usable_targets().front()); }

std::vector<std::string> instruction_sets() {
  std::vector<std::string> out;
  for (const std::int64_t target : usable_targets()) out.emplace_back(hwy::TargetName(target));
  return out;
}

void limit_instruction_set(std::string_view name) {
  std::int64_t better = 0;
  for (const std::int64_t target : usable_targets()) {
    if (same_name(hwy::TargetName(target), name)) {
      hwy::DisableTargets(better);
      return;
    }
    better |= target;
  }
  throw InvalidArgument(
      fmt::format("the instruction set is '{}'; the kernels can use {} on this processor", name,
                  fmt::join(instruction_sets(), ", ")));
}

}  // namespace croco
