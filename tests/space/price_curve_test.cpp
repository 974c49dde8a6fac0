// SPDX-License-Identifier: Apache-2.0
#include <croco/space/price_curve.hpp>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/space/distance.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using testing::ThrowsMessage;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

PriceCurve bent() { return {{0.0, 0.5, 1.0}, {0.1, 0.2, 0.9}, 2.0}; }

TEST(PriceCurve, IsLinearBetweenItsKnotsAndGoesOnBeyond) {
  const PriceCurve curve = bent();
  EXPECT_DOUBLE_EQ(curve.level(0.0), 0.1);
  EXPECT_DOUBLE_EQ(curve.level(0.25), 0.15);
  EXPECT_DOUBLE_EQ(curve.level(0.75), 0.55);
  EXPECT_DOUBLE_EQ(curve.level(1.0), 0.9);
  EXPECT_DOUBLE_EQ(curve.level(1.5), 1.9);
  EXPECT_DOUBLE_EQ(curve.level(-0.5), -0.9);
}

TEST(PriceCurve, FindsTheValueOfALevel) {
  const PriceCurve curve = bent();
  for (const double value : {-3.0, 0.0, 0.1, 0.5, 0.625, 1.0, 7.0}) {
    EXPECT_NEAR(curve.value(curve.level(value)), value, 1e-12);
  }
}

TEST(PriceCurve, HasTheSlopeOfItsPieceAndTheMeanAtAKnot) {
  const PriceCurve curve = bent();
  EXPECT_DOUBLE_EQ(curve.slope(0.25), 0.2);
  EXPECT_DOUBLE_EQ(curve.slope(0.75), 1.4);
  EXPECT_DOUBLE_EQ(curve.slope(0.5), 0.8);
  EXPECT_DOUBLE_EQ(curve.slope(-1.0), 2.0);
  EXPECT_DOUBLE_EQ(curve.slope(2.0), 2.0);
  EXPECT_DOUBLE_EQ(curve.slope(0.0), 1.1);
  EXPECT_DOUBLE_EQ(curve.slope(1.0), 1.7);
}

TEST(PriceCurve, OfOneKnotIsALine) {
  const PriceCurve curve({0.3}, {0.5}, 1.0);
  EXPECT_DOUBLE_EQ(curve.level(0.8) - curve.level(-0.2), 1.0);
  EXPECT_DOUBLE_EQ(curve.slope(0.3), 1.0);
  EXPECT_DOUBLE_EQ(curve.value(1.5), 1.3);
}

TEST(PriceCurve, NoWayIsCheaperThanItsLeastSlope) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Vector numbers = fixtures::random_vector(14, seed, 0.001, 1.0);
    Vector values{-1.0};
    Vector levels{0.0};
    for (std::size_t i = 0; i < 5; ++i) {
      values.push_back(values.back() + numbers[2 * i]);
      levels.push_back(levels.back() + numbers[2 * i + 1] * numbers[2 * i + 1]);
    }
    const PriceCurve curve(values, levels, numbers[10]);
    const double from = -2 + 6 * numbers[11];
    const double lower = seed % 3 == 0 ? -kNoLimit : from - 3 * numbers[12];
    const double upper = seed % 5 == 0 ? kNoLimit : from + 3 * numbers[13];
    const double least = curve.least_slope(from, lower, upper);
    double smallest = kNoLimit;
    for (double to = std::max(lower, -20.0); to <= std::min(upper, 20.0); to += 0.01) {
      if (std::abs(to - from) < 1e-6) continue;
      smallest =
          std::min(smallest, std::abs(curve.level(to) - curve.level(from)) / std::abs(to - from));
    }
    EXPECT_GT(least, 0);
    EXPECT_LE(least, smallest) << seed;
  }
}

TEST(PriceCurve, IsNotFarBelowTheCheapestWay) {
  // From the flat piece, and from the steep one with the flat one in and out of reach.
  const PriceCurve curve({0.0, 1.0, 2.0}, {0.0, 0.5, 2.5}, 3.0);
  EXPECT_NEAR(curve.least_slope(0.5, 0.0, 3.0), 0.5, 1e-6);
  EXPECT_NEAR(curve.least_slope(1.5, 1.2, 3.0), 2.0, 1e-6);
  EXPECT_NEAR(curve.least_slope(1.5, 0.0, 3.0), 1.5 / 1.5, 1e-6);
}

TEST(PriceCurve, RefusesWhatIsNoCurve) {
  EXPECT_THAT([] { PriceCurve({}, {}, 1.0); },
              ThrowsMessage<InvalidArgument>("price curve: has 0 values and 0 levels; it needs as "
                                             "many of both, and one at least"));
  EXPECT_THAT([] { PriceCurve({0.0, 1.0}, {0.5}, 1.0); },
              ThrowsMessage<InvalidArgument>("price curve: has 2 values and 1 levels; it needs as "
                                             "many of both, and one at least"));
  EXPECT_THAT(
      [] { PriceCurve({0.0, 0.0}, {0.5, 0.6}, 1.0); },
      ThrowsMessage<InvalidArgument>("price curve: value 2 is 0; they must be finite and rise"));
  EXPECT_THAT(
      [] { PriceCurve({0.0, 1.0}, {0.5, 0.5}, 1.0); },
      ThrowsMessage<InvalidArgument>("price curve: level 2 is 0.5; they must be finite and rise"));
  EXPECT_THAT([] { PriceCurve({0.0}, {0.5}, 0.0); },
              ThrowsMessage<InvalidArgument>(
                  "price curve: the slope beyond its ends is 0; it must be finite and above 0"));
}

TEST(WayPrice, FollowsTheCurve) {
  Column column{.cost = 3.0};
  EXPECT_DOUBLE_EQ(way_price(column, 0.25, 0.75), 1.5);
  EXPECT_DOUBLE_EQ(least_price(column, 0.25, {0, 1}), 3.0);
  column.price = bent();
  EXPECT_DOUBLE_EQ(way_price(column, 0.25, 0.75), 3 * 0.4);
  EXPECT_DOUBLE_EQ(way_price(column, 0.75, 0.25), 3 * 0.4);
  EXPECT_NEAR(least_price(column, 0.0, {0, 1}), 3 * 0.2, 1e-6);

  Space space = fixtures::free_space(2);
  EXPECT_FALSE(has_price_curves(space));
  space.columns[1] = column;
  EXPECT_TRUE(has_price_curves(space));
  EXPECT_DOUBLE_EQ(distances(space, Vector{1, 0.25}, Vector{3, 0.75}).cost, 2 + 3 * 0.4);
}

}  // namespace
}  // namespace croco
