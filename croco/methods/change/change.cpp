// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/change.hpp>

#include <algorithm>
#include <cmath>

#include <croco/optim/l1_program.hpp>

namespace croco {
namespace {

/// How far around the present value a curve's mean price is taken, in encoded units.
constexpr double kNear = 0.1;

}  // namespace

ChangeProblem change_problem(const Space& space, View origin) {
  ChangeProblem out;
  for (std::size_t j = 0; j < origin.size(); ++j) {
    const Column& column = space.columns[j];
    const Interval interval = admissible_interval(column, origin[j]);
    out.intervals.push_back({interval.lower - origin[j], interval.upper - origin[j]});
    out.costs.push_back(column.cost);
    out.spans.push_back(column.span);
    if (column.price.empty()) continue;
    out.curves.resize(origin.size());
    out.curves[j] = {&column.price, origin[j], column.cost};
    const double rise =
        column.price.level(origin[j] + kNear) - column.price.level(origin[j] - kNear);
    out.costs[j] = column.cost * rise / (2 * kNear);
  }
  out.rows = rows_of(space.relations, origin);
  for (LinearRow& row : out.rows) row.bound = -row.excess(origin);
  return out;
}

bool ChangeProblem::keeps_rows(View change) const noexcept {
  return std::ranges::all_of(rows, [&](const LinearRow& row) { return row.holds(change); });
}

std::optional<Vector> nearest_change(const ChangeProblem& problem, View change) {
  Vector lower;
  Vector upper;
  for (std::size_t j = 0; j < change.size(); ++j) {
    lower.push_back(problem.intervals[j].lower - change[j]);
    upper.push_back(problem.intervals[j].upper - change[j]);
  }
  L1Program program{problem.costs, lower, upper, {}};
  for (const LinearRow& row : problem.rows) {
    program.rows.push_back({.coefficients = row.coefficients, .bound = -row.excess(change)});
  }
  L1Solution found = solve(program);
  if (found.verdict != ProgramVerdict::optimal) return std::nullopt;
  for (std::size_t j = 0; j < change.size(); ++j) {
    const Interval& interval = problem.intervals[j];
    // An end is reached exactly, and what did not move is not rounded.
    double& value = found.point[j];
    value = value == lower[j]   ? interval.lower
            : value == upper[j] ? interval.upper
                                : std::clamp(change[j] + value, interval.lower, interval.upper);
  }
  return std::move(found.point);
}

double price_of(const ChangeProblem& problem, std::size_t column, double change) noexcept {
  if (!problem.has_curve(column)) return problem.costs[column] * std::abs(change);
  const ColumnCurve& priced = problem.curves[column];
  return priced.cost *
         std::abs(priced.curve->level(priced.origin + change) - priced.curve->level(priced.origin));
}

double reach_of(const ChangeProblem& problem, std::size_t column, bool up, double price) noexcept {
  if (!problem.has_curve(column) || std::isinf(price)) return price / problem.costs[column];
  const ColumnCurve& priced = problem.curves[column];
  const double levels = up ? price / priced.cost : -price / priced.cost;
  const double end = priced.curve->value(priced.curve->level(priced.origin) + levels);
  return up ? end - priced.origin : priced.origin - end;
}

double step_price(const ChangeProblem& problem, std::size_t column, double change,
                  double step) noexcept {
  if (!problem.has_curve(column)) return problem.costs[column] * step;
  const double further = std::copysign(step, change);
  const double here = price_of(problem, column, change);
  if (change != 0) return price_of(problem, column, change + further) - here;
  return (price_of(problem, column, step) + price_of(problem, column, -step)) / 2;
}

double cost_of(const ChangeProblem& problem, View change) noexcept {
  double cost = 0;
  for (std::size_t j = 0; j < change.size(); ++j) cost += price_of(problem, j, change[j]);
  return cost;
}

Vector scaled_change(const ChangeProblem& problem, View change, double factor) {
  Vector out(change.begin(), change.end());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Interval& interval = problem.intervals[j];
    double scaled = factor * out[j];
    // Where prices rise steeply a slightly longer change costs much more, so it is the price that
    // grows.
    if (problem.has_curve(j) && factor != 1 && out[j] != 0) {
      const double price = factor * price_of(problem, j, out[j]);
      scaled = std::copysign(reach_of(problem, j, out[j] > 0, price), out[j]);
    }
    out[j] = std::clamp(scaled, interval.lower, interval.upper);
  }
  if (!problem.keeps_rows(out)) {
    if (std::optional<Vector> nearest = nearest_change(problem, out)) return std::move(*nearest);
  }
  return out;
}

Vector steepest_change(const ChangeProblem& problem, View change, View slopes, double radius) {
  const std::size_t width = change.size();
  Vector lower(width);
  Vector upper(width);
  Vector out(width);
  Vector falling(width);
  double most = 0;
  double largest = 0;
  for (std::size_t j = 0; j < width; ++j) {
    const Interval& interval = problem.intervals[j];
    // Rounding may leave a column beside its end; one that is farther out stays there.
    constexpr double kBeside = 1e-9;
    const bool out_of_reach =
        change[j] < interval.lower - kBeside || change[j] > interval.upper + kBeside;
    if (!out_of_reach) {
      lower[j] = std::min(0.0, std::max(interval.lower - change[j], -problem.radius_in(j, radius)));
      upper[j] = std::max(0.0, std::min(interval.upper - change[j], problem.radius_in(j, radius)));
    }
    const double step = slopes[j] > 0 ? upper[j] : slopes[j] < 0 ? lower[j] : 0.0;
    out[j] = change[j] + step;
    most += slopes[j] * step;
    falling[j] = -slopes[j];
    largest = std::max(largest, std::abs(slopes[j]));
  }
  if (!(most > 0) || problem.keeps_rows(out)) return out;
  // More than can be had is wanted, at a price that nearly every slope is worth.
  constexpr double kWorth = 1e6;
  const Vector costs(width, 1.0);
  L1Program program{costs, lower, upper, {{falling, -2 * most, kWorth / largest}}};
  for (const LinearRow& row : problem.rows) {
    program.rows.push_back({.coefficients = row.coefficients, .bound = -row.excess(change)});
  }
  const L1Solution found = solve(program);
  if (found.verdict != ProgramVerdict::optimal) return {change.begin(), change.end()};
  for (std::size_t j = 0; j < width; ++j) out[j] = change[j] + found.point[j];
  return out;
}

Vector moved(View origin, View change) {
  Vector out(origin.begin(), origin.end());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += change[j];
  return out;
}

}  // namespace croco
