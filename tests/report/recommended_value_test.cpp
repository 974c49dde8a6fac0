// SPDX-License-Identifier: Apache-2.0
#include <croco/report/recommended_value.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(ToldValue, ThousandsAreSeparated) {
  EXPECT_EQ(grouped("999"), "999");
  EXPECT_EQ(grouped("1000"), "1,000");
  EXPECT_EQ(grouped("-1234567.8901"), "-1,234,567.8901");
  EXPECT_EQ(grouped("-100"), "-100");
  EXPECT_EQ(grouped("0.0001"), "0.0001");
}

TEST(ToldValue, WhatIsNoPlainNumberStays) {
  for (const char* text : {"1e5", "1.5e+12", "", "-", ".5", "12345678x", "1000.2.3", "inf"}) {
    EXPECT_EQ(grouped(text), text);
  }
}

TEST(ToldValue, HasItsUnit) {
  const Feature months{.name = "duration", .unit = "months", .unit_one = "month"};
  EXPECT_EQ(recommended_value(months, "24"), "24 months");
  EXPECT_EQ(recommended_value(months, "1"), "1 month");
  EXPECT_EQ(recommended_value(months, " 1200 "), "1,200 months");
  EXPECT_EQ(recommended_value({.name = "amount", .unit = "DM"}, "1"), "1 DM");
  EXPECT_EQ(recommended_value({.name = "count"}, "40000"), "40,000");
  EXPECT_EQ(recommended_value({.name = "count"}, "9120.0"), "9,120");
  EXPECT_EQ(recommended_value({.name = "count"}, "9120.50"), "9,120.50");
}

TEST(ToldValue, LevelsStayAsTheyAreAndMissingOnesAreUnknown) {
  const Feature level{.name = "code", .type = FeatureType::categorical, .levels = {"10000", "NA"}};
  EXPECT_EQ(recommended_value(level, "10000"), "10000");
  EXPECT_EQ(recommended_value(level, "NA"), "NA");
  EXPECT_EQ(recommended_value({.name = "income", .unit = "USD"}, "NA"), "unknown");
  EXPECT_EQ(recommended_value({.name = "income", .unit = "USD"}, ""), "unknown");
}

TEST(ToldValue, PresentNumbersAreShort) {
  const Feature any{.name = "x"};
  EXPECT_EQ(shortened(any, "0.897260273972603"), "0.8973");
  EXPECT_EQ(shortened(any, "-12.345678"), "-12.35");
  EXPECT_EQ(shortened(any, "0.000123456"), "0.0001235");
  // All digits before the point are kept.
  EXPECT_EQ(shortened(any, "1234567.891"), "1234568");
  EXPECT_EQ(shortened(any, "12345"), "12345");
  EXPECT_EQ(shortened(any, "9120.57"), "9121");
  // What is short is not written anew.
  for (const char* text : {"40", "0", "0.0", "1e-7", "1e300", "NA", "", "rent"}) {
    EXPECT_EQ(shortened(any, text), text);
  }
  EXPECT_EQ(shortened({.name = "x", .step = 0.001}, "1234.56789"), "1234.568");
  EXPECT_EQ(shortened({.name = "x", .step = 50}, "4308.123"), "4308");
  const Feature level{.name = "x", .type = FeatureType::categorical, .levels = {"0.123456789"}};
  EXPECT_EQ(shortened(level, "0.123456789"), "0.123456789");
}

TEST(ToldValue, PresentNumbersAreWholeWhereTheRoundingWouldShow) {
  const Feature any{.name = "x"};
  EXPECT_EQ(shortened(any, "0.897260273972603", 0.5), "0.8973");
  EXPECT_EQ(shortened(any, "0.897260273972603", 0.8974), "0.897260273972603");
  EXPECT_EQ(shortened(any, "0.89734", 0.8973), "0.89734") << "a change to what it would round to";
}

TEST(ToldValue, AmountsAreNeverRoundedUp) {
  const Feature amount{.name = "amount", .unit = "DM"};
  EXPECT_EQ(amount_text(amount, 250), "250 DM");
  EXPECT_EQ(amount_text(amount, 0.1), "0.1 DM");
  EXPECT_EQ(amount_text(amount, 1817.4), "1,810 DM");
  EXPECT_EQ(amount_text(amount, 0.29999), "0.299 DM");
  EXPECT_EQ(amount_text(amount, 0), "0 DM");
  EXPECT_EQ(amount_text({.name = "duration", .unit = "months", .unit_one = "month"}, 1), "1 month");
}

}  // namespace
}  // namespace croco
