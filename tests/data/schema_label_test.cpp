// SPDX-License-Identifier: Apache-2.0
// What people read instead of the values of the label.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/data/schema.hpp>

namespace croco {
namespace {

using testing::ThrowsMessage;

std::string with_display(const std::string& display) {
  return fmt::format(
      R"({{"croco_schema": 1, "label": {{"name": "risk", "favourable": "good", "unfavourable": "bad",
          "display": {}}}, "features": [{{"name": "x", "type": "numeric"}}]}})",
      display);
}

Schema parsed(const std::string& display) { return parse_schema(with_display(display), "s.json"); }

void expect_error(const std::string& display, const std::string& message) {
  EXPECT_THAT([&] { static_cast<void>(parsed(display)); }, ThrowsMessage<DataError>(message));
}

TEST(SchemaLabel, ValuesMayBeDisplayedOtherwise) {
  const Schema both = parsed(R"({"bad": "turned down", "good": "approved"})");
  EXPECT_EQ(both.label, (LabelColumn{"risk", "good", "bad", "approved", "turned down"}));
  EXPECT_EQ(parse_schema(schema_json(both), "again"), both);
  const Schema one = parsed(R"({"good": "approved"})");
  EXPECT_EQ(one.label, (LabelColumn{"risk", "good", "bad", "approved", ""}));
  EXPECT_EQ(parse_schema(schema_json(one), "again"), one);
}

TEST(SchemaLabel, RefusesDisplayTextsThatSayNothing) {
  expect_error(R"({"god": "approved"})",
               "s.json: label: display: unknown key 'god'; did you mean 'good'? (known keys: "
               "'good', 'bad')");
  expect_error(R"({"good": 1})",
               "s.json: label: display: 'good' must be a string; write \"1\" instead of 1");
  expect_error(R"({"good": " "})", "s.json: label: display: the text for 'good' is empty");
  expect_error(R"({"good": "bad"})",
               "s.json: label 'risk': both values are displayed as 'bad'; they must differ");
  expect_error(R"("approved")", "s.json: label: display: must be an object, not string");
}

}  // namespace
}  // namespace croco
