// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/trust_region.hpp>

#include <algorithm>
#include <cmath>

#include <croco/methods/change/priced_step.hpp>
#include <croco/optim/l1_program.hpp>

namespace croco {
namespace {

/// The merit's price of missing the constraint, in units of the cheapest way to gain it. Small, so
/// that the distance counts and useless coordinates stay; raised when a run gets stuck outside.
constexpr double kFirstPenalty = 3;
constexpr double kLastPenalty = 1000;

/// The largest rise of the constraint that a unit of cost buys.
double steepest(const ChangeProblem& problem, View prices, View gradient) {
  double best = 0;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const Interval& interval = problem.intervals[j];
    if (interval.lower == interval.upper) continue;
    best = std::max(best, std::abs(gradient[j]) / prices[j]);
  }
  return best;
}

/// The program of a step with relations. The constraint is the row that may be missed, so that only
/// contradictory relations make it infeasible; `mu` may be infinite.
bool step_with_rows(const ChangeProblem& problem, View change, const ConstraintValue& constraint,
                    double radius, double mu, MutableView next) {
  const std::size_t width = change.size();
  Vector numbers(3 * width);
  const MutableView lower(numbers.data(), width);
  const MutableView upper(numbers.data() + width, width);
  const MutableView falling(numbers.data() + 2 * width, width);
  double bound = constraint.value;
  for (std::size_t j = 0; j < width; ++j) {
    lower[j] = std::max(problem.intervals[j].lower, change[j] - problem.radius_in(j, radius));
    upper[j] = std::min(problem.intervals[j].upper, change[j] + problem.radius_in(j, radius));
    falling[j] = -constraint.gradient[j];
    bound -= constraint.gradient[j] * change[j];
  }
  L1Program program{problem.costs, lower, upper, {}};
  program.rows.reserve(problem.rows.size() + 1);
  program.rows.push_back({falling, bound, mu});
  for (const LinearRow& row : problem.rows) program.rows.push_back({row.coefficients, row.bound});
  const L1Solution found = solve(program);
  if (found.verdict != ProgramVerdict::optimal) return false;
  std::ranges::copy(found.point, next.begin());
  return true;
}

}  // namespace

void keep_finite(ConstraintValue& at) noexcept {
  constexpr double kMost = 1e150;
  const auto kept = [kMost](double value) {
    return std::isnan(value) ? 0.0 : std::clamp(value, -kMost, kMost);
  };
  at.value = std::isnan(at.value) ? -kMost : kept(at.value);
  for (double& slope : at.gradient) slope = kept(slope);
}

bool linear_step(const ChangeProblem& problem, View change, const ConstraintValue& constraint,
                 double radius, double mu, MutableView next) {
  if (!problem.curves.empty()) {
    return priced_step(problem, change, constraint.value, constraint.gradient, radius, mu, next);
  }
  if (!problem.rows.empty()) {
    return step_with_rows(problem, change, constraint, radius, mu, next);
  }
  const View gradient = constraint.gradient;
  double value = constraint.value;
  for (std::size_t j = 0; j < change.size(); ++j) {
    const double low =
        std::max(problem.intervals[j].lower, change[j] - problem.radius_in(j, radius));
    const double high =
        std::min(problem.intervals[j].upper, change[j] + problem.radius_in(j, radius));
    next[j] = std::clamp(0.0, low, high);
    value += gradient[j] * (next[j] - change[j]);
  }
  if (value >= 0) return true;
  const auto yield = [&](std::size_t j) { return std::abs(gradient[j]) / problem.costs[j]; };
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < change.size(); ++j) {
    // Elsewhere a unit of the constraint costs more than the penalty for missing it.
    if (!(mu * yield(j) <= 1)) order.push_back(j);
  }
  std::ranges::stable_sort(order, std::greater<>{}, yield);
  for (const std::size_t j : order) {
    if (value >= 0) break;
    const double low =
        std::max(problem.intervals[j].lower, change[j] - problem.radius_in(j, radius));
    const double high =
        std::min(problem.intervals[j].upper, change[j] + problem.radius_in(j, radius));
    const double wanted = next[j] - value / gradient[j];
    const double moved = std::clamp(wanted, low, high);
    value += gradient[j] * (moved - next[j]);
    next[j] = moved;
  }
  return true;
}

TrustRegionResult minimise_change(const ChangeProblem& problem, const Constraint& constraint,
                                  View start, const TrustRegionOptions& options) {
  // A start that was not made here may lie outside of what this person may change.
  Vector change = scaled_change(problem, start, 1.0);
  ConstraintValue at = constraint(change);
  TrustRegionResult best;
  best.evaluations = 1;
  double radius = options.radius;
  double cost = cost_of(problem, change);
  const bool repaired = problem.keeps_rows(change);
  const bool curved = !problem.curves.empty();
  const auto steepest_here = [&] {
    return curved ? steepest(problem, local_prices(problem, change, radius), at.gradient)
                  : steepest(problem, problem.costs, at.gradient);
  };
  const auto consider = [&] {
    const double slack = options.tolerance * steepest_here();
    if (!repaired || at.value < -slack || (best.feasible && cost >= best.cost)) return;
    best.feasible = true;
    best.change = change;
    best.cost = cost;
    best.constraint = at.value;
  };
  consider();
  double penalty = kFirstPenalty;
  Vector next(change.size());
  for (std::size_t iteration = 0; repaired && iteration < options.iterations; ++iteration) {
    if (options.stop.stop_requested()) break;
    const double slope = steepest_here();
    if (slope == 0) break;
    const double mu = penalty / slope;
    if (!linear_step(problem, change, at, radius, mu, next)) break;
    double linear = at.value;
    for (std::size_t j = 0; j < next.size(); ++j) linear += at.gradient[j] * (next[j] - change[j]);
    const auto merit = [&](double price, double value) {
      return price + mu * std::max(0.0, -value);
    };
    const double next_cost = cost_of(problem, next);
    const double predicted = merit(cost, at.value) - merit(next_cost, linear);
    // A relation can make the constraint costlier than its slopes say: outside, a step that leads
    // further out means that the penalty is below the real price.
    const bool outwards = !problem.rows.empty() && at.value < 0 && linear < at.value;
    if (predicted < options.precision || (outwards && penalty <= kLastPenalty)) {
      // An envelope may promise what its price does not keep; a shorter step is nearer to it.
      if (curved && at.value >= 0 && radius >= 10 * options.precision) {
        radius *= 0.35;
        continue;
      }
      // Stuck outside: the coordinates left are expensive, but the constraint comes first.
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
    if (radius < 10 * options.precision) {
      // Where the constraint bends, giving up a column loses more than its slope says, and the
      // merit gains nothing by any step: outside, the constraint comes first here too.
      if (at.value >= 0 || best.feasible || penalty > kLastPenalty) break;
      penalty *= 16;
      radius = options.radius;
    }
  }
  if (!best.feasible) {
    best.change = change;
    best.cost = cost;
    best.constraint = at.value;
  }
  return best;
}

}  // namespace croco
