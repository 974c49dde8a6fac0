// SPDX-License-Identifier: Apache-2.0
/// What the way from one value to another costs where a unit is not worth the same everywhere.
///
///     const croco::PriceCurve curve({0, 1, 10}, {0, 5, 6}, 0.1);  // the first unit is expensive
///     const double price = curve.level(1) - curve.level(0);
#pragma once

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>

namespace croco {

/// A rising piecewise linear level over the values of a column. The way from a value to another one
/// is worth the difference of their levels. Empty: every unit is worth the same.
class CROCO_EXPORT PriceCurve {
 public:
  PriceCurve() = default;
  /// Levels at knots, both finite and strictly rising, at least one; before the first and behind
  /// the last knot the level goes on with the slope `beyond`, > 0, so that nothing out there is
  /// free. Throws InvalidArgument.
  PriceCurve(Vector values, Vector levels, double beyond);

  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  /// The values of the knots, rising.
  [[nodiscard]] View values() const noexcept { return values_; }
  // The others need a curve that is not empty.
  [[nodiscard]] double level(double value) const noexcept;
  /// The value with this level.
  [[nodiscard]] double value(double level) const noexcept;
  /// The slope around a value; at a knot the mean of both sides. Above 0.
  [[nodiscard]] double slope(double value) const noexcept;
  /// The least worth, per unit of the way, of any way from `from` that ends in `lower .. upper`,
  /// which may be infinite and hold `from`: `|level(to) - level(from)| >= least |to - from|`.
  [[nodiscard]] double least_slope(double from, double lower, double upper) const noexcept;

  bool operator==(const PriceCurve&) const = default;

 private:
  Vector values_;
  Vector levels_;
  double beyond_ = 1.0;
};

}  // namespace croco
