// SPDX-License-Identifier: Apache-2.0
#include <croco/space/distance.hpp>

#include <algorithm>
#include <cmath>

#include <croco/space/levels.hpp>

namespace croco {

Distances distances(const Space& space, View origin, View point) noexcept {
  Distances out;
  double squares = 0;
  for (std::size_t j = 0; j < point.size(); ++j) {
    const double change = std::abs(point[j] - origin[j]) / space.columns[j].span;
    out.l0 += change != 0 ? 1U : 0U;
    out.l1 += change;
    squares += change * change;
    out.linf = std::max(out.linf, change);
    if (!space.columns[j].continuous || change == 0) continue;
    out.cost += way_price(space.columns[j], origin[j], point[j]);
    out.touch_price += space.columns[j].touch_price;
  }
  for (const OneHotGroup& group : space.groups) {
    out.level_price += level_price(space, group, level_at(group, origin), level_at(group, point));
  }
  out.cost += out.level_price + out.touch_price;
  out.l2 = std::sqrt(squares);
  return out;
}

double way_price(const Column& column, double from, double to) noexcept {
  if (column.price.empty()) return column.cost * std::abs(to - from);
  return column.cost * std::abs(column.price.level(to) - column.price.level(from));
}

double least_price(const Column& column, double from, const Interval& interval) noexcept {
  if (column.price.empty()) return column.cost;
  return column.cost * column.price.least_slope(from, interval.lower, interval.upper);
}

bool has_price_curves(const Space& space) noexcept {
  return std::ranges::any_of(space.columns, [](const Column& c) { return !c.price.empty(); });
}

bool has_touch_prices(const Space& space) noexcept {
  return std::ranges::any_of(space.columns, [](const Column& c) { return c.touch_price > 0; });
}

}  // namespace croco
