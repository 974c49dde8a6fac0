// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/trust_region.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace croco {
namespace {

/// The merit's price of missing the constraint, in units of the cheapest way to gain it. Small, so
/// that the distance counts and useless coordinates stay; raised when a run gets stuck outside.
constexpr double kFirstPenalty = 3;
constexpr double kLastPenalty = 1000;

/// The largest rise of the constraint that a unit of cost buys.
double steepest(const ChangeProblem& problem, View gradient) {
  double best = 0;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const Interval& interval = problem.intervals[j];
    if (interval.lower == interval.upper) continue;
    best = std::max(best, std::abs(gradient[j]) / problem.costs[j]);
  }
  return best;
}

}  // namespace

void linear_step(const ChangeProblem& problem, View change, const ConstraintValue& constraint,
                 double radius, double mu, MutableView next) {
  const View gradient = constraint.gradient;
  double value = constraint.value;
  for (std::size_t j = 0; j < change.size(); ++j) {
    const double low = std::max(problem.intervals[j].lower, change[j] - radius);
    const double high = std::min(problem.intervals[j].upper, change[j] + radius);
    next[j] = std::clamp(0.0, low, high);
    value += gradient[j] * (next[j] - change[j]);
  }
  if (value >= 0) return;
  std::vector<std::size_t> order(change.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto yield = [&](std::size_t j) { return std::abs(gradient[j]) / problem.costs[j]; };
  std::ranges::stable_sort(order, std::greater<>{}, yield);
  for (const std::size_t j : order) {
    // Past this a unit of the constraint costs more than the penalty for missing it.
    if (value >= 0 || mu * yield(j) <= 1) return;
    const double low = std::max(problem.intervals[j].lower, change[j] - radius);
    const double high = std::min(problem.intervals[j].upper, change[j] + radius);
    const double wanted = next[j] - value / gradient[j];
    const double moved = std::clamp(wanted, low, high);
    value += gradient[j] * (moved - next[j]);
    next[j] = moved;
  }
}

TrustRegionResult minimise_change(const ChangeProblem& problem, const Constraint& constraint,
                                  View start, const TrustRegionOptions& options) {
  // A start from elsewhere may lie outside of what this person may change.
  Vector change = scaled_change(problem, start, 1.0);
  ConstraintValue at = constraint(change);
  TrustRegionResult best;
  best.evaluations = 1;
  double radius = options.radius;
  double cost = cost_of(problem, change);
  const auto consider = [&] {
    const double slack = options.tolerance * steepest(problem, at.gradient);
    if (at.value < -slack || (best.feasible && cost >= best.cost)) return;
    best.feasible = true;
    best.change = change;
    best.cost = cost;
    best.constraint = at.value;
  };
  consider();
  double penalty = kFirstPenalty;
  Vector next(change.size());
  for (std::size_t iteration = 0; iteration < options.iterations; ++iteration) {
    const double slope = steepest(problem, at.gradient);
    if (slope == 0) break;
    const double mu = penalty / slope;
    linear_step(problem, change, at, radius, mu, next);
    double linear = at.value;
    for (std::size_t j = 0; j < next.size(); ++j) linear += at.gradient[j] * (next[j] - change[j]);
    const auto merit = [&](double price, double value) {
      return price + mu * std::max(0.0, -value);
    };
    const double next_cost = cost_of(problem, next);
    const double predicted = merit(cost, at.value) - merit(next_cost, linear);
    if (predicted < options.precision) {
      // Stuck outside: the coordinates left are dear, but the constraint comes first.
      if (at.value >= 0 || penalty > kLastPenalty) break;
      penalty *= 4;
      radius = std::max(radius, options.radius);
      continue;
    }
    ConstraintValue reached = constraint(next);
    ++best.evaluations;
    const double actual = merit(cost, at.value) - merit(next_cost, reached.value);
    const double ratio = actual / predicted;
    if (ratio >= 0.1) {
      change.swap(next);
      at = std::move(reached);
      cost = next_cost;
      consider();
      if (ratio >= 0.75) radius *= 2;
      if (ratio < 0.3) radius *= 0.6;
    } else {
      radius *= 0.35;
    }
    if (radius < 10 * options.precision) break;
  }
  if (!best.feasible) {
    best.change = change;
    best.cost = cost;
    best.constraint = at.value;
  }
  return best;
}

}  // namespace croco
