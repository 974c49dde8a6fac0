// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/smoothing_bound.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

Problem problem_of(const Model& model, const Space& space, Noise noise) {
  return {model, space, std::move(noise), Goal(), 0, true};
}

/// For a linear model with one steep column the bound is what it costs.
TEST(SmoothingBound, IsExactForALinearModelOfOneColumn) {
  const Mlp model = fixtures::logistic({2}, -1);
  Space space = fixtures::free_space(1);
  space.columns[0].cost = 3;
  const Problem problem = problem_of(model, space, {.scale = 0.1});
  const Vector origin{0.2};  // a margin of -.6 and a deviation of .2: the rate is Phi(3)
  const double bound = smoothing_bound(problem, origin, normal_cdf(3), 0.05);
  EXPECT_NEAR(bound, 3 * 0.1 * (3 + normal_quantile(0.95)), 1e-6);
}

TEST(SmoothingBound, TakesTheCheapestColumnPerDeviation) {
  const Mlp model = fixtures::logistic({1, 1, 1}, 0);
  Space space = fixtures::free_space(3);
  space.columns[0].cost = 2;
  space.columns[2].movement = Movement::fixed;
  const Problem problem = problem_of(model, space, {.column_scales = Vector{0.1, 0.3, 0.01}});
  const double length = normal_quantile(0.9) - normal_quantile(0.5);
  EXPECT_NEAR(smoothing_bound(problem, Vector(3), 0.5, 0.1), 0.2 * length, 1e-6);
}

/// Concave minimisation in a box, against a grid.
TEST(SmoothingBound, IsBelowTheCheapestOfAGrid) {
  const Mlp model = fixtures::logistic({1, 1}, 0);
  Space space = fixtures::free_space(2);
  space.columns[0].upper = 0.12;
  space.columns[0].lower = -0.05;
  space.columns[1].cost = 1.7;
  const Problem problem = problem_of(model, space, {.scale = 0.1});
  const double length = normal_quantile(0.95) - normal_quantile(0.4);
  const double bound = smoothing_bound(problem, Vector(2), 0.6, 0.05);
  double cheapest = std::numeric_limits<double>::infinity();
  for (int a = 0; a <= 1000; ++a) {
    const double first = -0.05 + 0.17 * a / 1000;
    const double second = std::sqrt(std::max(0.0, 0.01 * length * length - first * first));
    cheapest = std::min(cheapest, std::abs(first) + 1.7 * second);
  }
  EXPECT_LE(bound, cheapest);
  EXPECT_GT(bound, 0.1 * length);  // above the form without the box
  EXPECT_GT(bound, 0.85 * cheapest);
}

TEST(SmoothingBound, KnowsWhenNothingIsFarEnough) {
  const Mlp model = fixtures::logistic({1, 1}, 0);
  Space space = fixtures::free_space(2);
  for (Column& column : space.columns) {
    column.lower = 0;
    column.upper = 0.1;
  }
  const Problem problem = problem_of(model, space, {.scale = 0.1});
  EXPECT_EQ(smoothing_bound(problem, Vector(2), 0.999, 0.05),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(smoothing_bound(problem, Vector(2), 0.04, 0.05), 0);
  EXPECT_EQ(smoothing_bound(problem, Vector(2), 0, 0.05), 0);
}

TEST(SmoothingBound, SaysWhatItDoesNotCover) {
  const Mlp model = fixtures::logistic({1, 1}, 0);
  Space space = fixtures::free_space(2);
  const auto obstacle = [&](Noise noise) {
    return smoothing_obstacle(problem_of(model, space, std::move(noise)));
  };
  EXPECT_EQ(obstacle({}), "");
  EXPECT_EQ(obstacle({.shape = NoiseShape::laplace}), "the noise is not gaussian");
  EXPECT_EQ(obstacle({.falls_short = true}), "the noise depends on the advice");
  EXPECT_EQ(obstacle({.column_scales = Vector{0.1, 0}}), "a column without noise may move");
  space.columns[1].movement = Movement::fixed;
  EXPECT_EQ(obstacle({.column_scales = Vector{0.1, 0}}), "");
}

}  // namespace
}  // namespace croco
