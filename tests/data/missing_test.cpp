// SPDX-License-Identifier: Apache-2.0
#include <croco/data/missing.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(IsMissing, KnowsTheSpellings) {
  for (const char* text :
       {"", " ", "?", "NA", "na", "N/A", "n/a", "NaN", "nan", "NULL", " null "}) {
    EXPECT_TRUE(is_missing(text)) << text;
  }
}

TEST(IsMissing, IsNotFooledByValues) {
  for (const char* text : {"0", "none", "NAN1", "nano", "-", "-nan", "n", "??", "N A"}) {
    EXPECT_FALSE(is_missing(text)) << text;
  }
}

}  // namespace
}  // namespace croco
