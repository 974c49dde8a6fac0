// SPDX-License-Identifier: Apache-2.0
#include <croco/report/json_difference.hpp>

#include <gmock/gmock.h>

namespace croco {
namespace {

std::string difference(std::string_view given, std::string_view made) {
  return first_difference(given, made).value_or("");
}

TEST(JsonDifference, KeysInAnyOrderAndLastDigitsAreTheSame) {
  EXPECT_EQ(difference(R"({"a":1,"b":[true,null,"x"]})", R"({"b":[true,null,"x"],"a":1})"), "");
  EXPECT_EQ(difference("[1.0, 0.30000000000000004]", "[1, 0.3]"), "");
  EXPECT_EQ(difference("[0.0]", "[0]"), "");
}

TEST(JsonDifference, TheFirstPlaceIsNamed) {
  EXPECT_EQ(difference(R"({"a":{"b":[1,{"c":"no"}]}})", R"({"a":{"b":[1,{"c":"yes"}]}})"),
            R"('a.b[1].c' is "no"; it must be "yes")");
  EXPECT_EQ(difference("0.1000001", "0.1"), "the line is 0.1000001; it must be 0.1");
  EXPECT_EQ(difference("[9007199254740993]", "[9007199254740992]"),
            "'[0]' is 9007199254740993; it must be 9007199254740992");
  EXPECT_EQ(difference(R"({"a":1})", R"({"a":1,"b":2})"), "'b' is missing; it must be 2");
  EXPECT_EQ(difference(R"({"a":{"b":2}})", R"({"a":{}})"), "'a.b' is 2; it must not be there");
  EXPECT_EQ(difference(R"({"a":[1,2]})", R"({"a":[1]})"), "'a' has 2 entries; it must have 1");
  EXPECT_EQ(difference(R"({"a":true})", R"({"a":1})"), "'a' is true; it must be 1");
  EXPECT_EQ(difference(R"({"a":"1"})", R"({"a":1})"), R"('a' is "1"; it must be 1)");
}

TEST(JsonDifference, LongTextsAreShownWhereTheyPart) {
  const std::string same(200, 'a');
  EXPECT_EQ(difference("\"" + same + "b\"", "\"" + same + "c\""),
            "the line is ... \"" + std::string(30, 'a') + "b\"; it must be ... \"" +
                std::string(30, 'a') + "c\"");
}

}  // namespace
}  // namespace croco
