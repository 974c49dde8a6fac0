// SPDX-License-Identifier: Apache-2.0
#include <croco/data/cost_kind.hpp>

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

constexpr std::array<std::string_view, 3> kNames{"l1", "mad", "percentile"};

}  // namespace

std::string_view name_of(CostKind kind) noexcept { return kNames[static_cast<std::size_t>(kind)]; }

CostKind parse_cost_kind(std::string_view text) {
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    if (kNames[k] == text) return static_cast<CostKind>(k);
  }
  throw InvalidArgument(fmt::format("cost is '{}'; it must be l1, mad or percentile", text));
}

}  // namespace croco
