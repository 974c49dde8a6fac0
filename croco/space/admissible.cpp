// SPDX-License-Identifier: Apache-2.0
#include <croco/space/admissible.hpp>

#include <algorithm>
#include <cmath>

#include <croco/space/features.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// A value this near to a step, in steps, is on it.
constexpr double kOnStep = 1e-9;

double round_column(const Column& column, double origin, double value, Rounding rounding) {
  const Interval interval = admissible_interval(column, origin);
  value = std::clamp(value, interval.lower, interval.upper);
  if (column.step == 0 || value == origin) return value;
  const auto steps = [&](double v) { return (v - column.step_origin) / column.step; };
  const auto at = [&](double k) { return column.step_origin + k * column.step; };
  const bool up = value > origin;
  const double nearest = std::round(steps(value));
  double k = nearest;
  if (rounding == Rounding::outward && std::abs(steps(value) - nearest) > kOnStep) {
    k = up ? std::ceil(steps(value)) : std::floor(steps(value));
  }
  // Step inwards while outside of the interval; the origin itself is where the walk ends.
  const double low = std::ceil(steps(interval.lower) - kOnStep);
  const double high = std::floor(steps(interval.upper) + kOnStep);
  k = std::min(std::max(k, low), high);
  if (k < low || k > high) return origin;
  const bool crosses_origin = up ? at(k) < origin : at(k) > origin;
  // Rounding must not turn a rise into a fall: the present value is the nearer choice then.
  if (crosses_origin) return origin;
  if (rounding == Rounding::nearest && std::abs(value - origin) < std::abs(value - at(k))) {
    return origin;
  }
  return at(k);
}

/// Categories that moved as they may: columns cannot tell on their own.
void restore_moves(const Space& space, View origin, View given, MutableView point) {
  for (const OneHotGroup& group : space.groups) {
    if (group.moves.empty()) continue;
    const std::size_t level = level_at(group, given);
    if (find_move(group, level_at(group, origin), level) != nullptr) {
      set_level(group, level, point);
    }
  }
}

}  // namespace

Interval admissible_interval(const Column& column, double origin) noexcept {
  const double lower = std::max(std::min(column.lower, origin), origin - column.max_change);
  const double upper = std::min(std::max(column.upper, origin), origin + column.max_change);
  switch (column.movement) {
    case Movement::both:
      return {lower, upper};
    case Movement::up:
      return {origin, upper};
    case Movement::down:
      return {lower, origin};
    case Movement::fixed:
      break;
  }
  return {origin, origin};
}

std::optional<double> admissible_beyond(const Column& column, double origin, double value,
                                        bool up) noexcept {
  const Interval interval = admissible_interval(column, origin);
  value = up ? std::max(value, interval.lower) : std::min(value, interval.upper);
  if (up ? value > interval.upper : value < interval.lower) return std::nullopt;
  if (column.step == 0) return value;
  const double steps = (value - column.step_origin) / column.step;
  const double k = up ? std::ceil(steps - kOnStep) : std::floor(steps + kOnStep);
  const double on_step = column.step_origin + k * column.step;
  const double slack = kOnStep * column.step;
  const bool inside = on_step >= interval.lower - slack && on_step <= interval.upper + slack;
  // The present value needs no step.
  const bool origin_beyond = up ? origin >= value : origin <= value;
  const bool origin_nearer = up ? origin < on_step : origin > on_step;
  if (origin_beyond && (!inside || origin_nearer)) return origin;
  if (!inside) return std::nullopt;
  return std::clamp(on_step, interval.lower, interval.upper);
}

void clamp(const Space& space, View origin, MutableView point) noexcept {
  for (std::size_t j = 0; j < point.size(); ++j) {
    const Interval interval = admissible_interval(space.columns[j], origin[j]);
    point[j] = std::clamp(point[j], interval.lower, interval.upper);
  }
}

void round(const Space& space, View origin, MutableView point, Rounding rounding) {
  const Vector given(point.begin(), point.end());
  for (std::size_t j = 0; j < point.size(); ++j) {
    point[j] = round_column(space.columns[j], origin[j], point[j], rounding);
  }
  restore_moves(space, origin, given, point);
}

bool is_admissible(const Space& space, View origin, View point) {
  Vector rounded(point.begin(), point.end());
  round(space, origin, rounded, Rounding::nearest);
  for (std::size_t j = 0; j < point.size(); ++j) {
    const double unit = space.columns[j].step == 0 ? 1.0 : space.columns[j].step;
    if (std::abs(rounded[j] - point[j]) > kOnStep * unit) return false;
  }
  if (space.most_changed < changed_features(space, origin, point).size()) return false;
  return std::ranges::all_of(space.relations, [&](const Relation& relation) {
    return row_of(relation, origin).holds(point);
  });
}

}  // namespace croco
