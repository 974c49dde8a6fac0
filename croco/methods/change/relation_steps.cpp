// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/relation_steps.hpp>

#include <algorithm>
#include <cmath>

namespace croco {
namespace {

/// Columns that are moved at most; relations are few, and each move repairs one as far as it can.
constexpr std::size_t kMoves = 32;

Vector change_to(View origin, View point) {
  Vector change(point.begin(), point.end());
  for (std::size_t j = 0; j < change.size(); ++j) change[j] -= origin[j];
  return change;
}

double violation(const ChangeProblem& changes, View change) {
  double sum = 0;
  for (const LinearRow& row : changes.rows) sum += std::max(0.0, row.excess(change));
  return sum;
}

/// The admissible value of a column that repairs a row, or comes nearest to that.
double repairing_value(const Column& column, double origin, double value, double wanted, bool up) {
  if (const auto beyond = admissible_beyond(column, origin, wanted, up)) return *beyond;
  const Interval interval = admissible_interval(column, origin);
  const double end = up ? interval.upper : interval.lower;
  return admissible_beyond(column, origin, end, !up).value_or(value);
}

}  // namespace

std::optional<Vector> repaired_between_steps(const Space& space, const ChangeProblem& changes,
                                             View change) {
  ChangeProblem fixed = changes;
  for (std::size_t j = 0; j < change.size(); ++j) {
    // Relations are about numbers: categories stay wherever they are.
    if (space.columns[j].step != 0 || !space.columns[j].continuous) {
      fixed.intervals[j] = {change[j], change[j]};
    }
  }
  return nearest_change(fixed, change);
}

bool round_within_relations(const Space& space, const ChangeProblem& changes, View origin,
                            MutableView point, Rounding rounding) {
  round(space, origin, point, rounding);
  Vector change = change_to(origin, point);
  const auto done = [&](View kept) {
    for (std::size_t j = 0; j < point.size(); ++j) {
      // What did not move keeps its exact value.
      if (kept[j] != point[j] - origin[j]) point[j] = origin[j] + kept[j];
    }
    return true;
  };
  for (std::size_t move = 0; move <= kMoves; ++move) {
    if (changes.keeps_rows(change)) return done(change);
    if (const auto repaired = repaired_between_steps(space, changes, change))
      return done(*repaired);
    const auto worst = std::ranges::max_element(
        changes.rows, {}, [&](const LinearRow& row) { return row.excess(change); });
    const double excess = worst->excess(change);
    double least = violation(changes, change);
    double cheapest = 0;
    std::optional<Vector> best;
    for (std::size_t j = 0; j < change.size(); ++j) {
      const double slope = worst->coefficients[j];
      if (slope == 0) continue;
      const double value = origin[j] + change[j];
      Vector next = change;
      next[j] =
          repairing_value(space.columns[j], origin[j], value, value - excess / slope, slope < 0) -
          origin[j];
      if (next[j] == change[j]) continue;
      const double missing = violation(changes, next);
      const double cost = cost_of(changes, next);
      if (missing > least || (missing == least && (!best || cost >= cheapest))) continue;
      least = missing;
      cheapest = cost;
      best = std::move(next);
    }
    if (!best) return false;
    change = std::move(*best);
  }
  return false;
}

bool round_within_relations(const Space& space, View origin, MutableView point, Rounding rounding) {
  if (!space.relations.empty()) {
    return round_within_relations(space, change_problem(space, origin), origin, point, rounding);
  }
  round(space, origin, point, rounding);
  return true;
}

}  // namespace croco
