// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/reasons/obstacle.hpp>

#include <array>

namespace croco {

std::string_view name_of(ObstacleKind kind) noexcept {
  constexpr std::array<std::string_view, 7> kNames{"relations", "no_valid_point", "steps", "target",
                                                   "samples",   "time",           "models"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(LimitKind kind) noexcept {
  constexpr std::array<std::string_view, kLimitKinds> kNames{"fixed",      "no_rise",  "no_fall",
                                                             "minimum",    "maximum",  "step",
                                                             "max_change", "relation", "levels"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(RelaxationKind kind) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"target", "noise", "feature", "relation"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace croco
