// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change.hpp>

#include <algorithm>
#include <cmath>

namespace croco {

ChangeProblem change_problem(const Space& space, View origin) {
  ChangeProblem out;
  for (std::size_t j = 0; j < origin.size(); ++j) {
    const Column& column = space.columns[j];
    const Interval interval = admissible_interval(column, origin[j]);
    out.intervals.push_back({interval.lower - origin[j], interval.upper - origin[j]});
    out.costs.push_back(column.cost);
  }
  return out;
}

double cost_of(const ChangeProblem& problem, View change) noexcept {
  double cost = 0;
  for (std::size_t j = 0; j < change.size(); ++j) cost += problem.costs[j] * std::abs(change[j]);
  return cost;
}

Vector scaled_change(const ChangeProblem& problem, View change, double factor) {
  Vector out(change.begin(), change.end());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Interval& interval = problem.intervals[j];
    out[j] = std::clamp(factor * out[j], interval.lower, interval.upper);
  }
  return out;
}

Vector moved(View origin, View change) {
  Vector out(origin.begin(), origin.end());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += change[j];
  return out;
}

}  // namespace croco
