// SPDX-License-Identifier: Apache-2.0
#include <croco/base/json_check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

TEST(CheckJson, AcceptsJson) {
  EXPECT_NO_THROW(check_json(R"({"a": [1, 2.5, null, true, "x"], "b": {"a": {}}})", "f.json"));
}

TEST(CheckJson, NamesTheLineOfASyntaxError) {
  EXPECT_THAT([] { check_json("{\n  \"a\": 1,\n}\n", "f.json"); },
              ThrowsMessage<DataError>(AllOf(StartsWith("f.json: parse error at line 3, column 1"),
                                             Not(HasSubstr("json.exception")))));
  EXPECT_THAT([] { check_json("", "f.json"); }, ThrowsMessage<DataError>(StartsWith("f.json: ")));
  EXPECT_THROW(check_json("{} {}", "f.json"), DataError);
  EXPECT_THROW(check_json("[1e999]", "f.json"), DataError);
  EXPECT_THROW(check_json("[\"\xFF\"]", "f.json"), DataError);
}

TEST(CheckJson, RefusesRepeatedKeysOfOneObject) {
  EXPECT_THAT([] { check_json(R"({"a": {"b": 1, "c": 2, "b": 3}})", "f.json"); },
              ThrowsMessage<DataError>("f.json: the key 'b' occurs twice in one object"));
  EXPECT_NO_THROW(check_json(R"([{"b": 1}, {"b": {"b": 2}}])", "f.json"));
}

TEST(CheckJson, RefusesDeepNesting) {
  EXPECT_NO_THROW(check_json(std::string(64, '[') + std::string(64, ']'), "f.json"));
  EXPECT_THAT([] { check_json(std::string(100'000, '['), "f.json"); },
              ThrowsMessage<DataError>("f.json: nested deeper than 64 levels"));
}

}  // namespace
}  // namespace croco
