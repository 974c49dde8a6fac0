// SPDX-License-Identifier: Apache-2.0
#include <croco/base/ascii.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(Ascii, DigitsAreZeroToNine) {
  for (int letter = 0; letter < 256; ++letter) {
    EXPECT_EQ(is_digit(static_cast<char>(letter)), letter >= 48 && letter <= 57) << letter;
  }
}

TEST(Ascii, OnlyItsLettersBecomeLowerCase) {
  EXPECT_EQ(lower_case("API-Key_09 @[`{"), "api-key_09 @[`{");
  EXPECT_EQ(lower_case("\xc3\x84Z"), "\xc3\x84z");
  EXPECT_EQ(lower_case(""), "");
}

}  // namespace
}  // namespace croco
