// SPDX-License-Identifier: Apache-2.0
#include <croco/data/schema.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr const char* kExample = R"({
  "croco_schema": 1,
  "label": {
    "name": "risk",
    "favourable": "good",
    "unfavourable": "bad"
  },
  "features": [
    {
      "name": "duration",
      "type": "numeric",
      "movement": "down",
      "cost": 2.5,
      "label": "Duration of the loan",
      "unit": "months",
      "minimum": 4,
      "maximum": 72,
      "step": 1
    },
    {
      "name": "rate",
      "type": "numeric",
      "movement": "both"
    },
    {
      "name": "housing",
      "type": "categorical",
      "movement": "fixed",
      "levels": [
        "own",
        "rent"
      ]
    }
  ]
}
)";

Schema example() { return parse_schema(kExample, "s.json"); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_error(const std::string& json, const std::string& message) {
  EXPECT_THAT([&] { static_cast<void>(parse_schema(json, "s.json")); },
              ThrowsMessage<DataError>(message));
}

void expect_invalid(const Schema& schema, const std::string& message) {
  EXPECT_THAT([&] { validate(schema); }, ThrowsMessage<DataError>(message));
}

TEST(Schema, ParsesEveryField) {
  const Schema schema = example();
  EXPECT_EQ(schema.label, (LabelColumn{"risk", "good", "bad"}));
  ASSERT_EQ(schema.features.size(), 3U);
  const Feature& duration = schema.features[0];
  EXPECT_EQ(duration.name, "duration");
  EXPECT_EQ(duration.type, FeatureType::numeric);
  EXPECT_EQ(duration.movement, Movement::down);
  EXPECT_EQ(duration.cost, 2.5);
  EXPECT_EQ(duration.display_name(), "Duration of the loan");
  EXPECT_EQ(duration.unit, "months");
  EXPECT_EQ(duration.minimum, 4.0);
  EXPECT_EQ(duration.maximum, 72.0);
  EXPECT_EQ(duration.step, 1.0);
  EXPECT_EQ(schema.features[1].minimum, std::nullopt);
  EXPECT_EQ(schema.features[1].display_name(), "rate");
  EXPECT_EQ(schema.features[2].type, FeatureType::categorical);
  EXPECT_EQ(schema.features[2].levels, (std::vector<std::string>{"own", "rent"}));
}

TEST(Schema, WritesWhatItReads) { EXPECT_EQ(schema_json(example()), kExample); }

TEST(Schema, TheDefaultMovementFollowsTheType) {
  const Schema schema = parse_schema(
      R"({"croco_schema": 1, "features": [{"name": "a", "type": "numeric"},
          {"name": "b", "type": "categorical", "levels": ["x"]}]})",
      "s.json");
  EXPECT_EQ(schema.features[0].movement, Movement::both);
  EXPECT_EQ(schema.features[1].movement, Movement::fixed);
  EXPECT_EQ(schema.label, LabelColumn());
  EXPECT_EQ(parse_schema(schema_json(schema), "again"), schema);
}

TEST(Schema, AReasonCodeIsATextOfItsOwn) {
  const auto schema_of = [](const std::string& code) {
    return R"({"croco_schema": 1, "features": [{"name": "age", "type": "numeric", "reason_code": )" +
           code + "}]}";
  };
  const Schema schema = parse_schema(schema_of(R"("R1 age")"), "s.json");
  EXPECT_EQ(schema.features[0].reason_code, "R1 age");
  EXPECT_EQ(parse_schema(schema_json(schema), "again"), schema);
  expect_error(schema_of(R"("")"),
               "s.json: feature 'age': 'reason_code' is empty; leave it out for a feature that is "
               "no reason");
}

TEST(Schema, WhatNobodyCanChangeIsFixed) {
  const auto schema_of = [](const std::string& keys) {
    return R"({"croco_schema": 1, "features": [{"name": "age", "type": "numeric")" + keys + "}]}";
  };
  const Schema schema = parse_schema(schema_of(R"(, "changeable_by": "nobody")"), "s.json");
  EXPECT_EQ(schema.features[0].changeable_by, ChangeableBy::nobody);
  EXPECT_EQ(schema.features[0].movement, Movement::fixed);
  EXPECT_EQ(parse_schema(schema_json(schema), "again"), schema);
  EXPECT_EQ(parse_schema(schema_of(R"(, "changeable_by": "person")"), "s").features[0].movement,
            Movement::both);
  expect_error(schema_of(R"(, "changeable_by": "nobody", "movement": "up")"),
               "s.json: feature 'age': is changeable by nobody, so that its movement must be "
               "'fixed'");
  expect_error(schema_of(R"(, "changeable_by": "bank")"),
               "s.json: feature 'age': 'changeable_by' is 'bank', which is none of 'person', "
               "'nobody'");
}

TEST(Schema, RandomSchemasSurviveWritingAndReading) {
  std::mt19937 random(5);
  const auto flip = [&] { return random() % 2 == 0; };
  const auto number = [&] { return std::ldexp(static_cast<double>(random()), -20); };
  const auto text = [&] {
    constexpr std::string_view kLetters = "ab \"\\\n\t/<>{}";
    std::string word = "\xC3\xA9";
    for (std::size_t n = random() % 8; n > 0; --n) word += kLetters[random() % kLetters.size()];
    return word;
  };
  for (int round = 0; round < 200; ++round) {
    Schema schema;
    if (flip()) {
      schema.label = {"label", text() + "1", text() + "2"};
      if (flip()) schema.label.favourable_display = text() + "3";
      if (flip()) schema.label.unfavourable_display = text() + "4";
    }
    for (std::size_t k = 0; k < 1 + random() % 5; ++k) {
      Feature feature;
      feature.name = text() + std::to_string(k);
      feature.cost = number() + 0.5;
      if (flip()) feature.label = text();
      if (flip()) feature.unit = text();
      if (flip()) {
        feature.type = FeatureType::categorical;
        feature.movement = flip() ? Movement::fixed : Movement::both;
        for (std::size_t n = 0; n < 1 + random() % 4; ++n) {
          feature.levels.push_back(text() + std::to_string(n));
        }
      } else {
        feature.movement = static_cast<Movement>(random() % 4);
        if (flip()) feature.minimum = -number();
        if (flip()) feature.maximum = number();
        if (flip()) feature.step = flip() ? 1.0 : number();
        if (flip()) feature.noise.sd = number();
        if (!feature.noise.sd && flip()) feature.noise.half_width = number();
      }
      if (feature.levels.size() == 2 && flip()) {
        feature.noise.transition = {{0.25, 0.75}, {0.0, 1.0}};
      } else if (feature.levels.size() > 1 && flip()) {
        feature.noise.flip = 0.125;
      }
      if (feature.movement == Movement::fixed && flip()) {
        feature.changeable_by = ChangeableBy::nobody;
      }
      schema.features.push_back(std::move(feature));
    }
    ASSERT_NO_THROW(validate(schema));
    EXPECT_EQ(parse_schema(schema_json(schema), "s.json"), schema);
  }
}

TEST(Schema, RefusesOtherVersions) {
  expect_error(
      replaced(kExample, "\"croco_schema\": 1,", "\"croco_schema\": 2, \"relations\": [],"),
      "s.json: 'croco_schema' is 2, but this build reads versions up to 1; a newer croco "
      "is needed");
  expect_error(replaced(kExample, "\"croco_schema\": 1,", ""),
               "s.json: the key 'croco_schema' is missing; it holds the version of the format, 1");
  for (const char* version : {"0", "-1", "1.5", "\"1\"", "null"}) {
    expect_error(replaced(kExample, "schema\": 1", std::string("schema\": ") + version),
                 std::string("s.json: 'croco_schema' is ") + version +
                     "; it must be a whole number from 1 to 1");
  }
}

TEST(Schema, RefusesUnknownKeysAndSuggestsTheNearest) {
  expect_error(replaced(kExample, "\"maximum\"", "\"maxmum\""),
               "s.json: feature 'duration': unknown key 'maxmum'; did you mean 'maximum'? (known "
               "keys: 'name', 'type', 'movement', 'cost', 'label', 'unit', 'minimum', 'maximum', "
               "'step', 'levels', 'noise', 'moves', 'advice', 'unit_one', 'max_change', "
               "'touch_cost', 'changeable_by', 'reason_code')");
  expect_error(replaced(kExample, "\"favourable\"", "\"favorable\""),
               "s.json: label: unknown key 'favorable'; did you mean 'favourable'? (known keys: "
               "'name', 'favourable', 'unfavourable', 'display')");
  expect_error(replaced(kExample, "\"features\"", "\"colour\""),
               "s.json: unknown key 'colour' (known keys: 'croco_schema', 'label', 'features', "
               "'relations', 'max_changes')");
  expect_error(replaced(kExample, "\"step\": 1", "\"minimum\": 1"),
               "s.json: the key 'minimum' occurs twice in one object");
}

TEST(Schema, RefusesValuesOfTheWrongKind) {
  expect_error("[]", "s.json: must be an object, not array");
  expect_error(R"({"croco_schema": 1})", "s.json: the key 'features' is missing");
  expect_error(R"({"croco_schema": 1, "features": {}})",
               "s.json: 'features' must be an array of objects");
  expect_error(R"({"croco_schema": 1, "features": [7]})",
               "s.json: feature 1: must be an object, not number");
  expect_error(R"({"croco_schema": 1, "features": [{"type": "numeric"}]})",
               "s.json: feature 1: the key 'name' is missing");
  expect_error(R"({"croco_schema": 1, "features": [{"name": "a"}]})",
               "s.json: feature 'a': the key 'type' is missing");
  expect_error(replaced(kExample, "\"numeric\"", "\"number\""),
               "s.json: feature 'duration': 'type' is 'number', which is none of 'numeric', "
               "'categorical'");
  expect_error(replaced(kExample, "\"down\"", "\"donw\""),
               "s.json: feature 'duration': 'movement' is 'donw', which is none of 'both', 'up', "
               "'down', 'fixed'");
  expect_error(replaced(kExample, "\"down\"", "\"fixd\""),
               "s.json: feature 'duration': 'movement' is 'fixd', which is none of 'both', 'up', "
               "'down', 'fixed'; did you mean 'fixed'?");
  expect_error(replaced(kExample, "2.5", "\"2.5\""),
               "s.json: feature 'duration': 'cost' must be a number, not \"2.5\"");
  expect_error(replaced(kExample, "\"good\"", "1"),
               "s.json: label: 'favourable' must be a string; write \"1\" instead of 1");
  expect_error(replaced(kExample, "\"months\"", "[]"),
               "s.json: feature 'duration': 'unit' must be a string, not an array");
  expect_error(replaced(kExample, "\"own\"", "3"),
               "s.json: feature 'housing': 'levels' holds 3; each level must be a string");
  expect_error(replaced(kExample, "\"risk\"", "\"\""), "s.json: label: 'name' is empty");
}

TEST(Schema, PassesTheRulesOfValidateOnWithTheSource) {
  expect_error(replaced(kExample, "72", "3"),
               "s.json: feature 'duration': minimum 4 is above maximum 3");
}

TEST(Schema, RefusesTextThatJsonCannotHold) {
  Schema schema = example();
  schema.features[0].unit = "\xFF";
  EXPECT_THAT([&] { static_cast<void>(schema_json(schema)); },
              ThrowsMessage<DataError>(HasSubstr("not valid UTF-8")));
}

TEST(Schema, FindsFeaturesByName) {
  EXPECT_EQ(example().index_of("housing"), 2U);
  EXPECT_THAT([] { static_cast<void>(example().index_of("rates")); },
              ThrowsMessage<DataError>("there is no feature 'rates'; did you mean 'rate'? "
                                       "(features: 'duration', 'rate', 'housing')"));
}

TEST(SchemaValidate, ChecksNamesAndLabel) {
  Schema schema = example();
  schema.features.clear();
  expect_invalid(schema, "features: at least one is needed");
  schema = example();
  schema.features[1].name = " ";
  expect_invalid(schema, "feature 2 of 3 has no name");
  schema.features[1].name = "duration";
  expect_invalid(schema, "feature 'duration': occurs twice; names must differ");
  schema.features[1].name = "risk";
  expect_invalid(schema, "feature 'risk': is also the label");
  schema = example();
  schema.label.unfavourable = "good";
  expect_invalid(schema,
                 "label 'risk': the favourable and the unfavourable value are both 'good'; they "
                 "must differ");
  schema.label.name.clear();
  expect_invalid(schema, "label: has values but no name");
}

TEST(SchemaValidate, ChecksNumbers) {
  const auto with = [](auto change) {
    Schema schema = example();
    change(schema.features[0]);
    return schema;
  };
  expect_invalid(with([](Feature& f) { f.cost = 0.0; }),
                 "feature 'duration': cost 0 is not a finite number above 0");
  expect_invalid(with([](Feature& f) { f.cost = std::numeric_limits<double>::quiet_NaN(); }),
                 "feature 'duration': cost nan is not a finite number above 0");
  expect_invalid(with([](Feature& f) { f.step = -1.0; }),
                 "feature 'duration': step -1 is negative; 0 allows every value");
  expect_invalid(with([](Feature& f) { f.maximum = kInfinity; }),
                 "feature 'duration': maximum inf is not a finite number");
  expect_invalid(with([](Feature& f) { f.minimum = -kInfinity; }),
                 "feature 'duration': minimum -inf is not a finite number");
  expect_invalid(
      with([](Feature& f) { f.step = 100.0; }),
      "feature 'duration': no multiple of step 100 lies between minimum 4 and maximum 72");
  expect_invalid(with([](Feature& f) { f.levels = {"x"}; }),
                 "feature 'duration': is numeric and cannot have levels");
  EXPECT_NO_THROW(validate(with([](Feature& f) {
    f.minimum = 0.3;
    f.maximum = 0.3;
    f.step = 0.1;
  })));
}

TEST(SchemaNoise, IsReadAndWritten) {
  const Schema schema = parse_schema(R"({"croco_schema": 1, "features": [
      {"name": "a", "type": "numeric", "noise": {"sd": 250}},
      {"name": "b", "type": "numeric", "noise": {"half_width": 0.5}},
      {"name": "c", "type": "categorical", "levels": ["x", "y"], "noise": {"flip": 0.02}},
      {"name": "d", "type": "categorical", "levels": ["x", "y"],
       "noise": {"transition": [[0.9, 0.1], [0, 1]]}}]})",
                                     "s.json");
  EXPECT_EQ(schema.features[0].noise.sd, 250);
  EXPECT_EQ(schema.features[1].noise.half_width, 0.5);
  EXPECT_EQ(schema.features[2].noise.flip, 0.02);
  EXPECT_EQ(schema.features[3].noise.transition,
            (std::vector<std::vector<double>>{{0.9, 0.1}, {0, 1}}));
  EXPECT_EQ(parse_schema(schema_json(schema), "again"), schema);
}

TEST(SchemaNoise, EachFaultHasItsMessage) {
  const auto text = [](const std::string& type, const std::string& noise) {
    const std::string levels = type == "categorical" ? R"(, "levels": ["x", "y"])" : "";
    return fixtures::message_of<DataError>([&] {
      return parse_schema(R"({"croco_schema": 1, "features": [{"name": "a", "type": ")" + type +
                              "\"" + levels + R"(, "noise": )" + noise + "}]}",
                          "s.json");
    });
  };
  const auto numeric = [&](const std::string& noise) { return text("numeric", noise); };
  const auto category = [&](const std::string& noise) { return text("categorical", noise); };
  const std::string where = "s.json: feature 'a': noise: ";
  EXPECT_EQ(numeric("{}"), where + "must state sd, half_width, flip or transition");
  EXPECT_EQ(numeric("3"), where + "must be an object, not number");
  EXPECT_EQ(numeric(R"({"std": 1})"),
            where +
                "unknown key 'std'; did you mean 'sd'? (known keys: 'sd', 'half_width', 'flip', "
                "'transition')");
  EXPECT_EQ(numeric(R"({"sd": "1"})"), where + "'sd' must be a number, not \"1\"");
  EXPECT_EQ(numeric(R"({"sd": -1})"), where + "sd -1 is not a finite number of at least 0");
  EXPECT_EQ(numeric(R"({"half_width": -2})"),
            where + "half_width -2 is not a finite number of at least 0");
  EXPECT_EQ(numeric(R"({"sd": 1, "half_width": 1})"),
            where + "has both sd and half_width; it must be one of them");
  EXPECT_EQ(numeric(R"({"flip": 0.1})"), where + "is numeric and takes sd or half_width, not flip");
  EXPECT_EQ(category(R"({"sd": 1})"),
            where + "is categorical and takes flip or transition, not sd");
  EXPECT_EQ(category(R"({"flip": 1.5})"),
            where + "the flip probability is 1.5; it must be a number from 0 to 1");
  EXPECT_EQ(category(R"({"flip": 0.1, "transition": [[1, 0], [0, 1]]})"),
            where + "has both flip and transition; it must be one of them");
  EXPECT_EQ(category(R"({"transition": 1})"),
            where + "'transition' is 1; it must be an array of rows");
  EXPECT_EQ(category(R"({"transition": [1, 0]})"),
            where + "'transition' holds 1; each row must be an array of numbers");
  EXPECT_EQ(category(R"({"transition": [["1", 0], [0, 1]]})"),
            where + "'transition' holds \"1\"; each entry must be a number");
  EXPECT_EQ(category(R"({"transition": [[1, 0]]})"),
            where + "transition has 1 rows; each of its 2 levels needs one");
  EXPECT_EQ(category(R"({"transition": [[1, 0], [1]]})"),
            where + "row 2 of transition ('y') has 1 numbers; each of its 2 levels needs one");
  EXPECT_EQ(category(R"({"transition": [[1, 0], [-0.5, 1.5]]})"),
            where +
                "row 2, column 1 of the transition matrix is -0.5; it must be a number from 0 to "
                "1");
  EXPECT_EQ(category(R"({"transition": [[0.9, 0.2], [0, 1]]})"),
            where + "row 1 of the transition matrix sums to 1.1; each row must sum to 1");
}

TEST(SchemaValidate, ChecksCategories) {
  const auto with = [](auto change) {
    Schema schema = example();
    change(schema.features[2]);
    return schema;
  };
  expect_invalid(with([](Feature& f) { f.levels.clear(); }),
                 "feature 'housing': is categorical and needs at least one level");
  expect_invalid(with([](Feature& f) { f.levels = {"a", "b", "a"}; }),
                 "feature 'housing': level 'a' occurs twice");
  expect_invalid(with([](Feature& f) { f.step = 1.0; }),
                 "feature 'housing': is categorical and cannot have a step");
}

}  // namespace
}  // namespace croco
