// SPDX-License-Identifier: Apache-2.0
#include <croco/data/written_number.hpp>

#include <string>

#include <gtest/gtest.h>

#include <croco/data/cell.hpp>

namespace croco {
namespace {

struct Reading {
  const char* text;
  const char* plain;
  const char* unit;
};

TEST(WrittenNumber, ReadsUnitsAndThousands) {
  for (const Reading& reading : {Reading{"12", "12", ""},
                                 {" 1e-3 ", "1e-3", ""},
                                 {"1,006", "1006", ""},
                                 {"1,006.74", "1006.74", ""},
                                 {"12,345,678", "12345678", ""},
                                 {"-1,000", "-1000", ""},
                                 {"$1,000", "1000", "$"},
                                 {"$ 1,000", "1000", "$"},
                                 {"-$1,000.50", "-1000.50", "$"},
                                 {"$-5", "-5", "$"},
                                 {"($1,000)", "-1000", "$"},
                                 {"(250)", "-250", ""},
                                 {"\xE2\x82\xAC"
                                  "1,006.74",
                                  "1006.74", "\xE2\x82\xAC"},
                                 {"1006.74\xC2\xA0\xE2\x82\xAC", "1006.74", "\xE2\x82\xAC"},
                                 {"1,006 EUR", "1006", "EUR"},
                                 {"USD 20", "20", "USD"},
                                 {"\xC2\xA3.5", ".5", "\xC2\xA3"},
                                 {"12%", "12", "%"},
                                 {"-12.5 %", "-12.5", "%"}}) {
    const auto number = written_number(reading.text);
    ASSERT_TRUE(number) << reading.text;
    EXPECT_EQ(number->plain, reading.plain) << reading.text;
    EXPECT_EQ(number->unit, reading.unit) << reading.text;
  }
  EXPECT_TRUE(written_number("$1,006")->ambiguous);
  EXPECT_FALSE(written_number("1,006.74")->ambiguous);
  EXPECT_FALSE(written_number("1,006,000")->ambiguous);
}

TEST(WrittenNumber, ReadsNothingElse) {
  for (const char* text : {"",
                           "abc",
                           "inf",
                           "nan",
                           "$",
                           "%",
                           "$inf",
                           "3,5",
                           "0,250",
                           "1,00",
                           "1,0000",
                           "10,00,000",
                           "1.006,74",
                           "1 006",
                           "$1%",
                           "--5",
                           "$--5",
                           "-($5)",
                           "5-",
                           "1,006e3",
                           "1e400",
                           "12 months",
                           "$1,000 - $2,000",
                           ",5",
                           "5,",
                           "(5",
                           "1,006,",
                           "1.0.0"}) {
    EXPECT_FALSE(written_number(text)) << text;
  }
}

TEST(WrittenNumber, KnowsNotationsThatItDoesNotRead) {
  EXPECT_EQ(foreign_number("3,5"), "3.5");
  EXPECT_EQ(foreign_number("-0,25"), "-0.25");
  EXPECT_EQ(foreign_number("1.006,74"), "1006.74");
  EXPECT_EQ(foreign_number("1.006.250"), "1006250");
  EXPECT_EQ(foreign_number("1.006,74 \xE2\x82\xAC"), "1006.74");
  EXPECT_EQ(foreign_number("1 006,74"), "1006.74");
  EXPECT_EQ(foreign_number("1\xC2\xA0"
                           "006,74"),
            "1006.74");
  EXPECT_EQ(foreign_number("1'006.74"), "1006.74");
  EXPECT_EQ(foreign_number("12,5 %"), "12.5");
  for (const char* text : {"", "abc", "5", "1.2.3", "1,2,3", "192.168.0.1", "12.5", "a,5", "1-2",
                           "1 2 3", "12 34", "31.12.2020"}) {
    EXPECT_FALSE(foreign_number(text)) << text;
  }
}

TEST(WrittenNumber, FillsCellsWithPlainNumbersWhereThatIsCertain) {
  EXPECT_EQ(plain_cell(" 5 ", "", ','), " 5 ");
  EXPECT_EQ(plain_cell("$1,000", "", ','), "1000");
  EXPECT_EQ(plain_cell("$1,000", "$", '\t'), "1000");
  EXPECT_EQ(plain_cell("$1,000", "USD", ','), "1000");
  EXPECT_EQ(plain_cell("$1,000", "dollars", ','), "1000");
  EXPECT_EQ(plain_cell("$1,000", "EUR", ','), "$1,000");
  EXPECT_EQ(plain_cell("12%", "%", ','), "12");
  EXPECT_EQ(plain_cell("12%", "", ','), "12%");
  // Where semicolons separate, commas are mostly decimal ones.
  EXPECT_EQ(plain_cell("1,006", "", ';'), "1,006");
  EXPECT_EQ(plain_cell("1,006.74", "", ';'), "1006.74");
  EXPECT_EQ(plain_cell("rent", "", ','), "rent");
  EXPECT_EQ(plain_cell("", "", ','), "");
}

TEST(WrittenNumber, FaultsSayWhatToWrite) {
  EXPECT_EQ(number_fault("1.006,74"),
            "'1.006,74' is not a number here: the decimal sign is a point and only commas part "
            "thousands; write 1006.74");
  EXPECT_EQ(number_fault("1,006"),
            "'1,006' may mean 1006 or 1.006; write numbers with a decimal point and without other "
            "separators");
  EXPECT_EQ(number_fault("12%"),
            "'12%' has a percent sign; it is read as 12 where the schema has the unit '%'");
  EXPECT_EQ(number_fault("$1,000.00"),
            "'$1,000.00' is not a plain number, or not in the unit of the schema; write 1000.00");
  EXPECT_EQ(number_fault("abc"), "'abc' is not a number");
}

}  // namespace
}  // namespace croco
