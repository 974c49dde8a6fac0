// SPDX-License-Identifier: Apache-2.0
#include <croco/data/advice_words.hpp>

#include <string>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/data/schema.hpp>

namespace croco {
namespace {

using testing::HasSubstr;

Feature number(AdviceWords words) {
  return {.name = "amount", .unit = "DM", .advice = std::move(words)};
}

Feature category(AdviceWords words) {
  return {.name = "savings",
          .type = FeatureType::categorical,
          .levels = {"none", "some"},
          .advice = std::move(words)};
}

void expect_invalid(const Feature& feature, const std::string& message) {
  EXPECT_THAT([&] { validate(Schema{{}, {feature}}); }, testing::ThrowsMessage<DataError>(message));
}

TEST(AdviceWords, AreFilled) {
  const AdviceValues values{.from = "6,100 DM", .to = "4,200 DM", .by = "1,900 DM"};
  EXPECT_EQ(filled("ask for {to} instead of {from}", values),
            "ask for 4,200 DM instead of 6,100 DM");
  EXPECT_EQ(filled("{by} less, {by}", values), "1,900 DM less, 1,900 DM");
  EXPECT_EQ(filled("no placeholder", values), "no placeholder");
  // What stands in for a placeholder is never read as one.
  EXPECT_EQ(filled("{from}{to}", {.from = "{to}", .to = "{by}", .by = ""}), "{to}{by}");
}

TEST(AdviceWords, AreFoundByDirectionOrLevel) {
  const AdviceWords words{.of = {{"up", "add {by}"}}};
  EXPECT_EQ(words.find("up"), "add {by}");
  EXPECT_EQ(words.find("down"), "");
  EXPECT_FALSE(words.empty());
  EXPECT_TRUE(AdviceWords().empty());
}

TEST(AdviceWords, MayBeOneOrByDirectionOrByLevelReached) {
  for (const Feature& feature :
       {number({.any = "ask for {to} instead of {from}"}), number({.any = "take {to}"}),
        number({.of = {{"up", "add {by}"}, {"down", "go down to {to}"}}}),
        category({.any = "go from {from} to {to}"}), category({.of = {{"some", "save something"}}}),
        // Whether it may move that way is none of its business: limits are lifted to see what
        // they do.
        Feature{
            .name = "age", .movement = Movement::fixed, .advice = {.of = {{"up", "be {to}"}}}}}) {
    EXPECT_NO_THROW(validate(Schema{{}, {feature}})) << feature.advice.any;
  }
  Feature moves = category({});
  moves.movement = Movement::both;
  moves.moves = {{"none", "some", 0.5, "open a savings account"}};
  EXPECT_NO_THROW(validate(Schema{{}, {moves}}));
}

TEST(AdviceWords, PlaceholdersAreChecked) {
  expect_invalid(
      number({.any = "ask for {too}"}),
      "feature 'amount': advice 'ask for {too}': unknown placeholder 'too'; did you mean "
      "'to'? (there are 'from', 'to', 'by')");
  for (const char* broken : {"to {to", "to to}", "{{to}}", "{to} and {fr{om}", "{"}) {
    EXPECT_THAT([&] { validate(Schema{{}, {number({.any = broken})}}); },
                testing::ThrowsMessage<DataError>(
                    HasSubstr("a brace must belong to a placeholder: {from}, {to} or {by}")))
        << broken;
  }
  expect_invalid(number({.any = "{to} {}"}),
                 "feature 'amount': advice '{to} {}': unknown placeholder '' (there are 'from', "
                 "'to', 'by')");
  expect_invalid(number({.any = "ask for {by} less"}),
                 "feature 'amount': advice 'ask for {by} less': {by} does not say in which "
                 "direction; give 'up' and 'down' a phrase each");
  expect_invalid(category({.of = {{"some", "save {by}"}}}),
                 "feature 'savings': advice 'save {by}': {by} is for numbers");
}

TEST(AdviceWords, SayWhatToChangeTo) {
  expect_invalid(number({.any = "ask for less"}),
                 "feature 'amount': advice 'ask for less': it must hold {to}, or nobody knows what "
                 "to change to");
  expect_invalid(number({.of = {{"down", "ask for less than {from}"}}}),
                 "feature 'amount': advice 'ask for less than {from}': it must hold {to} or {by}, "
                 "or nobody knows how far to go");
  expect_invalid(category({.any = "save"}),
                 "feature 'savings': advice 'save': it must hold {to}, or nobody knows what to "
                 "change to");
}

TEST(AdviceWords, ArePartsOfASentence) {
  expect_invalid(
      number({.any = "Ask for {to}."}),
      "feature 'amount': advice 'Ask for {to}.': it must not end with '.', as it becomes "
      "a part of a sentence");
  expect_invalid(number({.any = "ask for {to} "}),
                 "feature 'amount': advice 'ask for {to} ': it must not begin or end with a blank");
  expect_invalid(number({.any = "ask\nfor {to}"}),
                 "feature 'amount': advice 'ask\nfor {to}': it must be one line, without control "
                 "characters");
  expect_invalid(number({.of = {{"up", " "}}}),
                 "feature 'amount': advice: a phrase is empty; leave it out for the usual words");
  expect_invalid(number({.any = std::string(301, 'x')}),
                 "feature 'amount': advice: a phrase has 301 bytes; 300 are the most");
}

TEST(AdviceWords, BelongToWhatIsThere) {
  expect_invalid(number({.of = {{"sideways", "{to}"}}}),
                 "feature 'amount': advice: 'sideways' is none of its directions, 'up' and 'down'");
  expect_invalid(category({.of = {{"somee", "save"}}}),
                 "feature 'savings': advice: 'somee' is none of its levels; did you mean 'some'?");
  expect_invalid(number({.of = {{"up", "{to}"}, {"up", "{by}"}}}),
                 "feature 'amount': advice: 'up' has two phrases");
  expect_invalid(
      number({.any = "{to}", .of = {{"up", "{to}"}}}),
      "feature 'amount': advice: has one phrase for all changes and others beside it; it "
      "must be one of them");
  Feature moves = category({});
  moves.movement = Movement::both;
  moves.moves = {{"none", "some", 0.5, "save {by}"}};
  expect_invalid(moves, "feature 'savings': advice 'save {by}': {by} is for numbers");
  expect_invalid({.name = "age", .unit_one = "year"}, "feature 'age': has a unit_one but no unit");
}

TEST(AdviceWords, AreReadAndWritten) {
  const std::string text = R"({"croco_schema": 1, "features": [
      {"name": "amount", "type": "numeric", "unit": "marks", "unit_one": "mark",
       "advice": "ask for {to} instead of {from}"},
      {"name": "income", "type": "numeric", "advice": {"up": "earn {by} more", "down": "take {to}"}},
      {"name": "savings", "type": "categorical", "levels": ["none", "some"],
       "moves": [{"from": "none", "to": "some", "advice": "save something"}],
       "advice": {"none": "spend it all"}}]})";
  const Schema schema = parse_schema(text, "s.json");
  EXPECT_EQ(schema.features[0].advice.any, "ask for {to} instead of {from}");
  EXPECT_EQ(schema.features[0].unit_one, "mark");
  EXPECT_EQ(schema.features[1].advice.find("up"), "earn {by} more");
  EXPECT_EQ(schema.features[2].moves[0].advice, "save something");
  EXPECT_EQ(schema.features[2].advice.find("none"), "spend it all");
  EXPECT_EQ(parse_schema(schema_json(schema), "again"), schema);

  const auto message = [](const std::string& advice) {
    try {
      static_cast<void>(parse_schema(
          R"({"croco_schema": 1, "features": [{"name": "a", "type": "numeric", "advice": )" +
              advice + "}]}",
          "s.json"));
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("7"), HasSubstr("s.json: feature 'a': 'advice' must be a phrase such as"));
  EXPECT_THAT(message("{}"), HasSubstr("s.json: feature 'a': 'advice' must be a phrase such as"));
  EXPECT_EQ(message(R"("")"),
            "s.json: feature 'a': 'advice' is empty; leave it out for the usual words");
  EXPECT_EQ(message(R"({"up": 3})"),
            "s.json: feature 'a': 'advice' has 3 for 'up'; it must be a phrase");
  EXPECT_EQ(message(R"("go {up}")"),
            "s.json: feature 'a': advice 'go {up}': unknown placeholder 'up' (there are 'from', "
            "'to', 'by')");
}

}  // namespace
}  // namespace croco
