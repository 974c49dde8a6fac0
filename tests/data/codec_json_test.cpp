// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/data/codec.hpp>

namespace croco {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr const char* kEncoding =
    R"({"schema":{"croco_schema":1,"features":[{"name":"a","type":"numeric","movement":"up"},)"
    R"({"name":"b","type":"categorical","movement":"fixed","levels":["x","y"]}]},)"
    R"("scales":[{"minimum":0.1,"maximum":3.3,"typical":"2"},)"
    R"({"minimum":0.0,"maximum":1.0,"typical":"y"}]})";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_same(const Codec& a, const Codec& b) {
  EXPECT_EQ(a.schema(), b.schema());
  EXPECT_EQ(a.scales(), b.scales());
  EXPECT_EQ(a.space(), b.space());
  EXPECT_EQ(a.column_names(), b.column_names());
}

void expect_error(const std::string& json, const std::string& message) {
  EXPECT_THAT([&] { static_cast<void>(Codec::from_json(json, "m.json")); },
              ThrowsMessage<DataError>(message));
}

TEST(CodecJson, LevelsThatNoRowHadAreKept) {
  const Schema schema{.label = {},
                      .features = {{.name = "a",
                                    .type = FeatureType::categorical,
                                    .movement = Movement::fixed,
                                    .levels = {"x", "y", "z"}}}};
  const Codec fitted = Codec::fit(schema, parse_csv("a\nx\nz\nx\n", "t.csv"));
  EXPECT_EQ(fitted.scales()[0].unseen, std::vector<std::string>{"y"});
  EXPECT_EQ(Codec::from_json(fitted.json(), "m.json").scales(), fitted.scales());
  const Codec all = Codec::fit(schema, parse_csv("a\nx\nz\ny\n", "t.csv"));
  EXPECT_EQ(all.json().find("unseen"), std::string::npos);
  expect_error(replaced(fitted.json(), R"(["y"])", R"(["q"])"),
               "m.json: scale of feature 'a': the unseen level 'q' is none of its levels");
  expect_error(replaced(fitted.json(), R"(["y"])", "[1]"),
               "m.json: scale 1: 'unseen' must hold levels, which are strings");
}

TEST(CodecJson, WritesWhatItReads) {
  const Codec codec = Codec::from_json(kEncoding, "m.json");
  EXPECT_EQ(codec.width(), 3U);
  EXPECT_EQ(codec.scales()[0], (FeatureScale{0.1, 3.3, "2"}));
  EXPECT_EQ(codec.json(), kEncoding);
}

TEST(CodecJson, AnIdentityKeepsItsSpaceAndItsSchema) {
  Space space;
  space.columns.resize(3);
  space.columns[0] = {.lower = -1.0, .movement = Movement::down, .step = 0.5, .step_origin = 0.2};
  space.columns[1].continuous = space.columns[2].continuous = false;
  space.columns[1].movement = space.columns[2].movement = Movement::fixed;
  space.groups = {{1, 2}};
  Codec codec = Codec::identity({"a", "b", "c"}, space);
  Schema schema = codec.schema();
  schema.features[0].unit = "DM";
  schema.label = {"y", "1", "0"};
  codec = codec.with_schema(schema);
  const Codec back = Codec::from_json(codec.json(), "m.json");
  expect_same(back, codec);
  EXPECT_EQ(back.space(), space);
  EXPECT_THROW(static_cast<void>(back.encode({"1", "1", "1"}, "here")), DataError);
}

TEST(CodecJson, NamesWhatIsWrong) {
  expect_error("[]", "m.json: must be an object, not array");
  expect_error(R"({"scales": []})", "m.json: the key 'schema' is missing");
  expect_error(
      replaced(kEncoding, "\"scales\"", "\"scale\""),
      "m.json: unknown key 'scale'; did you mean 'scales'? (known keys: 'schema', 'scales', "
      "'space', 'numbers')");
  expect_error(replaced(kEncoding, "0.1", "\"0.1\""),
               "m.json: scale 1: 'minimum' must be a number, not \"0.1\"");
  expect_error(replaced(kEncoding, "\"2\"", "2"), "m.json: scale 1: 'typical' must be a string");
  expect_error(replaced(kEncoding, "\"minimum\":0.1,", ""),
               "m.json: scale 1: the key 'minimum' is missing");
  expect_error(replaced(kEncoding, "3.3", "-3.3"),
               "m.json: scale of feature 'a': minimum 0.1 is above maximum -3.3");
  expect_error(replaced(kEncoding, ",{\"minimum\":0.0,\"maximum\":1.0,\"typical\":\"y\"}", ""),
               "m.json: scales: there are 1, but the schema has 2 features; each needs one");
  expect_error(
      replaced(kEncoding, "croco_schema\":1", "croco_schema\":9"),
      "m.json: 'croco_schema' is 9, but this build reads versions up to 1; a newer croco is "
      "needed");
  EXPECT_THAT([] { static_cast<void>(Codec::from_json("{", "m.json")); },
              ThrowsMessage<DataError>(StartsWith("m.json: parse error at line 1")));
}

TEST(CodecJson, ChecksAGivenSpace) {
  const std::string json = Codec::identity({"a"}, Space{{Column{}}, {}}).json();
  EXPECT_THAT(json, HasSubstr(R"("lower":null)"));
  expect_error(replaced(json, "\"both\",\"step\"", "\"any\",\"step\""),
               "m.json: space, column 1: 'movement' is \"any\", which is none of both, up, down, "
               "fixed");
  expect_error(
      replaced(json, "\"groups\":[]", "\"groups\":[{\"first\":0,\"count\":2}]"),
      "m.json: one-hot group of 2 columns from column 0: must be at least 1 column inside a "
      "space of 1");
  expect_error(replaced(json, "\"groups\":[]", "\"groups\":[{\"first\":-1,\"count\":1}]"),
               "m.json: space, group 1: 'first' must be a whole number, not -1");
  expect_error(replaced(json, "\"maximum\":1.0", "\"maximum\":2.0"),
               "m.json: scales: beside a given space each must be 0 .. 1 without a typical value");
  expect_error(replaced(json, "\"step\":0.0,", "\"step\":-1.0,"),
               "m.json: space, column 1: 'step' is negative: -1");
}

}  // namespace
}  // namespace croco
