// SPDX-License-Identifier: Apache-2.0
#include <croco/space/relation.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <croco/space/admissible.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

/// x0 + 2 x1 - x2 <= 3
Relation plain() { return {.numerator = {{{0, 1.0}, {1, 2.0}, {2, -1.0}}, 0.0}, .limit = 3.0}; }

/// (2 x0 + 1) / (x1 + 4) not above today's
Relation ratio() { return {.numerator = {{{0, 2.0}}, 1.0}, .denominator = {{{1, 1.0}}, 4.0}}; }

TEST(Relation, IsARowWhoseLargestCoefficientIsOne) {
  const LinearRow row = row_of(plain(), Vector{9, 9, 9});
  EXPECT_EQ(row.coefficients, (Vector{0.5, 1.0, -0.5}));
  EXPECT_EQ(row.bound, 1.5);
  EXPECT_DOUBLE_EQ(row.excess(Vector{1, 1, 1}), -0.5);
  EXPECT_TRUE(row.holds(Vector{1, 1, 0}));
  EXPECT_FALSE(row.holds(Vector{1, 1, -0.001}));
}

TEST(Relation, ForgivesWhatTellingAValueMayMove) {
  const LinearRow row = row_of(plain(), Vector(3));
  EXPECT_TRUE(row.holds(Vector{1, 1 + 5e-10, 0}));
  EXPECT_FALSE(row.holds(Vector{1, 1 + 5e-9, 0}));
  EXPECT_TRUE(row.holds(Vector{1e6, 1, 1e6 - 1 - 1e-4}));
}

TEST(Relation, WithoutALimitIsAboutToday) {
  Relation today = plain();
  today.limit.reset();
  const Vector origin{4, 2, 1};
  const LinearRow row = row_of(today, origin);
  EXPECT_NEAR(row.excess(origin), 0, 1e-15);
  EXPECT_TRUE(row.holds(Vector{5, 2, 2}));
  EXPECT_FALSE(row.holds(Vector{5, 2, 1}));
}

TEST(Relation, OfARatioIsLinearAtEveryPerson) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Vector origin = fixtures::random_vector(2, seed, -2, 2);
    const Vector point = fixtures::random_vector(2, seed + 1000, -2, 2);
    const auto value = [](View x) { return (2 * x[0] + 1) / (x[1] + 4); };
    const LinearRow row = row_of(ratio(), origin);
    EXPECT_EQ(row.holds(point), value(point) <= value(origin)) << seed;
    EXPECT_TRUE(row.holds(origin)) << seed;
  }
}

TEST(Relation, OfARatioWithoutAValueHoldsNowhere) {
  EXPECT_TRUE(ratio().has_value(Vector{0, -3.9}));
  EXPECT_FALSE(ratio().has_value(Vector{0, -4}));
  const LinearRow row = row_of(ratio(), Vector{0, -4});
  EXPECT_FALSE(row.holds(Vector{0, -4}));
  EXPECT_FALSE(row.holds(Vector{-1000, 1000}));
}

TEST(Relation, IsPartOfWhatIsAdmissible) {
  const Space space{std::vector<Column>(3), {}, {plain()}};
  EXPECT_TRUE(is_admissible(space, Vector(3), Vector{1, 1, 0}));
  EXPECT_FALSE(is_admissible(space, Vector(3), Vector{1, 1.5, 0}));
  // A present point that breaks it is no excuse.
  EXPECT_FALSE(is_admissible(space, Vector{5, 5, 0}, Vector{5, 5, 0}));
}

TEST(MaxChange, EndsTheIntervalAroundThePresentValue) {
  const Column column{.lower = 0, .upper = 10, .max_change = 2};
  const auto ends = [&](double origin) {
    const Interval interval = admissible_interval(column, origin);
    return std::pair(interval.lower, interval.upper);
  };
  EXPECT_EQ(ends(5), std::pair(3.0, 7.0));
  EXPECT_EQ(ends(1), std::pair(0.0, 3.0));
  EXPECT_EQ(ends(9.5), std::pair(7.5, 10.0));
  EXPECT_EQ(ends(15), std::pair(13.0, 15.0));  // out of range, and allowed to come back two only
  Column up = column;
  up.movement = Movement::up;
  EXPECT_EQ(admissible_interval(up, 5).lower, 5.0);
  EXPECT_EQ(admissible_interval(up, 5).upper, 7.0);
}

TEST(MaxChange, AllowsAsManyWholeStepsAsItIsLong) {
  const Column column{.step = 0.1, .max_change = 0.3};
  const Space space{{column}, {}};
  for (const double origin : {0.0, 0.5, 0.7, 12.3}) {
    Vector point{origin + 5};
    round(space, Vector{origin}, point, Rounding::nearest);
    EXPECT_NEAR(point[0] - origin, 0.3, 1e-9) << origin;
  }
}

/// Against a walk over all steps and the present value.
TEST(AdmissibleBeyond, IsTheNearestAdmissibleValueThatWay) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Vector draw = fixtures::random_vector(5, seed);
    Column column{.lower = -3 + draw[0], .upper = 3 + draw[1]};
    column.step = seed % 3 == 0 ? 0.0 : 0.5 + 0.4 * draw[2];
    column.movement = static_cast<Movement>(seed % 4);
    if (seed % 5 == 0) column.max_change = 1.5;
    const double origin = 4 * draw[3];
    const double value = 5 * draw[4];
    const bool up = seed % 2 == 0;
    const Interval interval = admissible_interval(column, origin);
    std::optional<double> expected;
    const auto consider = [&](double candidate) {
      if (candidate < interval.lower - 1e-9 || candidate > interval.upper + 1e-9) return;
      if (up ? candidate < value - 1e-9 : candidate > value + 1e-9) return;
      if (!expected || std::abs(candidate - value) < std::abs(*expected - value)) {
        expected = candidate;
      }
    };
    consider(origin);
    if (column.step == 0) {
      for (const double one : {value, interval.lower, interval.upper}) consider(one);
    } else {
      for (int k = -100; k <= 100; ++k) consider(k * column.step);
    }
    const std::optional<double> found = admissible_beyond(column, origin, value, up);
    ASSERT_EQ(found.has_value(), expected.has_value()) << seed;
    if (!found) continue;
    EXPECT_NEAR(*found, *expected, 1e-9) << seed;
    EXPECT_TRUE(is_admissible({{column}, {}}, Vector{origin}, Vector{*found})) << seed;
  }
}

}  // namespace
}  // namespace croco
