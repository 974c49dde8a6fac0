// SPDX-License-Identifier: Apache-2.0
#include <croco/space/price_curve.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

void require_rising(const char* name, View numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i]) && (i == 0 || numbers[i - 1] < numbers[i])) continue;
    throw InvalidArgument(fmt::format("price curve: {} {} is {}; they must be finite and rise",
                                      name, i + 1, numbers[i]));
  }
}

/// Linear between the knots, with the slope `beyond` behind the ends.
double interpolated(View from, View to, double beyond, double x) noexcept {
  const auto above = std::ranges::upper_bound(from, x);
  if (above == from.begin()) return to.front() - beyond * (from.front() - x);
  if (above == from.end()) return to.back() + beyond * (x - from.back());
  const auto i = static_cast<std::size_t>(above - from.begin());
  return to[i - 1] + (to[i] - to[i - 1]) * ((x - from[i - 1]) / (from[i] - from[i - 1]));
}

}  // namespace

PriceCurve::PriceCurve(Vector values, Vector levels, double beyond)
    : values_(std::move(values)), levels_(std::move(levels)), beyond_(beyond) {
  if (values_.empty() || values_.size() != levels_.size()) {
    throw InvalidArgument(
        fmt::format("price curve: has {} values and {} levels; it needs as many of both, and one "
                    "at least",
                    values_.size(), levels_.size()));
  }
  require_rising("value", values_);
  require_rising("level", levels_);
  if (!(beyond_ > 0) || !std::isfinite(beyond_)) {
    throw InvalidArgument(fmt::format(
        "price curve: the slope beyond its ends is {}; it must be finite and above 0", beyond_));
  }
}

double PriceCurve::level(double value) const noexcept {
  return interpolated(values_, levels_, beyond_, value);
}

double PriceCurve::value(double level) const noexcept {
  return interpolated(levels_, values_, 1 / beyond_, level);
}

double PriceCurve::slope(double value) const noexcept {
  const auto piece = [&](std::size_t i) {  // the one that ends at knot i
    if (i == 0 || i == values_.size()) return beyond_;
    return (levels_[i] - levels_[i - 1]) / (values_[i] - values_[i - 1]);
  };
  const auto i =
      static_cast<std::size_t>(std::ranges::lower_bound(values_, value) - values_.begin());
  if (i < values_.size() && values_[i] == value) return (piece(i) + piece(i + 1)) / 2;
  return piece(i);
}

double PriceCurve::least_slope(double from, double lower, double upper) const noexcept {
  // From one point, the mean slope to where a piece goes is monotone along the piece: the least one
  // is at a knot, at an end, at infinity, or right beside the point.
  const double here = level(from);
  double least = beyond_;
  const auto consider = [&](double to) {
    if (to != from && std::isfinite(to) && to >= lower && to <= upper) {
      least = std::min(least, (level(to) - here) / (to - from));
    }
  };
  for (const double knot : values_) consider(knot);
  consider(lower);
  consider(upper);
  const auto next = std::ranges::upper_bound(values_, from);
  const auto last = std::ranges::lower_bound(values_, from);
  // The pieces on both sides of the point, whole: their knots may lie out of reach.
  if (next != values_.end()) least = std::min(least, (level(*next) - here) / (*next - from));
  if (last != values_.begin()) {
    const double knot = *std::prev(last);
    least = std::min(least, (here - level(knot)) / (from - knot));
  }
  // A hair less, for the rounding of the levels themselves.
  return least * (1 - 1e-9);
}

}  // namespace croco
