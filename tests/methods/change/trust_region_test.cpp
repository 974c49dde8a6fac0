// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/trust_region.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

ChangeProblem boxed(std::size_t width, double lower, double upper) {
  return {std::vector<Interval>(width, {lower, upper}), Vector(width, 1.0)};
}

TEST(MinimiseChange, BeginsInsideItsIntervals) {
  const ChangeProblem problem = boxed(2, -0.5, 0.5);
  std::vector<Vector> seen;
  const auto result =
      minimise_change(problem,
                      [&](View change) {
                        seen.emplace_back(change.begin(), change.end());
                        return ConstraintValue{change[0] + change[1] - 0.3, {1.0, 1.0}};
                      },
                      Vector{3.0, -7.0}, {.radius = 0.01});
  EXPECT_EQ(seen.front(), (Vector{0.5, -0.5}));
  for (const Vector& change : seen) {
    for (const double value : change) EXPECT_LE(std::abs(value), 0.5);
  }
  EXPECT_TRUE(result.feasible);
}

TEST(LinearStep, SpendsOnTheCoordinateThatYieldsMostPerCost) {
  ChangeProblem problem = boxed(3, -10, 10);
  problem.costs = {1.0, 1.0, 4.0};
  Vector next(3);
  // Per cost the second coordinate yields 2, the third 1.5, the first 1.
  linear_step(problem, Vector(3), {-1.0, {1.0, -2.0, 6.0}}, 5.0, 100.0, next);
  EXPECT_DOUBLE_EQ(next[0], 0.0);
  EXPECT_DOUBLE_EQ(next[1], -0.5);
  EXPECT_DOUBLE_EQ(next[2], 0.0);
}

TEST(LinearStep, GoesOnToTheNextCoordinateWhereTheTrustRegionEnds) {
  Vector next(2);
  linear_step(boxed(2, -10, 10), Vector(2), {-1.0, {2.0, 1.0}}, 0.25, 100.0, next);
  EXPECT_DOUBLE_EQ(next[0], 0.25);
  EXPECT_DOUBLE_EQ(next[1], 0.25);  // all that the region allows: the constraint stays unmet
}

TEST(LinearStep, DoesNotSpendWhereMissingTheConstraintIsCheaper) {
  Vector next(2);
  linear_step(boxed(2, -10, 10), Vector(2), {-1.0, {2.0, 0.01}}, 0.25, 3.0 / 2.0, next);
  EXPECT_DOUBLE_EQ(next[0], 0.25);
  EXPECT_DOUBLE_EQ(next[1], 0.0);
}

TEST(LinearStep, GivesBackWhatIsNotNeeded) {
  Vector next(2);
  linear_step(boxed(2, -10, 10), Vector{1.0, 1.0}, {5.0, {1.0, 1.0}}, 0.4, 100.0, next);
  EXPECT_DOUBLE_EQ(next[0], 0.6);
  EXPECT_DOUBLE_EQ(next[1], 0.6);
}

/// Against a fine grid: no admissible point of the region that satisfies the linear constraint is
/// cheaper.
TEST(LinearStep, IsOptimalAmongAllPointsOfAGrid) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Vector numbers = fixtures::random_vector(8, seed);
    ChangeProblem problem = boxed(2, -0.6, 0.6);
    problem.costs = {1.5 + numbers[0], 1.5 + numbers[1]};
    const Vector change{0.5 * numbers[2], 0.5 * numbers[3]};
    const ConstraintValue constraint{0.5 * numbers[4], {numbers[5], numbers[6]}};
    const double radius = 0.3;
    Vector next(2);
    linear_step(problem, change, constraint, radius, 1e9, next);
    const auto holds = [&](double a, double b) {
      return constraint.value + constraint.gradient[0] * (a - change[0]) +
                 constraint.gradient[1] * (b - change[1]) >=
             -1e-12;
    };
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 120; ++i) {
      for (int k = 0; k <= 120; ++k) {
        const double a = change[0] - radius + 2 * radius * i / 120;
        const double b = change[1] - radius + 2 * radius * k / 120;
        if (std::max(std::abs(a), std::abs(b)) > 0.6 || !holds(a, b)) continue;
        best = std::min(best, cost_of(problem, Vector{a, b}));
      }
    }
    if (!std::isfinite(best)) continue;  // no point of the region satisfies the constraint
    EXPECT_TRUE(holds(next[0], next[1])) << seed;
    EXPECT_LE(cost_of(problem, next), best + 1e-12) << seed;
  }
}

/// The same programs by the simplex method: a row that never binds must change nothing.
TEST(LinearStep, WithRelationsThatDoNotBindEqualsTheClosedForm) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const std::size_t width = 1 + seed % 7;
    const Vector numbers = fixtures::random_vector(5 * width + 2, seed);
    ChangeProblem problem;
    Vector change;
    Vector gradient;
    for (std::size_t j = 0; j < width; ++j) {
      const double* at = &numbers[5 * j];
      problem.intervals.push_back({-0.6 + 0.5 * at[0], 0.2 + 0.7 * std::abs(at[1])});
      problem.costs.push_back(1.2 + at[2]);
      change.push_back(std::clamp(at[3], problem.intervals[j].lower, problem.intervals[j].upper));
      gradient.push_back(seed % 5 == 0 && j % 2 == 0 ? 0.0 : at[4]);
    }
    const ConstraintValue constraint{numbers[5 * width], gradient};
    const double mu = seed % 3 == 0 ? std::numeric_limits<double>::infinity()
                                    : 2.0 * std::abs(numbers[5 * width + 1]);
    if (seed % 3 == 0 && constraint.value < 0) continue;  // then it might have to be missed
    Vector closed(width);
    ASSERT_TRUE(linear_step(problem, change, constraint, 0.3, mu, closed));
    problem.rows.push_back({Vector(width, 1.0), 100.0});
    Vector simplex(width);
    ASSERT_TRUE(linear_step(problem, change, constraint, 0.3, mu, simplex)) << seed;
    for (std::size_t j = 0; j < width; ++j) EXPECT_NEAR(simplex[j], closed[j], 1e-11) << seed;
  }
}

TEST(LinearStep, SpendsWhereARelationAllowsIt) {
  ChangeProblem problem = boxed(2, -10, 10);
  problem.rows.push_back({{1.0, -1.0}, 0.25});  // the first at most a quarter above the second
  Vector next(2);
  ASSERT_TRUE(linear_step(problem, Vector(2), {-1.0, {2.0, 1.0}}, 5.0, 100.0, next));
  EXPECT_NEAR(2 * next[0] + next[1], 1.0, 1e-12);
  EXPECT_NEAR(next[0] - next[1], 0.25, 1e-12);
}

TEST(LinearStep, SaysWhenTheTrustRegionHoldsNoChangeThatKeepsTheRelations) {
  ChangeProblem problem = boxed(2, -10, 10);
  problem.rows.push_back({{-1.0, -1.0}, -3.0});
  Vector next{7, 7};
  EXPECT_FALSE(linear_step(problem, Vector(2), {-1.0, {2.0, 1.0}}, 1.0, 100.0, next));
  EXPECT_EQ(next, (Vector{7, 7}));
  EXPECT_TRUE(linear_step(problem, Vector(2), {-1.0, {2.0, 1.0}}, 2.0, 100.0, next));
}

TEST(MinimiseChange, BeginsWithTheCheapestRepairOfABrokenRelation) {
  ChangeProblem problem = boxed(2, -1, 1);
  problem.costs = {1.0, 3.0};
  problem.rows.push_back({{-1.0, -1.0}, -0.4});  // together at least 0.4
  std::vector<Vector> seen;
  const auto result = minimise_change(problem,
                                      [&](View change) {
                                        seen.emplace_back(change.begin(), change.end());
                                        return ConstraintValue{1.0 + change[0], {1.0, 0.0}};
                                      },
                                      Vector(2), {});
  EXPECT_EQ(seen.front(), (Vector{0.4, 0.0}));
  EXPECT_TRUE(result.feasible);
  EXPECT_EQ(result.change, (Vector{0.4, 0.0}));
}

TEST(MinimiseChange, SaysThatRelationsContradictTheIntervals) {
  ChangeProblem problem = boxed(2, -1, 1);
  problem.rows.push_back({{-1.0, -1.0}, -2.5});
  const Constraint always = [](View) { return ConstraintValue{1.0, {1.0, 1.0}}; };
  const TrustRegionResult result = minimise_change(problem, always, Vector(2), {});
  EXPECT_FALSE(result.feasible);
  EXPECT_EQ(result.evaluations, 1U);
}

/// Random curved constraints and relations against every point of a grid.
TEST(MinimiseChange, KeepsRelationsAndIsNoWorseThanAGrid) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Vector numbers = fixtures::random_vector(10, seed);
    ChangeProblem problem = boxed(2, -1, 1);
    problem.costs = {1.3 + numbers[0], 1.3 + numbers[1]};
    problem.rows.push_back({{1.0, numbers[2]}, 0.3 * numbers[3]});
    problem.rows.push_back({{numbers[4], -1.0}, 0.3 * numbers[5]});
    const double a = numbers[6];
    const double b = numbers[7];
    // Concave, so that the trust region has one optimum only.
    const Constraint curved = [&](View d) {
      return ConstraintValue{
          a * d[0] + b * d[1] - 0.2 * (d[0] * d[0] + d[1] * d[1]) - 0.3 * std::abs(numbers[8]),
          {a - 0.4 * d[0], b - 0.4 * d[1]}};
    };
    const TrustRegionResult result = minimise_change(problem, curved, Vector(2), {});
    double best = std::numeric_limits<double>::infinity();
    for (int i = -100; i <= 100; ++i) {
      for (int k = -100; k <= 100; ++k) {
        const Vector d{i / 100.0, k / 100.0};
        if (problem.keeps_rows(d) && curved(d).value >= 0) {
          best = std::min(best, cost_of(problem, d));
        }
      }
    }
    if (result.feasible) {
      EXPECT_TRUE(problem.keeps_rows(result.change)) << seed;
    }
    if (!std::isfinite(best)) continue;
    ++compared;
    ASSERT_TRUE(result.feasible) << seed;
    EXPECT_LE(result.cost, best + 2e-3) << seed;
  }
  EXPECT_GE(compared, 50U);
}

TEST(MinimiseChange, FindsTheNearestPointOfACurvedConstraint) {
  // C = |d|^2 - 1 >= 0 from near the first axis: the nearest point in L1 is (1, 0).
  const Constraint circle = [](View d) {
    return ConstraintValue{d[0] * d[0] + d[1] * d[1] - 1, {2 * d[0], 2 * d[1]}};
  };
  const TrustRegionResult result =
      minimise_change(boxed(2, -5, 5), circle, Vector{0.3, 0.01}, {.radius = 0.2});
  EXPECT_TRUE(result.feasible);
  EXPECT_NEAR(result.cost, 1.0, 2e-3);
  EXPECT_NEAR(result.change[0], 1.0, 2e-3);
}

TEST(MinimiseChange, StaysInTheIntervals) {
  ChangeProblem problem = boxed(2, -1, 1);
  problem.intervals[0] = {-1.0, 0.25};
  const Constraint exact = [](View d) {
    return ConstraintValue{d[0] + 0.9 * d[1] - 1, {1.0, 0.9}};
  };
  const TrustRegionResult result = minimise_change(problem, exact, Vector(2), {});
  EXPECT_TRUE(result.feasible);
  EXPECT_LE(result.change[0], 0.25);
  EXPECT_NEAR(result.change[0] + 0.9 * result.change[1], 1.0, 1e-3);
}

TEST(MinimiseChange, ReachesAConstraintThatNeedsEveryCoordinate) {
  // Only the far corner is feasible, and the dear coordinates yield a hundredth of the first.
  const Constraint corner = [](View d) {
    return ConstraintValue{d[0] + 0.01 * d[1] + 0.01 * d[2] - 1.0199, {1.0, 0.01, 0.01}};
  };
  const TrustRegionResult result = minimise_change(boxed(3, 0, 1), corner, Vector(3), {});
  EXPECT_TRUE(result.feasible);
  EXPECT_NEAR(result.cost, 2.99, 0.05);
}

/// A column at its bound makes misses look cheap, and another one bends where the run begins: what
/// giving it up saves is less than what it loses, which no shorter step shows.
TEST(MinimiseChange, LeavesABendOutsideTheConstraint) {
  ChangeProblem problem = boxed(3, -1, 1);
  problem.intervals[0].upper = 0;
  const auto bent = [](View change) {
    const double beyond = change[2] - 0.25;
    return ConstraintValue{
        4 * change[0] + 1.5 * change[1] + (beyond < 0 ? 2.5 : 0.5) * beyond - 0.3, {4, 1.5, 0.9}};
  };
  const auto result = minimise_change(problem, bent, Vector{0, 0, 0.25}, {.radius = 0.1});
  EXPECT_TRUE(result.feasible);
  EXPECT_LE(result.cost, 0.45 + 1e-3);
}

TEST(MinimiseChange, SaysWhenNothingIsFeasible) {
  const Constraint never = [](View d) { return ConstraintValue{d[0] - 2, {1.0}}; };
  const TrustRegionResult result = minimise_change(boxed(1, -1, 1), never, Vector(1), {});
  EXPECT_FALSE(result.feasible);
  EXPECT_DOUBLE_EQ(result.change[0], 1.0);
  EXPECT_DOUBLE_EQ(result.constraint, -1.0);
}

}  // namespace
}  // namespace croco
