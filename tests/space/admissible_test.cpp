// SPDX-License-Identifier: Apache-2.0
#include <croco/space/admissible.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <croco/base/random.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Rounding of values near 10 with steps of at least .1, in steps.
constexpr double kTolerance = 2e-9;

double rounded(const Column& column, double origin, double value, Rounding rounding) {
  const Space space{{column}, {}};
  Vector point{value};
  round(space, Vector{origin}, point, rounding);
  return point[0];
}

double clamped(const Column& column, double origin, double value) {
  const Space space{{column}, {}};
  Vector point{value};
  clamp(space, Vector{origin}, point);
  return point[0];
}

bool admissible(const Column& column, double origin, double value) {
  return is_admissible({{column}, {}}, Vector{origin}, Vector{value});
}

struct Case {
  Column column;
  double origin;
  double value;
};

/// Columns of every kind: bounded or not, with steps or not, origins in range, outside, on a step
/// and between two.
Case random_case(std::uint64_t number) {
  Sequence random({number, Purpose::evaluate, 0});
  const auto between = [&](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  Case out;
  out.column.movement = static_cast<Movement>(random.below(4));
  out.column.lower = random.below(4) == 0 ? -kInfinity : between(-6, 0);
  out.column.upper = random.below(4) == 0 ? kInfinity : between(0, 6);
  constexpr std::array<double, 4> kSteps{0.0, 0.1, 1.0, 2.5};
  out.column.step = kSteps.at(random.below(4));
  if (random.below(2) == 0) out.column.step_origin = between(-1, 1);
  out.origin = between(-8, 8);
  if (random.below(2) == 0 && out.column.step > 0) {
    out.origin = out.column.step_origin + out.column.step * std::round(out.origin);
  }
  out.value = random.below(10) == 0 ? out.origin : between(-10, 10);
  return out;
}

class AdmissibleProperty : public ::testing::TestWithParam<Rounding> {
 protected:
  template <typename Check>
  void for_cases(Check check) const {
    for (std::uint64_t number = 0; number < 5000; ++number) {
      const Case random = random_case(number);
      SCOPED_TRACE(::testing::Message()
                   << "case " << number << ": [" << random.column.lower << ", "
                   << random.column.upper << "], movement "
                   << static_cast<int>(random.column.movement) << ", step " << random.column.step
                   << " from " << random.column.step_origin << ", origin " << random.origin
                   << ", value " << random.value);
      check(random, rounded(random.column, random.origin, random.value, GetParam()));
      if (::testing::Test::HasFailure()) return;
    }
  }
};

TEST_P(AdmissibleProperty, RoundedValuesAreAdmissible) {
  for_cases([](const Case& c, double found) {
    EXPECT_TRUE(admissible(c.column, c.origin, found)) << found;
  });
}

TEST_P(AdmissibleProperty, RoundingTwiceChangesNothing) {
  for_cases([this](const Case& c, double found) {
    EXPECT_EQ(rounded(c.column, c.origin, found, GetParam()), found);
  });
}

TEST_P(AdmissibleProperty, ValuesStayInRangeAndOnAStepUnlessTheyStay) {
  for_cases([](const Case& c, double found) {
    if (found == c.origin) return;
    const double slack = kTolerance * std::max(c.column.step, 1.0);
    const Interval interval = admissible_interval(c.column, c.origin);
    EXPECT_GE(found, interval.lower - slack);
    EXPECT_LE(found, interval.upper + slack);
    EXPECT_NE(c.column.movement, Movement::fixed);
    if (c.column.step > 0) {
      const double steps = (found - c.column.step_origin) / c.column.step;
      EXPECT_NEAR(steps, std::round(steps), kTolerance);
    }
  });
}

TEST_P(AdmissibleProperty, TheOriginIsNeverCrossed) {
  for_cases([](const Case& c, double found) {
    const double change = clamped(c.column, c.origin, c.value) - c.origin;
    EXPECT_GE(change * (found - c.origin), 0.0) << found;
    if (change == 0) {
      EXPECT_EQ(found, c.origin);
    }
    if (c.column.movement == Movement::up) {
      EXPECT_GE(found, c.origin);
    }
    if (c.column.movement == Movement::down) {
      EXPECT_LE(found, c.origin);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Roundings, AdmissibleProperty,
                         ::testing::Values(Rounding::nearest, Rounding::outward));

/// The admissible steps at and on both sides of a value, the origin's side only.
std::vector<double> candidates(const Case& c, double value) {
  std::vector<double> out{c.origin};
  const Interval interval = admissible_interval(c.column, c.origin);
  const double base = std::floor((value - c.column.step_origin) / c.column.step);
  for (double k = base - 80; k <= base + 80; ++k) {
    const double at = c.column.step_origin + k * c.column.step;
    const bool same_side = (at - c.origin) * (value - c.origin) >= 0;
    if (at >= interval.lower && at <= interval.upper && same_side) out.push_back(at);
  }
  return out;
}

TEST(Rounding, NearestIsTheNearest) {
  for (std::uint64_t number = 0; number < 5000; ++number) {
    const Case c = random_case(number);
    if (c.column.step == 0) continue;
    const double value = clamped(c.column, c.origin, c.value);
    const double found = rounded(c.column, c.origin, c.value, Rounding::nearest);
    double least = kInfinity;
    for (const double at : candidates(c, value)) least = std::min(least, std::abs(at - value));
    ASSERT_LE(std::abs(found - value), least + kTolerance) << "case " << number;
  }
}

TEST(Rounding, OutwardIsNeverNearerUnlessTheRangeEnds) {
  std::size_t ended = 0;
  for (std::uint64_t number = 0; number < 5000; ++number) {
    const Case c = random_case(number);
    const double value = clamped(c.column, c.origin, c.value);
    const double found = rounded(c.column, c.origin, c.value, Rounding::outward);
    const double distance = std::abs(value - c.origin);
    if (c.column.step == 0) {
      ASSERT_EQ(found, value) << "case " << number;
      continue;
    }
    double next = kInfinity;  // the nearest step at least as far out
    double last = 0;          // the farthest step there is
    for (const double at : candidates(c, value)) {
      const double out = std::abs(at - c.origin);
      if (out >= distance - kTolerance) next = std::min(next, out);
      last = std::max(last, out);
    }
    if (next == kInfinity) ++ended;
    ASSERT_NEAR(std::abs(found - c.origin), next == kInfinity ? last : next, kTolerance)
        << "case " << number;
  }
  EXPECT_GT(ended, 50U);
}

TEST(Rounding, KeepsAnOriginBetweenTwoSteps) {
  const Column years{.lower = 18, .upper = 90, .step = 1};
  EXPECT_EQ(rounded(years, 30.4, 30.4, Rounding::outward), 30.4);
  EXPECT_EQ(rounded(years, 30.4, 30.6, Rounding::nearest), 30.4);
  EXPECT_EQ(rounded(years, 30.4, 30.8, Rounding::nearest), 31.0);
  EXPECT_EQ(rounded(years, 30.4, 30.5, Rounding::outward), 31.0);
  EXPECT_EQ(rounded(years, 30.4, 30.3, Rounding::outward), 30.0);
}

TEST(Rounding, OutwardFallsBackToTheLastStepOfTheRange) {
  const Column column{.lower = 0, .upper = 9.5, .step = 2};
  EXPECT_EQ(rounded(column, 3.0, 8.7, Rounding::outward), 8.0);
  EXPECT_EQ(rounded(column, 9.0, 9.4, Rounding::outward), 9.0);
}

TEST(AdmissibleInterval, FollowsTheMovement) {
  Column column{.lower = 0, .upper = 10};
  const auto interval = [&](Movement movement, double origin) {
    column.movement = movement;
    const Interval found = admissible_interval(column, origin);
    return std::pair(found.lower, found.upper);
  };
  EXPECT_EQ(interval(Movement::both, 4), std::pair(0.0, 10.0));
  EXPECT_EQ(interval(Movement::up, 4), std::pair(4.0, 10.0));
  EXPECT_EQ(interval(Movement::down, 4), std::pair(0.0, 4.0));
  EXPECT_EQ(interval(Movement::fixed, 4), std::pair(4.0, 4.0));
  EXPECT_EQ(interval(Movement::both, 12), std::pair(0.0, 12.0));
  EXPECT_EQ(interval(Movement::up, 12), std::pair(12.0, 12.0));
  EXPECT_EQ(interval(Movement::down, -3), std::pair(-3.0, -3.0));
}

TEST(IsAdmissible, RefusesWhatMayNotBeTold) {
  Column column{.lower = 0, .upper = 10, .movement = Movement::up, .step = 1};
  EXPECT_TRUE(admissible(column, 4.5, 4.5));
  EXPECT_TRUE(admissible(column, 4.5, 7));
  EXPECT_TRUE(admissible(column, 4.5, 7 + 1e-10));
  EXPECT_FALSE(admissible(column, 4.5, 7.001));
  EXPECT_FALSE(admissible(column, 4.5, 4));
  EXPECT_FALSE(admissible(column, 4.5, 11));
  EXPECT_TRUE(admissible(column, 14.0, 14.0));
  column.movement = Movement::fixed;
  EXPECT_FALSE(admissible(column, 4, 5));
}

TEST(IsAdmissible, LooksAtEveryColumn) {
  Space space = fixtures::free_space(3);
  space.columns[2].upper = 1;
  EXPECT_TRUE(is_admissible(space, Vector{0, 0, 0}, Vector{5, 5, 1}));
  EXPECT_FALSE(is_admissible(space, Vector{0, 0, 0}, Vector{5, 5, 1.5}));
}

TEST(Clamp, MovesEachColumnToItsInterval) {
  Space space = fixtures::free_space(3);
  space.columns[0] = {.lower = 0, .upper = 1};
  space.columns[1].movement = Movement::fixed;
  space.columns[2].movement = Movement::down;
  Vector point{7, 7, 7};
  clamp(space, Vector{0.5, 0.25, 3}, point);
  EXPECT_EQ(point, (Vector{1, 0.25, 3}));
}

}  // namespace
}  // namespace croco
