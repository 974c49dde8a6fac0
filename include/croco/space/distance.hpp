// SPDX-License-Identifier: Apache-2.0
/// How far apart two encoded points are.
///
///     const double cost = answer.distance.cost;  // and .l1, .l2
#pragma once

#include <cstddef>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco {

struct CROCO_EXPORT Distances {
  std::size_t l0 = 0;  ///< columns that differ
  double l1 = 0.0;
  double l2 = 0.0;
  double linf = 0.0;
  /// The cost of numeric changes (L1 weighted with the columns' costs, or along their price
  /// curves), of touching numbers at all, and the prices of changed categories.
  double cost = 0.0;
  double level_price = 0.0;  ///< the part of it that is for categories
  double touch_price = 0.0;  ///< the part of it that is for touching numbers at all
};

/// Over all encoded columns, each counted in its span.
[[nodiscard]] CROCO_EXPORT Distances distances(const Space& space, View origin,
                                               View point) noexcept;

/// The price of a number's way from a value to another one, without that of touching it.
[[nodiscard]] CROCO_EXPORT double way_price(const Column& column, double from, double to) noexcept;
/// A price per unit that no way from `from` into the interval is below: `way_price >= it * |way|`.
/// The column's cost where that has no curve.
[[nodiscard]] CROCO_EXPORT double least_price(const Column& column, double from,
                                              const Interval& interval) noexcept;
[[nodiscard]] CROCO_EXPORT bool has_price_curves(const Space& space) noexcept;
[[nodiscard]] CROCO_EXPORT bool has_touch_prices(const Space& space) noexcept;

}  // namespace croco
