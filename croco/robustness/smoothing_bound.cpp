// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/smoothing_bound.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <croco/base/normal.hpp>
#include <croco/noise/sample.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/distance.hpp>
#include <croco/space/levels.hpp>

namespace croco {

std::string_view smoothing_obstacle(const Problem& problem) {
  if (problem.noise.shape == NoiseShape::correlated) return "the noise is correlated";
  if (problem.noise.shape != NoiseShape::gaussian) return "the noise is not gaussian";
  if (depends_on_point(problem.noise)) return "the noise depends on the advice";
  if (has_level_moves(problem.space)) return "categories may be changed";
  const Vector scales = scoped_scales(problem.noise, problem.space);
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (problem.space.movable(j) && scales[j] == 0) return "a column without noise may move";
  }
  // Flips are no obstacle while levels stay: the share of flips that the model accepts is a
  // function of the numbers with values in [0, 1], and the bound holds for every such function.
  // Columns of levels that may move have no noise of their own and were refused above.
  return {};
}

double smoothing_bound(const Problem& problem, View origin, double origin_rate, double target) {
  if (origin_rate <= target) return 0;
  // Standard deviations to go.
  const double length = normal_quantile(1 - target) - normal_quantile(1 - origin_rate);

  // Minimise sum_j price_j y_j over 0 <= y_j <= most_j with |y|_2 >= length, y in standard
  // deviations. The cost is concave in the squares q_j = y_j^2; below it lies the line from 0 to
  // its end, and a linear cost under sum_j q_j >= length^2 is spent greedily.
  struct Line {
    double per_square;
    double squares;
  };
  const Vector scales = scoped_scales(problem.noise, problem.space);
  std::vector<Line> lines;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    const Column& column = problem.space.columns[j];
    const Interval interval = admissible_interval(column, origin[j]);
    const double farthest = std::max(origin[j] - interval.lower, interval.upper - origin[j]);
    if (!(farthest > 0)) continue;
    const double most = std::min(farthest / scales[j], length);
    lines.push_back({least_price(column, origin[j], interval) * scales[j] / most, most * most});
  }
  std::ranges::sort(lines, {}, &Line::per_square);
  double left = length * length;
  double cost = 0;
  for (const Line& line : lines) {
    const double spent = std::min(left, line.squares);
    cost += line.per_square * spent;
    left -= spent;
    if (left <= 0) break;
  }
  // What is left after rounding alone is no reason to call anything impossible.
  constexpr double kRounding = 1e-9;
  if (left > kRounding * length * length) return std::numeric_limits<double>::infinity();
  return cost * (1 - kRounding);
}

}  // namespace croco
