// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/whole_steps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <croco/methods/relation_steps.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

bool stepped(const Space& space, View change, std::size_t j) noexcept {
  return change[j] != 0 && space.columns[j].step != 0;
}

}  // namespace

bool has_steps(const Space& space, View change) noexcept {
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (stepped(space, change, j)) return true;
  }
  return false;
}

bool only_steps(const Space& space, View change) noexcept {
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (change[j] != 0 && space.columns[j].continuous && !stepped(space, change, j)) return false;
  }
  return true;
}

std::vector<std::size_t> coarse_columns(const Space& space, const ChangeProblem& changes,
                                        View change) {
  constexpr double kCoarse = 0.02;
  constexpr std::size_t kMost = 3;
  const double cost = cost_of(changes, change);
  const auto step_cost = [&](std::size_t j) {
    return step_price(changes, j, change[j], space.columns[j].step);
  };
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (stepped(space, change, j) && step_cost(j) > kCoarse * cost) columns.push_back(j);
  }
  std::ranges::stable_sort(columns, std::greater<>{}, step_cost);
  columns.resize(std::min(columns.size(), kMost));
  return columns;
}

double change_on_step(const Space& space, View origin, View change, std::size_t column,
                      bool outward) {
  Vector point = moved(origin, change);
  round(space, origin, point, Rounding::outward);
  const double outside = point[column] - origin[column];
  if (outward) return outside;
  const double step = std::copysign(space.columns[column].step, change[column]);
  const double inside = std::abs(outside) > std::abs(change[column]) ? outside - step : outside;
  // The present value is always admissible, and nothing goes past it.
  if (inside * step <= 0) return 0;
  point[column] = origin[column] + inside;
  round(space, origin, point, Rounding::nearest);
  return point[column] - origin[column];
}

std::vector<Vector> whole_step_changes(const Space& space, const ChangeProblem& changes,
                                       View origin, View change) {
  constexpr std::size_t kEnumerated = 3;
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (stepped(space, change, j)) columns.push_back(j);
  }
  // Where a step costs most, its choice matters most.
  std::ranges::stable_sort(columns, std::greater<>{}, [&](std::size_t j) {
    return step_price(changes, j, change[j], space.columns[j].step);
  });
  columns.resize(std::min(columns.size(), kEnumerated));

  Vector outward(origin.begin(), origin.end());
  for (std::size_t j = 0; j < outward.size(); ++j) outward[j] += change[j];
  round(space, origin, outward, Rounding::outward);
  std::vector<Vector> points{outward};
  for (const std::size_t j : columns) {
    const double step = std::copysign(space.columns[j].step, change[j]);
    std::vector<Vector> more;
    for (const Vector& point : points) {
      for (const double steps : {-2.0, -1.0, 0.0, 1.0}) {
        Vector& moved = more.emplace_back(point);
        moved[j] += steps * step;
        // A step towards the person may not go past them.
        if ((moved[j] - origin[j]) * step <= 0) moved[j] = origin[j];
        round(space, origin, moved, Rounding::nearest);
      }
    }
    points = std::move(more);
  }
  if (!changes.rows.empty()) {
    std::erase_if(points, [&](Vector& point) {
      return !round_within_relations(space, changes, origin, point, Rounding::nearest);
    });
  }
  for (Vector& point : points) {
    for (std::size_t j = 0; j < point.size(); ++j) point[j] -= origin[j];
  }
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::ranges::stable_sort(points, {},
                           [&](const Vector& point) { return cost_of(changes, point); });
  return points;
}

}  // namespace croco
