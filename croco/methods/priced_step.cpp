// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/priced_step.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <croco/optim/l1_program.hpp>

namespace croco {
namespace {

/// Programs need prices above 0; curves rise, but by less than rounding perhaps.
constexpr double kLeastPrice = 1e-12;

struct Place {
  double change;
  double price;
};

/// A stretch of a column on which a unit costs the same, and more than before it.
struct Segment {
  std::size_t column;
  double from;  ///< the end nearer to 0
  double to;
  double price;  ///< of a unit
};

/// The convex envelope of a column's price from the change `base` out to `end`.
void add_segments(const ChangeProblem& problem, std::size_t column, double base, double end,
                  std::vector<Segment>& segments) {
  if (base == end) return;
  const auto place = [&](double change) {
    return Place{change, price_of(problem, column, change)};
  };
  const auto slope = [](const Place& a, const Place& b) {
    return (b.price - a.price) / std::abs(b.change - a.change);
  };
  std::vector<Place> hull{place(base)};
  const auto add = [&](const Place& next) {
    while (hull.size() >= 2 &&
           slope(hull[hull.size() - 2], hull.back()) >= slope(hull.back(), next))
      hull.pop_back();
    hull.push_back(next);
  };
  if (problem.has_curve(column)) {
    const ColumnCurve& priced = problem.curves[column];
    const View knots = priced.curve->values();
    const double low = priced.origin + std::min(base, end);
    const double high = priced.origin + std::max(base, end);
    const auto first = std::ranges::upper_bound(knots, low);
    const auto last = std::ranges::lower_bound(first, knots.end(), high);
    const auto inner = [&](double knot) {
      const double change = knot - priced.origin;
      // Rounding must not fold the hull back on itself.
      if ((change - hull.back().change) * (end - change) > 0) add(place(change));
    };
    if (end > base) {
      std::for_each(first, last, inner);
    } else {
      std::for_each(std::reverse_iterator(last), std::reverse_iterator(first), inner);
    }
  }
  add(place(end));
  for (std::size_t i = 1; i < hull.size(); ++i) {
    segments.push_back({column, hull[i - 1].change, hull[i].change,
                        std::max(slope(hull[i - 1], hull[i]), kLeastPrice)});
  }
}

}  // namespace

bool priced_step(const ChangeProblem& problem, View change, double value, View gradient,
                 double radius, double mu, MutableView next) {
  // Prices rise away from 0, so the cheapest value of a column is the one nearest to 0, and every
  // stretch away from it is a column of the program with a price of its own. Envelopes are convex:
  // no program fills a stretch before those that are cheaper and come first.
  std::vector<Segment> segments;
  double bound = value;
  for (std::size_t j = 0; j < change.size(); ++j) {
    const Interval& interval = problem.intervals[j];
    const double low = std::max(interval.lower, change[j] - radius);
    const double high = std::max(low, std::min(interval.upper, change[j] + radius));
    next[j] = std::clamp(0.0, low, high);
    bound += gradient[j] * (next[j] - change[j]);
    add_segments(problem, j, next[j], high, segments);
    add_segments(problem, j, next[j], low, segments);
  }
  const std::size_t width = segments.size();
  Vector numbers((4 + problem.rows.size()) * width);
  const auto part = [&](std::size_t index) {
    return MutableView(numbers.data() + index * width, width);
  };
  const MutableView prices = part(0);
  const MutableView lower = part(1);
  const MutableView upper = part(2);
  const MutableView falling = part(3);
  for (std::size_t s = 0; s < width; ++s) {
    const Segment& segment = segments[s];
    prices[s] = segment.price;
    lower[s] = std::min(0.0, segment.to - segment.from);
    upper[s] = std::max(0.0, segment.to - segment.from);
    falling[s] = -gradient[segment.column];
  }
  L1Program program{prices, lower, upper, {{falling, bound, mu}}};
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const LinearRow& row = problem.rows[i];
    const MutableView coefficients = part(4 + i);
    for (std::size_t s = 0; s < width; ++s) {
      coefficients[s] = row.coefficients[segments[s].column];
    }
    program.rows.push_back({coefficients, -row.excess(next)});
  }
  const L1Solution found = solve(program);
  if (found.verdict != ProgramVerdict::optimal) return false;
  for (std::size_t s = 0; s < width; ++s) {
    const Segment& segment = segments[s];
    const double moved = found.point[s];
    if (moved == 0) continue;
    // A stretch that was gone to its end is at its end exactly.
    double& at = next[segment.column];
    const bool whole = moved == segment.to - segment.from;
    at = whole && at == segment.from ? segment.to : at + moved;
  }
  return true;
}

Vector local_prices(const ChangeProblem& problem, View change, double radius) {
  Vector prices = problem.costs;
  for (std::size_t j = 0; j < prices.size(); ++j) {
    if (!problem.has_curve(j)) continue;
    const ColumnCurve& priced = problem.curves[j];
    const double here = priced.origin + change[j];
    const double rise = priced.curve->level(here + radius) - priced.curve->level(here - radius);
    prices[j] = std::max(priced.cost * rise / (2 * radius), kLeastPrice);
  }
  return prices;
}

}  // namespace croco
