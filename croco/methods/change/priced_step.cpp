// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/priced_step.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include <croco/optim/l1_program.hpp>

namespace croco {
namespace {

/// Programs need prices above 0; curves rise, but by less than rounding perhaps.
constexpr double kLeastPrice = 1e-12;

/// Programs solved for one step at most, and how near to the best that needs to come.
constexpr std::size_t kMostRegions = 25;
constexpr double kNearEnough = 1e-3;

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

/// The linearised constraint of a step: `value + gradient . (next - change) >= 0`, or a penalty.
struct Linearised {
  View change;
  double value;
  View gradient;
  double mu;

  [[nodiscard]] double penalty(View next) const {
    double at = value;
    for (std::size_t j = 0; j < next.size(); ++j) at += gradient[j] * (next[j] - change[j]);
    return at < 0 ? -at * mu : 0;
  }
};

/// Part of the trust region, and the best change of it by the envelopes of its prices.
struct Region {
  std::vector<Interval> sides;
  Vector next = {};
  double bound = 0.0;  ///< what every change in it costs at least, penalty included

  /// The lowest bound first.
  bool operator<(const Region& other) const { return bound > other.bound; }
};

/// Fills in the rest of a region; false when no change in it keeps the rows.
bool solve_envelopes(const ChangeProblem& problem, const Linearised& step, Region& region) {
  // Prices rise away from 0, so the cheapest value of a column is the one nearest to 0, and every
  // stretch away from it is a column of the program with a price of its own. Envelopes are convex:
  // no program fills a stretch before those that are cheaper and come first.
  std::vector<Segment> segments;
  Vector& next = region.next;
  next.resize(region.sides.size());
  region.bound = 0;
  double bound = step.value;
  for (std::size_t j = 0; j < next.size(); ++j) {
    const Interval& side = region.sides[j];
    next[j] = std::clamp(0.0, side.lower, side.upper);
    region.bound += price_of(problem, j, next[j]);
    bound += step.gradient[j] * (next[j] - step.change[j]);
    add_segments(problem, j, next[j], side.upper, segments);
    add_segments(problem, j, next[j], side.lower, segments);
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
    falling[s] = -step.gradient[segment.column];
  }
  L1Program program{prices, lower, upper, {{falling, bound, step.mu}}};
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
  region.bound += found.cost;
  for (std::size_t s = 0; s < width; ++s) {
    const Segment& segment = segments[s];
    const double moved = found.point[s];
    if (moved == 0) continue;
    // A stretch that was gone to its end is at its end exactly.
    double& at = next[segment.column];
    const bool whole = moved == segment.to - segment.from;
    at = whole && at == segment.from ? segment.to : at + moved;
  }
  region.bound += step.penalty(next);
  return true;
}

/// The column whose price is farthest above its envelope.
std::size_t widest_gap(const ChangeProblem& problem, const Region& region) {
  std::size_t widest = 0;
  double most = -1;
  std::vector<Segment> segments;
  for (std::size_t j = 0; j < region.next.size(); ++j) {
    const double at = region.next[j];
    const Interval& side = region.sides[j];
    const double base = std::clamp(0.0, side.lower, side.upper);
    segments.clear();
    add_segments(problem, j, base, at > base ? side.upper : side.lower, segments);
    double envelope = price_of(problem, j, base);
    for (const Segment& segment : segments) {
      const double length = std::abs(segment.to - segment.from);
      envelope += segment.price * std::min(length, std::abs(at - segment.from));
      if (std::abs(at - base) <= std::abs(segment.to - base)) break;
    }
    const double gap = price_of(problem, j, at) - envelope;
    if (gap <= most) continue;
    most = gap;
    widest = j;
  }
  return widest;
}

}  // namespace

bool priced_step(const ChangeProblem& problem, View change, double value, View gradient,
                 double radius, double mu, MutableView next) {
  const Linearised step{change, value, gradient, mu};
  Region whole;
  for (std::size_t j = 0; j < change.size(); ++j) {
    const Interval& interval = problem.intervals[j];
    const double low = std::max(interval.lower, change[j] - problem.radius_in(j, radius));
    whole.sides.push_back(
        {low, std::max(low, std::min(interval.upper, change[j] + problem.radius_in(j, radius)))});
  }
  if (!solve_envelopes(problem, step, whole)) return false;
  // An envelope is below its price between the places where they meet. There the column's side is
  // cut in two, each half with a tighter envelope.
  std::priority_queue<Region> open;
  open.push(std::move(whole));
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t solved = 1; !open.empty();) {
    const Region region = open.top();
    open.pop();
    if (region.bound >= best * (1 - kNearEnough)) break;
    const double cost = cost_of(problem, region.next) + step.penalty(region.next);
    if (cost < best) {
      best = cost;
      std::ranges::copy(region.next, next.begin());
    }
    if (solved >= kMostRegions || cost - region.bound <= kNearEnough * cost) continue;
    const std::size_t cut = widest_gap(problem, region);
    for (const bool above : {false, true}) {
      Region half{region.sides};
      (above ? half.sides[cut].lower : half.sides[cut].upper) = region.next[cut];
      ++solved;
      if (solve_envelopes(problem, step, half)) open.push(std::move(half));
    }
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
