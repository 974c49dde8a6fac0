// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/command_words.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;

TEST(CommandWords, SplitsAsAShellDoes) {
  EXPECT_THAT(command_words("python predict.py"), ElementsAre("python", "predict.py"));
  EXPECT_THAT(command_words("  a\t b\n"), ElementsAre("a", "b"));
  EXPECT_THAT(command_words(R"(a 'b c' "d e" f\ g)"), ElementsAre("a", "b c", "d e", "f g"));
  EXPECT_THAT(command_words(R"(a'b'"c"d '' "")"), ElementsAre("abcd", "", ""));
  EXPECT_THAT(command_words(R"(a '\' "\n\"\\" \')"), ElementsAre("a", "\\", "\\n\"\\", "'"));
}

TEST(CommandWords, IsNoShell) {
  EXPECT_THAT(command_words("a $HOME * ~ | b > c; d & `e`"),
              ElementsAre("a", "$HOME", "*", "~", "|", "b", ">", "c;", "d", "&", "`e`"));
}

TEST(CommandWords, SaysWhatIsWrong) {
  const auto wrong = [](const std::string& text) {
    return message_of<InvalidArgument>([&] { return command_words(text); });
  };
  EXPECT_EQ(wrong("a 'b"), "command is 'a 'b'; the quote ' is not closed");
  EXPECT_EQ(wrong("a \"b\\\""), "command is 'a \"b\\\"'; the quote \" is not closed");
  EXPECT_EQ(wrong("a \\"), "command is 'a \\'; a backslash at its end quotes nothing");
  EXPECT_EQ(wrong(" "), "command is ' '; it must begin with a program");
  EXPECT_EQ(wrong("'' x"), "command is ''' x'; it must begin with a program");
}

}  // namespace
}  // namespace croco
