// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/relation_steps.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include <croco/methods/change/change.hpp>
#include <croco/methods/change/lattice_change.hpp>
#include <croco/methods/change/whole_steps.hpp>

#include "tests/fixtures.hpp"
#include "tests/methods/relation_worlds.hpp"

namespace croco {
namespace {

using fixtures::relation_world;
using fixtures::RelationWorld;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// x0 + x1 <= limit in whole numbers.
Space whole_numbers(double limit) {
  Space space = fixtures::free_space(2);
  for (Column& column : space.columns) column.step = 1;
  space.relations.push_back({.numerator = {{{0, 1.0}, {1, 1.0}}, 0.0}, .limit = limit});
  return space;
}

/// Every combination of the stepped columns' values, the other columns as cheap as they can be.
/// `visit` hears of each change that keeps the relations and gains enough.
template <typename Visit>
void enumerate(const RelationWorld& world, View slope, double needed, const Visit& visit) {
  ChangeProblem changes = change_problem(world.space, world.origin);
  if (!slope.empty()) {
    LinearRow row{Vector(slope.begin(), slope.end()), -needed};
    for (double& value : row.coefficients) value = -value;
    changes.rows.push_back(std::move(row));
  }
  const auto recurse = [&](auto&& self, std::size_t j) -> void {
    if (j == world.origin.size()) {
      if (const auto found = nearest_change(changes, Vector(world.origin.size()))) visit(*found);
      return;
    }
    const Column& column = world.space.columns[j];
    if (column.step == 0) return self(self, j + 1);
    const Interval whole = changes.intervals[j];
    const auto fix = [&](double change) {
      changes.intervals[j] = {change, change};
      self(self, j + 1);
    };
    fix(0);
    for (int k = -40; k <= 40; ++k) {
      const double change = column.step_origin + k * column.step - world.origin[j];
      if (change >= whole.lower - 1e-9 && change <= whole.upper + 1e-9) fix(change);
    }
    changes.intervals[j] = whole;
  };
  recurse(recurse, 0);
}

TEST(RelationSteps, LeavesWhatKeepsTheRelationsAsRoundingDoes) {
  const Space space = whole_numbers(10);
  Vector point{3.4, 6.4};
  EXPECT_TRUE(round_within_relations(space, Vector(2), point, Rounding::nearest));
  EXPECT_EQ(point, (Vector{3, 6}));
}

TEST(RelationSteps, TakesTheCheaperStepBackFromABrokenRelation) {
  Space space = whole_numbers(10);
  space.columns[0].cost = 3;
  Vector point{3.4, 6.4};
  EXPECT_TRUE(round_within_relations(space, Vector(2), point, Rounding::outward));
  EXPECT_EQ(point, (Vector{3, 7}));  // 4 + 7 is too much, and the first is dear
}

TEST(RelationSteps, ColumnsWithoutStepsMakeUpForOthers) {
  Space space = whole_numbers(10);
  space.columns[1].step = 0;
  Vector point{3.4, 6.6};
  EXPECT_TRUE(round_within_relations(space, Vector(2), point, Rounding::outward));
  EXPECT_EQ(point[0], 4);
  EXPECT_NEAR(point[1], 6, 1e-12);
}

TEST(RelationSteps, SaysWhenNoStepsKeepTheRelations) {
  // 2 x = 1 has no whole solution.
  Space space = fixtures::free_space(1);
  space.columns[0].step = 1;
  space.relations.push_back({.numerator = {{{0, 2.0}}, 0.0}, .limit = 1.2});
  space.relations.push_back({.numerator = {{{0, -2.0}}, 0.0}, .limit = -0.8});
  Vector point{0.5};
  EXPECT_FALSE(round_within_relations(space, Vector{3}, point, Rounding::nearest));
}

TEST(RelationSteps, AreAdmissibleAndNearlyAlwaysFound) {
  std::size_t found = 0;
  std::size_t missed = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const RelationWorld world = relation_world(seed, 3 + seed % 3);
    const ChangeProblem changes = change_problem(world.space, world.origin);
    const auto start =
        nearest_change(changes, fixtures::random_vector(world.origin.size(), seed, -1.5, 1.5));
    if (!start) continue;
    const Vector from = moved(world.origin, *start);
    bool any = false;
    for (const Rounding rounding : {Rounding::nearest, Rounding::outward}) {
      Vector point = from;
      if (!round_within_relations(world.space, world.origin, point, rounding)) continue;
      any = true;
      ASSERT_TRUE(is_admissible(world.space, world.origin, point)) << seed;
    }
    found += any ? 1U : 0U;
    if (any || world.origin.size() > 3) continue;
    bool exists = false;
    enumerate(world, {}, 0, [&](const Vector&) { exists = true; });
    missed += exists ? 1U : 0U;
  }
  EXPECT_GE(found, 1500U);
  EXPECT_LE(missed, 30U) << "of a thousand with three columns";
}

TEST(WholeSteps, KeepTheRelations) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const RelationWorld world = relation_world(seed, 4);
    const ChangeProblem changes = change_problem(world.space, world.origin);
    const auto start = nearest_change(changes, fixtures::random_vector(4, seed, -1, 1));
    if (!start) continue;
    for (const Vector& change : whole_step_changes(world.space, changes, world.origin, *start)) {
      ASSERT_TRUE(is_admissible(world.space, world.origin, moved(world.origin, change))) << seed;
      ++found;
    }
  }
  EXPECT_GE(found, 5000U);
}

/// All combinations of steps, with the cheapest values of the other columns for each.
TEST(LatticeChange, IsTheCheapestOfAllThatKeepTheRelations) {
  std::size_t possible = 0;
  std::size_t bound = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RelationWorld world = relation_world(seed, 3);
    const Vector slope = fixtures::random_vector(3, seed + 5000, -2, 2);
    const double needed = 0.2 + 0.4 * static_cast<double>(seed % 4);
    double expected = kInfinite;
    const ChangeProblem changes = change_problem(world.space, world.origin);
    enumerate(world, slope, needed, [&](const Vector& change) {
      expected = std::min(expected, cost_of(changes, change));
    });
    const auto found = cheapest_lattice_change(world.space, world.origin, slope, needed);
    ASSERT_EQ(found.has_value(), std::isfinite(expected)) << seed;
    if (!found) continue;
    ++possible;
    EXPECT_NEAR(found->cost, expected, 1e-8) << seed;
    EXPECT_TRUE(found->optimal) << seed;
    EXPECT_TRUE(is_admissible(world.space, world.origin, moved(world.origin, found->change)))
        << seed;
    Space unbound = world.space;
    unbound.relations.clear();
    const auto without = cheapest_lattice_change(unbound, world.origin, slope, needed);
    ASSERT_TRUE(without) << seed;
    EXPECT_LE(without->cost, found->cost + 1e-9) << seed;
    bound += without->cost < found->cost - 1e-6 ? 1U : 0U;
  }
  EXPECT_GE(possible, 80U);
  EXPECT_GE(bound, 30U) << "relations that cost something";
}

}  // namespace
}  // namespace croco
