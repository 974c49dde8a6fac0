// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/priced_step.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <croco/methods/change/trust_region.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Cheap up to 0.5, dear up to 1: convex from 0, concave from 1.
PriceCurve dearer() { return {{0.0, 0.5, 1.0}, {0.0, 0.1, 0.9}, 1.0}; }

Space two_columns() {
  Space space = fixtures::free_space(2);
  space.columns[0].price = dearer();
  return space;
}

TEST(PriceOf, FollowsTheCurveFromThePresentValue) {
  Space space = two_columns();
  space.columns[0].cost = 2.0;
  const ChangeProblem problem = change_problem(space, Vector{0.25, 0.0});
  EXPECT_TRUE(problem.has_curve(0));
  EXPECT_FALSE(problem.has_curve(1));
  EXPECT_DOUBLE_EQ(price_of(problem, 0, 0.5), 2 * 0.45);
  EXPECT_DOUBLE_EQ(price_of(problem, 0, -0.25), 2 * 0.05);
  EXPECT_DOUBLE_EQ(price_of(problem, 1, -0.25), 0.25);
  EXPECT_DOUBLE_EQ(cost_of(problem, Vector{0.5, -0.25}), 2 * 0.45 + 0.25);
  // The mean price of a unit near by.
  EXPECT_DOUBLE_EQ(problem.costs[0], 2 * 0.2);
  for (const double price : {0.04, 0.3, 1.7, 5.0}) {
    EXPECT_NEAR(price_of(problem, 0, reach_of(problem, 0, true, price)), price, 1e-12);
    EXPECT_NEAR(price_of(problem, 0, -reach_of(problem, 0, false, price)), price, 1e-12);
    EXPECT_DOUBLE_EQ(reach_of(problem, 1, true, price), price);
  }
  EXPECT_EQ(reach_of(problem, 0, true, kInfinity), kInfinity);
  EXPECT_DOUBLE_EQ(step_price(problem, 0, 0.25, 0.1), 2 * 0.16);
  EXPECT_DOUBLE_EQ(step_price(problem, 1, 0.25, 0.1), 0.1);
  EXPECT_NEAR(step_price(problem, 0, 0.0, 0.1), 2 * 0.02, 1e-12);
}

TEST(ScaledChange, ScalesThePricesOfCurves) {
  const Space space = two_columns();
  const ChangeProblem problem = change_problem(space, Vector{0.0, 0.0});
  const Vector change{0.5, -0.4};
  EXPECT_EQ(scaled_change(problem, change, 1.0), change);
  const Vector longer = scaled_change(problem, change, 1.5);
  // The first column is before its dear part: 0.05 more buy 1 / 32 there.
  EXPECT_NEAR(longer[0], 0.5 + 0.05 / 1.6, 1e-12);
  EXPECT_NEAR(longer[1], -0.6, 1e-12);
  EXPECT_NEAR(cost_of(problem, longer), 1.5 * cost_of(problem, change), 1e-12);
}

TEST(PricedStep, GoesToTheKnotWhereAnotherColumnBecomesCheaper) {
  const Space space = two_columns();
  const ChangeProblem problem = change_problem(space, Vector{0.0, 0.0});
  Vector next(2);
  // Per unit the first column costs 0.2, then 1.6; the second one 1.
  ASSERT_TRUE(priced_step(problem, Vector(2), -0.8, Vector{1, 1}, 1.0, 100.0, next));
  EXPECT_EQ(next[0], 0.5);
  EXPECT_NEAR(next[1], 0.3, 1e-12);
  // The radius ends before.
  ASSERT_TRUE(priced_step(problem, Vector(2), -0.8, Vector{1, 1}, 0.4, 100.0, next));
  EXPECT_EQ(next[0], 0.4);
  EXPECT_NEAR(next[1], 0.4, 1e-12);
  // Missing the constraint is cheaper than the dear part and than the other column.
  ASSERT_TRUE(priced_step(problem, Vector(2), -0.8, Vector{1, 1}, 1.0, 0.5, next));
  EXPECT_EQ(next[0], 0.5);
  EXPECT_EQ(next[1], 0.0);
}

TEST(PricedStep, SeesPastADearStart) {
  // From 1 downwards: 1.6 a unit, then 0.2; on the whole 0.9.
  const Space space = two_columns();
  const ChangeProblem problem = change_problem(space, Vector{1.0, 0.0});
  Vector next(2);
  ASSERT_TRUE(priced_step(problem, Vector(2), -1.0, Vector{-1, 1}, 1.0, 100.0, next));
  EXPECT_NEAR(next[0], -1.0, 1e-12);
  EXPECT_EQ(next[1], 0.0);
}

TEST(PricedStep, ReturnsWhatIsNotNeeded) {
  const Space space = two_columns();
  const ChangeProblem problem = change_problem(space, Vector{0.0, 0.0});
  Vector next(2);
  // Both are far out and the constraint holds with room: back, as far as the radius lets.
  ASSERT_TRUE(priced_step(problem, Vector{0.9, 0.9}, 5.0, Vector{1, 1}, 0.2, 100.0, next));
  EXPECT_NEAR(next[0], 0.7, 1e-12);
  EXPECT_NEAR(next[1], 0.7, 1e-12);
  // With room for one unit less: the dear part of the first column first.
  ASSERT_TRUE(priced_step(problem, Vector{0.6, 0.9}, 0.3, Vector{1, 1}, 0.5, 100.0, next));
  EXPECT_EQ(next[0], 0.5);
  EXPECT_NEAR(next[1], 0.7, 1e-12);
}

TEST(PricedStep, KeepsRowsAndSaysWhenItCannot) {
  const Space space = two_columns();
  ChangeProblem problem = change_problem(space, Vector{0.0, 0.0});
  LinearRow row;
  row.coefficients = {1.0, 0.0};
  row.bound = 0.125;
  problem.rows.push_back(row);
  Vector next(2);
  ASSERT_TRUE(priced_step(problem, Vector(2), -0.8, Vector{1, 1}, 1.0, 100.0, next));
  EXPECT_NEAR(next[0], 0.125, 1e-9);
  EXPECT_NEAR(next[1], 0.675, 1e-9);
  problem.rows[0].bound = -3.0;
  EXPECT_FALSE(priced_step(problem, Vector(2), -0.8, Vector{1, 1}, 1.0, 100.0, next));
}

TEST(PricedStep, WithoutCurvesIsTheLinearStep) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Vector numbers = fixtures::random_vector(20, seed);
    ChangeProblem problem{std::vector<Interval>(4, {-0.6, 0.8}), Vector(4)};
    Vector change(4);
    ConstraintValue constraint{numbers[0], Vector(4)};
    for (std::size_t j = 0; j < 4; ++j) {
      problem.costs[j] = 0.2 + std::abs(numbers[1 + j]);
      change[j] = std::clamp(numbers[5 + j], -0.6, 0.8);
      constraint.gradient[j] = numbers[9 + j];
    }
    Vector linear(4);
    Vector priced(4);
    ASSERT_TRUE(linear_step(problem, change, constraint, 0.4, 7.0, linear));
    ASSERT_TRUE(
        priced_step(problem, change, constraint.value, constraint.gradient, 0.4, 7.0, priced));
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(linear[j], priced[j], 1e-9) << seed;
  }
}

/// A curve like that of data: steep where many are, nearly flat elsewhere.
PriceCurve random_curve(std::uint64_t seed) {
  const Vector numbers = fixtures::random_vector(24, seed, 0.02, 1.0);
  Vector values{0.0};
  Vector levels{0.02};
  for (std::size_t i = 0; i < 12; ++i) {
    values.push_back(values.back() + numbers[2 * i]);
    levels.push_back(levels.back() + std::pow(numbers[2 * i + 1], 3));
  }
  const double range = values.back();
  const double rise = levels.back() / 0.98;
  for (double& value : values) value /= range;
  for (double& level : levels) level /= rise;
  return {values, levels, 1.0};
}

TEST(SlowMinimiseChange, FindsNearlyTheBestOfAGridUnderCurves) {
  double sum = 0;
  std::size_t count = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Space space = fixtures::free_space(2);
    const Vector numbers = fixtures::random_vector(8, 1000 + seed, 0.0, 1.0);
    for (std::size_t j = 0; j < 2; ++j) {
      space.columns[j] = {.lower = -0.2, .upper = 1.2, .cost = 0.5 + numbers[j]};
      space.columns[j].price = random_curve(2 * seed + j);
    }
    const Vector origin{numbers[2], numbers[3]};
    // A concave constraint, as margins nearly are.
    const double a = (numbers[4] < 0.5 ? -1 : 1) * (0.3 + numbers[5]);
    const double b = (numbers[6] < 0.5 ? -1 : 1) * (0.3 + numbers[7]);
    const Constraint constraint = [&](View d) {
      const double value = a * d[0] + b * d[1] - 0.15 * (d[0] * d[0] + d[1] * d[1]) - 0.2;
      return ConstraintValue{value, {a - 0.3 * d[0], b - 0.3 * d[1]}};
    };
    const ChangeProblem problem = change_problem(space, origin);
    double best = kInfinity;
    constexpr int kCells = 700;
    for (int i = 0; i <= kCells; ++i) {
      for (int k = 0; k <= kCells; ++k) {
        const Vector d{-0.2 + 1.4 * i / kCells - origin[0], -0.2 + 1.4 * k / kCells - origin[1]};
        if (constraint(d).value >= 0) best = std::min(best, cost_of(problem, d));
      }
    }
    if (best == kInfinity) continue;
    // The starts of a search: nothing, near and far; each column alone as far as it goes.
    double found = kInfinity;
    const auto run = [&](const Vector& start, double radius) {
      const TrustRegionResult result =
          minimise_change(problem, constraint, start, {.radius = radius});
      if (!result.feasible) return;
      EXPECT_NEAR(result.cost, cost_of(problem, result.change), 1e-12);
      found = std::min(found, result.cost);
    };
    run(Vector{0, 0}, 0.1);
    run(Vector{0, 0}, 1.0);
    for (std::size_t j = 0; j < 2; ++j) {
      Vector start(2);
      const double slope = j == 0 ? a : b;
      start[j] = slope > 0 ? problem.intervals[j].upper : problem.intervals[j].lower;
      for (double share = 1.0; share > 0.05; share -= 0.05) {
        Vector shorter = start;
        shorter[j] *= share;
        if (constraint(shorter).value < 0) break;
        start = shorter;
        if (share < 0.1) break;
      }
      run(start, 0.1);
    }
    ++count;
    sum += found / best;
    EXPECT_LT(found, 1.03 * best + 1e-3) << seed;
  }
  EXPECT_GT(count, 40U);
  EXPECT_LT(sum / static_cast<double>(count), 1.01);
}

}  // namespace
}  // namespace croco
