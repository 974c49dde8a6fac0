// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/change.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/fixtures.hpp"
#include "tests/methods/relation_worlds.hpp"

namespace croco {
namespace {

using fixtures::relation_world;
using fixtures::RelationWorld;

double dot(View a, View b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

bool inside(const ChangeProblem& problem, View change) {
  for (std::size_t j = 0; j < change.size(); ++j) {
    const Interval& interval = problem.intervals[j];
    if (change[j] < interval.lower || change[j] > interval.upper) return false;
  }
  return true;
}

/// Points of the box, thrown at random.
std::vector<Vector> thrown(const ChangeProblem& problem, std::uint64_t seed) {
  std::vector<Vector> out;
  for (std::uint64_t k = 0; k < 200; ++k) {
    Vector point = fixtures::random_vector(problem.costs.size(), 1000 * seed + k, 0, 1);
    for (std::size_t j = 0; j < point.size(); ++j) {
      const Interval& interval = problem.intervals[j];
      point[j] = interval.lower + (interval.upper - interval.lower) * point[j];
    }
    out.push_back(std::move(point));
  }
  return out;
}

TEST(Change, RowsAreAboutTheChange) {
  Space space = fixtures::free_space(2);
  space.relations.push_back({.numerator = {{{0, 1.0}, {1, 2.0}}, 0.0}, .limit = 4.0});
  const ChangeProblem problem = change_problem(space, Vector{1.0, 1.0});
  ASSERT_EQ(problem.rows.size(), 1U);
  EXPECT_TRUE(problem.keeps_rows(Vector{1.0, 0.0}));
  EXPECT_FALSE(problem.keeps_rows(Vector{1.0, 0.1}));
}

TEST(Change, NearestIsItselfWhereItIsAdmissible) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RelationWorld world = relation_world(seed, 4);
    const ChangeProblem problem = change_problem(world.space, world.origin);
    for (const Vector& change : thrown(problem, seed)) {
      if (!problem.keeps_rows(change)) continue;
      const auto found = nearest_change(problem, change);
      ASSERT_TRUE(found) << seed;
      for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR((*found)[j], change[j], 1e-9) << seed;
    }
  }
}

TEST(Change, NoAdmissibleChangeIsNearerThanTheNearest) {
  std::size_t found_some = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RelationWorld world = relation_world(seed, 3);
    const ChangeProblem problem = change_problem(world.space, world.origin);
    const Vector start = fixtures::random_vector(3, seed, -2, 2);
    const auto found = nearest_change(problem, start);
    const auto distance = [&](View change) {
      double sum = 0;
      for (std::size_t j = 0; j < 3; ++j) sum += problem.costs[j] * std::abs(change[j] - start[j]);
      return sum;
    };
    if (found) {
      ++found_some;
      EXPECT_TRUE(inside(problem, *found)) << seed;
      EXPECT_TRUE(problem.keeps_rows(*found)) << seed;
    }
    for (const Vector& change : thrown(problem, seed)) {
      if (!problem.keeps_rows(change)) continue;
      ASSERT_TRUE(found) << seed;
      EXPECT_LE(distance(*found), distance(change) + 1e-9) << seed;
    }
  }
  EXPECT_GE(found_some, 200U);
}

TEST(Change, NoAdmissibleChangeOfTheRegionIsSteeperThanTheSteepest) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RelationWorld world = relation_world(seed, 3);
    ChangeProblem problem = change_problem(world.space, world.origin);
    const auto start = nearest_change(problem, Vector(3));
    if (!start) continue;
    ++tried;
    const Vector slopes = fixtures::random_vector(3, seed);
    constexpr double kRadius = 0.4;
    const Vector found = steepest_change(problem, *start, slopes, kRadius);
    EXPECT_TRUE(problem.keeps_rows(found)) << seed;
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_LE(std::abs(found[j] - (*start)[j]), kRadius + 1e-12) << seed;
      Interval& interval = problem.intervals[j];
      EXPECT_GE(found[j], interval.lower - 1e-12) << seed;
      EXPECT_LE(found[j], interval.upper + 1e-12) << seed;
      interval = {std::max(interval.lower, (*start)[j] - kRadius),
                  std::min(interval.upper, (*start)[j] + kRadius)};
    }
    for (const Vector& change : thrown(problem, seed)) {
      if (problem.keeps_rows(change)) {
        EXPECT_LE(dot(slopes, change), dot(slopes, found) + 1e-5) << seed;
      }
    }
  }
  EXPECT_GE(tried, 200U);
}

TEST(Change, ScalingEndsWhereTheRelationsDo) {
  Space space = fixtures::free_space(2);
  space.relations.push_back({.numerator = {{{0, 1.0}}, 0.0}, .limit = 0.5});
  const ChangeProblem problem = change_problem(space, Vector(2));
  EXPECT_EQ(scaled_change(problem, Vector{0.4, 1.0}, 1.0), (Vector{0.4, 1.0}));
  const Vector far = scaled_change(problem, Vector{0.4, 1.0}, 2.0);
  EXPECT_NEAR(far[0], 0.5, 1e-12);
  EXPECT_EQ(far[1], 2.0);
}

}  // namespace
}  // namespace croco
