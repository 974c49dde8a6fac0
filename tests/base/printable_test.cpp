// SPDX-License-Identifier: Apache-2.0
#include <croco/base/printable.hpp>

#include <string>

#include <gmock/gmock.h>

namespace croco {
namespace {

TEST(Printable, LeavesTextAlone) {
  for (const char* text :
       {"", "plain", "two\nlines\tand a tab", "Zürich 中文 🐊 e\u0301 \u200d", "עברית"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("\x1b]0;title\a"), "\\x1b]0;title\\x07");
  EXPECT_EQ(printable("over\rwrite\b\x7f"), "over\\x0dwrite\\x08\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b31m\u0085"), "\\u009b31m\\u0085");
  for (const char* mark :
       {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069"}) {
    EXPECT_THAT(printable(mark), testing::StartsWith("\\u")) << mark;
  }
  EXPECT_EQ(printable("user\u202etxt.exe"), "user\\u202etxt.exe");
}

TEST(Printable, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // an overlong escape
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // another
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("\xe4\xb8"), "\\xe4\\xb8");  // cut short
}

TEST(Printable, AnExcerptIsOneLineOfWholeCharacters) {
  EXPECT_EQ(excerpt("one\r\ntwo\tthree", 80), "one  two three");
  EXPECT_EQ(excerpt("abcdef", 6), "abcdef");
  EXPECT_EQ(excerpt("abcdefg", 6), "abcdef...");
  EXPECT_EQ(excerpt("ab\u4e2d\u6587", 4), "ab...");
  EXPECT_EQ(excerpt("\x1b[2J", 80), "\\x1b[2J");
}

}  // namespace
}  // namespace croco
