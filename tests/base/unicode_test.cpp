// SPDX-License-Identifier: Apache-2.0
#include <croco/base/unicode.hpp>

#include <string>

#include <gtest/gtest.h>

namespace croco {
namespace {

using namespace std::string_literals;

TEST(Unicode, WellFormedTextIsUtf8) {
  for (const char* text : {"", "plain", "\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(first_invalid_utf8(text), std::nullopt) << text;
  }
}

TEST(Unicode, NamesTheFirstByteThatIsNone) {
  EXPECT_EQ(first_invalid_utf8("caf\xE9,1"), 3U);         // Latin-1
  EXPECT_EQ(first_invalid_utf8("\xC3\xA9\x80"), 2U);      // a continuation alone
  EXPECT_EQ(first_invalid_utf8("\xC0\xAF"), 0U);          // two bytes for what needs one
  EXPECT_EQ(first_invalid_utf8("\xE0\x9F\xBF"), 0U);      // three for two
  EXPECT_EQ(first_invalid_utf8("\xF0\x8F\xBF\xBF"), 0U);  // four for three
  EXPECT_EQ(first_invalid_utf8("\xED\xA0\x80"), 0U);      // a surrogate
  EXPECT_EQ(first_invalid_utf8("\xF4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(first_invalid_utf8("a\xE2\x82"), 1U);         // cut off
  EXPECT_EQ(first_invalid_utf8("\xFF"), 0U);
}

TEST(Unicode, ReadsUtf16OfBothOrders) {
  // "aé€😀" is one unit each, but two for the last.
  const std::string little = "\xFF\xFE\x61\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE"s;
  const std::string big = "\xFE\xFF\0a\0\xE9\x20\xAC\xD8\x3D\xDE\x00"s;
  for (const std::string& bytes : {little, big}) {
    EXPECT_TRUE(begins_as_utf16(bytes));
    EXPECT_EQ(utf8_of_utf16(bytes), "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  }
  EXPECT_FALSE(begins_as_utf16("\xEF\xBB\xBF"));
  EXPECT_EQ(utf8_of_utf16("\xFF\xFE"), "");
}

TEST(Unicode, BrokenUtf16IsBrokenUtf8InItsPlace) {
  EXPECT_EQ(utf8_of_utf16("\xFF\xFE\x61\0\x3D\xD8\x62\0"s),
            "a\xFF"
            "b");  // no second half
  EXPECT_EQ(utf8_of_utf16("\xFF\xFE\x3D\xD8"s), "\xFF");
  EXPECT_EQ(utf8_of_utf16("\xFF\xFE\0\xDE\x62\0"s),
            "\xFF"
            "b");
  EXPECT_EQ(utf8_of_utf16("\xFF\xFE\x61\0b"s), "a\xFF");  // half a unit
}

TEST(Unicode, CountsCharactersAndNotBytes) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("caf\xC3\xA9"), 4U);
  EXPECT_EQ(count_characters("\xE2\x82\xAC 5"), 3U);
}

}  // namespace
}  // namespace croco
