// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include <croco/space/space.hpp>

namespace croco {

/// How schemas, models and answers spell a movement.
inline constexpr std::array<std::pair<const char*, Movement>, 4> kMovementNames = {
    {{"both", Movement::both},
     {"up", Movement::up},
     {"down", Movement::down},
     {"fixed", Movement::fixed}}};

constexpr std::string_view name_of(Movement movement) {
  for (const auto& [name, value] : kMovementNames) {
    if (value == movement) return name;
  }
  return "";
}

}  // namespace croco
