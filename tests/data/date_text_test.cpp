// SPDX-License-Identifier: Apache-2.0
#include <croco/data/date_text.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(DateText, KnowsDates) {
  for (const char* text :
       {"2024-03-31", "2024/3/1", "31/03/2024", "3/31/24", "31.3.2024", "31-03-2024", "2024-03",
        "31 Mar 2024", "March 31, 2024", "Mar-2024", "Dec-11", "31-Dec-99", "2024-03-31T10:30:00Z",
        "2024-03-31 10:30:00+02:00", "31/03/2024 10:30", "3/31/2024 1:05 PM", " 2024-03-31 "}) {
    EXPECT_TRUE(is_date(text)) << text;
  }
}

TEST(DateText, KnowsWhatIsNone) {
  for (const char* text :
       {"",           "5",           "12.5",           "1.2.3",       "2024",
        "2024-13",    "2024-03-32",  "32/13/2024",     "13/13/2024",  "0/1/2024",
        "1/2",        "10:30",       "age 2024-03-31", "2024-03-31x", "Maybe-2024",
        "1-2-3-4",    "192.168.0.1", "2024-03/31",     "555-12-3456", "A-1",
        "10 20 2024", "-5",          "1e-3",           "a:b"}) {
    EXPECT_FALSE(is_date(text)) << text;
  }
}

TEST(DateText, KnowsDatesWithoutSeparators) {
  EXPECT_TRUE(is_compact_date(20240331));
  EXPECT_TRUE(is_compact_date(19000101));
  for (const double number : {20241331.0, 20240332.0, 20240300.0, 1.0, 20240331.5, -20240331.0,
                              99999999.0, 202403.0, 1e300}) {
    EXPECT_FALSE(is_compact_date(number)) << number;
  }
}

}  // namespace
}  // namespace croco
