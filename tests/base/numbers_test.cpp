// SPDX-License-Identifier: Apache-2.0
#include <croco/base/numbers.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(ParseNumber, ReadsTheUsualSpellings) {
  EXPECT_EQ(parse_number("-3"), -3.0);
  EXPECT_EQ(parse_number("+.5"), 0.5);
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("5."), 5.0);
  EXPECT_EQ(parse_number(" \t42\r\n"), 42.0);
  EXPECT_EQ(parse_number("1E5"), 1e5);
  EXPECT_EQ(parse_number("4.9e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(ParseNumber, ReturnsInfinitiesAndNanAsSuch) {
  EXPECT_EQ(parse_number("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("-Infinity"), -std::numeric_limits<double>::infinity());
  ASSERT_TRUE(parse_number("nan").has_value());
  EXPECT_TRUE(std::isnan(*parse_number("NaN")));
}

TEST(ParseNumber, RefusesWhatIsNotANumberAsAWhole) {
  for (const char* text : {"", " ", "+", "-", ".", "abc", "1,5", "1 2", "12abc", "--3", "+-3",
                           "++3", "0x10", "1e", "e5", "1_000", "1.2.3"}) {
    EXPECT_FALSE(parse_number(text).has_value()) << text;
    EXPECT_FALSE(is_out_of_range(text)) << text;
  }
}

TEST(ParseNumber, TellsOutOfRangeFromNonsense) {
  for (const char* text : {"1e400", "-1e400", "+1e400", " 1e400 ", "1e-400"}) {
    EXPECT_FALSE(parse_number(text).has_value()) << text;
    EXPECT_TRUE(is_out_of_range(text)) << text;
  }
  EXPECT_FALSE(is_out_of_range("1e400x"));
  EXPECT_FALSE(is_out_of_range("1e300"));
  EXPECT_FALSE(is_out_of_range("inf"));
}

/// Writes 1234.5 as 1.234,5.
class CommaForPoint : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(ParseNumber, IgnoresTheLocale) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaForPoint));
  EXPECT_EQ(parse_number("1234.5"), 1234.5);
  EXPECT_EQ(parse_number("1.234,5"), std::nullopt);
  EXPECT_EQ(format_number(1234.5), "1234.5");
  EXPECT_EQ(format_fixed(1234.5, 2), "1234.5");
  std::locale::global(before);
}

TEST(FormatNumber, IsShortestAndReadable) {
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(100000.0), "100000");
  EXPECT_EQ(format_number(-2.5), "-2.5");
  EXPECT_EQ(format_number(1e300), "1e+300");
  EXPECT_EQ(format_number(0.1 + 0.2), "0.30000000000000004");
}

TEST(FormatNumber, ReadsBackAsTheSameDouble) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 20'000; ++k) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const auto back = parse_number(format_number(value));
    ASSERT_TRUE(back.has_value()) << format_number(value);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*back), std::bit_cast<std::uint64_t>(value));
  }
}

TEST(FormatFixed, DropsTrailingZeros) {
  EXPECT_EQ(format_fixed(3.10, 2), "3.1");
  EXPECT_EQ(format_fixed(4.00, 2), "4");
  EXPECT_EQ(format_fixed(100.0, 2), "100");
  EXPECT_EQ(format_fixed(100.0, 0), "100");
  EXPECT_EQ(format_fixed(2.675, 1), "2.7");
  EXPECT_EQ(format_fixed(-0.004, 2), "0");
  EXPECT_EQ(format_fixed(-0.5, 2), "-0.5");
  EXPECT_EQ(format_fixed(1.5, -3), "2");
  EXPECT_EQ(format_fixed(std::numeric_limits<double>::infinity(), 2), "inf");
}

TEST(Trimmed, RemovesBlanksOnBothSidesOnly) {
  EXPECT_EQ(trimmed("  a b\t"), "a b");
  EXPECT_EQ(trimmed("\r\n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("x"), "x");
}

TEST(Numbers, PercentRoundsNeitherAShareNorWhatItLacksAway) {
  EXPECT_EQ(percent(0.05), "5 %");
  EXPECT_EQ(percent(0.123456), "12.35 %");
  EXPECT_EQ(percent(0.0831), "8.31 %");
  EXPECT_EQ(percent(0.00004), "0.004 %");
  EXPECT_EQ(percent(1.23456e-7), "0.00001235 %");
  EXPECT_EQ(percent(4e-40), "4e-38 %");
  EXPECT_EQ(percent(0.99996), "99.996 %");
  EXPECT_EQ(percent(0.99), "99 %");
  EXPECT_EQ(percent(0.5), "50 %");
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(1), "100 %");
}

}  // namespace
}  // namespace croco
