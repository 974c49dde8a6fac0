// SPDX-License-Identifier: Apache-2.0
#include <croco/data/decimal.hpp>

#include <limits>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(DecimalText, KeepsTwelveDigits) {
  EXPECT_EQ(decimal_text(0.1 + 0.2, 0.0), "0.3");
  EXPECT_EQ(decimal_text(0.12187620099999999, 0.0), "0.121876201");
  EXPECT_EQ(decimal_text(1.0 / 3.0, 0.0), "0.333333333333");
  EXPECT_EQ(decimal_text(-2.0 / 3.0, 0.0), "-0.666666666667");
  EXPECT_EQ(decimal_text(9.93e-06, 0.0), "9.93e-06");
  EXPECT_EQ(decimal_text(99.9999999999999, 0.0), "100");
}

TEST(DecimalText, KeepsUpToFifteenDigitsBeforeThePoint) {
  EXPECT_EQ(decimal_text(123456789012345.0, 0.0), "123456789012345");
  EXPECT_EQ(decimal_text(1700000000123.25, 0.0), "1700000000123");
}

TEST(DecimalText, DropsTheNoiseOfTheOrigin) {
  EXPECT_EQ(decimal_text(1.1102230246251565e-16, -0.7), "0");
  EXPECT_EQ(decimal_text(1.0000000001e-5, -1e6), "1e-05");
  EXPECT_EQ(decimal_text(0.0, 5.0), "0");
  EXPECT_EQ(decimal_text(-0.0, 5.0), "0");
}

TEST(DecimalText, PassesNonFiniteNumbersThrough) {
  EXPECT_EQ(decimal_text(std::numeric_limits<double>::infinity(), 0.0), "inf");
}

TEST(MultipleText, WritesMultiplesAsDecimals) {
  EXPECT_EQ(multiple_text(3.0, 0.1), "0.3");
  EXPECT_EQ(multiple_text(7.0, 0.1), "0.7");
  EXPECT_EQ(multiple_text(-3.0, 0.1), "-0.3");
  EXPECT_EQ(multiple_text(24.0, 1.0), "24");
  EXPECT_EQ(multiple_text(-0.0, 1.0), "0");
  EXPECT_EQ(multiple_text(24.0, 50.0), "1200");
  EXPECT_EQ(multiple_text(3.0, 0.25), "0.75");
  EXPECT_EQ(multiple_text(3.0, 1e-7), "3e-07");
  EXPECT_EQ(multiple_text(3.0, 2.5e-7), "7.5e-07");
  EXPECT_EQ(multiple_text(2.0, 1e20), "2e+20");
}

}  // namespace
}  // namespace croco
