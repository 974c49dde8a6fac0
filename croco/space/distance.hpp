// SPDX-License-Identifier: Apache-2.0
/// How far apart two encoded points are.
#pragma once

#include <cstddef>

#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco {

struct Distances {
  std::size_t l0 = 0;  ///< columns that differ
  double l1 = 0.0;
  double l2 = 0.0;
  double linf = 0.0;
  /// L1 of the numbers weighted with the columns' costs, the prices of touching them, and the
  /// prices of changed categories.
  double cost = 0.0;
  double level_price = 0.0;  ///< the part of it that is for categories
  double touch_price = 0.0;  ///< the part of it that is for touching numbers at all
};

/// Over all encoded columns.
[[nodiscard]] Distances distances(const Space& space, View origin, View point) noexcept;

}  // namespace croco
