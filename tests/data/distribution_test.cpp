// SPDX-License-Identifier: Apache-2.0
#include <croco/data/distribution.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/space/price_curve.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using testing::ThrowsMessage;

/// The mid-distribution function, by its definition.
double share(const Vector& data, double value) {
  double sum = 0;
  for (const double x : data) sum += x < value ? 1 : x == value ? 0.5 : 0;
  return sum / static_cast<double>(data.size());
}

TEST(Distribution, HoldsAllValuesWhenTheyAreFew) {
  const Distribution found = distribution_of({3, 1, 2, 1, 1, 8});
  EXPECT_EQ(found.values, (Vector{1, 2, 3, 8}));
  EXPECT_EQ(found.shares, (Vector{0.25, 3.5 / 6, 4.5 / 6, 5.5 / 6}));
  EXPECT_DOUBLE_EQ(found.deviation, 0.5);  // median 1.5; deviations 0.5 0.5 0.5 0.5 1.5 6.5
}

TEST(Distribution, TakesTheMeanDeviationWhereMostAreAlike) {
  EXPECT_DOUBLE_EQ(distribution_of({0, 0, 0, 0, 6, 2}).deviation, 8.0 / 6);
  EXPECT_EQ(distribution_of({7, 7, 7}).deviation, 0.0);
  EXPECT_EQ(distribution_of({7, 7, 7}).values, (Vector{7}));
  EXPECT_EQ(distribution_of({7, 7, 7}).shares, (Vector{0.5}));
}

TEST(Distribution, KeepsTheKnotsThatMatter) {
  // Skewed, with a heavy value in the middle, and far more values than knots.
  Vector data;
  for (const double u : fixtures::random_vector(5000, 3, 0.0, 1.0))
    data.push_back(-std::log(1 - u));
  data.insert(data.end(), 1500, 0.75);
  const Distribution found = distribution_of(data);
  ASSERT_EQ(found.values.size(), kMostKnots);
  EXPECT_EQ(found.values.front(), *std::ranges::min_element(data));
  EXPECT_EQ(found.values.back(), *std::ranges::max_element(data));
  EXPECT_NE(std::ranges::find(found.values, 0.75), found.values.end());
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    EXPECT_DOUBLE_EQ(found.shares[i], share(data, found.values[i]));
  }
  const PriceCurve curve(found.values, found.shares, 1.0);
  double worst = 0;
  for (const double value : data) {
    worst = std::max(worst, std::abs(curve.level(value) - share(data, value)));
  }
  EXPECT_LT(worst, 0.005);
  validate(found, "here");
}

TEST(Distribution, NamesWhatIsWrong) {
  const auto expect_error = [](const Distribution& wrong, const std::string& message) {
    EXPECT_THAT([&] { validate(wrong, "x"); },
                ThrowsMessage<DataError>("x: distribution: " + message));
  };
  expect_error({.deviation = 1, .values = {}, .shares = {}},
               "has 0 values and 0 shares; it needs as many of both, from 1 to 128");
  expect_error({.deviation = 1, .values = {1, 2}, .shares = {0.5}},
               "has 2 values and 1 shares; it needs as many of both, from 1 to 128");
  expect_error({.deviation = 1, .values = {2, 1}, .shares = {0.2, 0.5}},
               "value 2 is 1; they must be finite and rise");
  expect_error({.deviation = 1, .values = {1, 2}, .shares = {0.5, 0.5}},
               "share 2 is 0.5; they must be finite and rise");
  expect_error({.deviation = 1, .values = {1, 2}, .shares = {0, 0.5}},
               "the shares run from 0 to 0.5; they must be above 0 and below 1");
  expect_error({.deviation = -1, .values = {1}, .shares = {0.5}},
               "the deviation is -1; it must be a finite number of at least 0");
  expect_error(
      {.deviation = 1, .values = {std::numeric_limits<double>::quiet_NaN()}, .shares = {0.5}},
      "value 1 is nan; they must be finite and rise");
}

}  // namespace
}  // namespace croco
