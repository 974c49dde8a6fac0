// SPDX-License-Identifier: Apache-2.0
// Every way in which a schema can be malformed, with its message: each names the thing, the value
// and the rule, and no two faults share one.
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/data/schema.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

struct Fault {
  std::string json;
  std::string message;
};

/// A schema of three numbers and a category; `where` says which part a fault stands in.
std::string schema_with(const std::string& where, const std::string& json) {
  const auto part = [&](const std::string& name, const std::string& sound) {
    return where == name ? json : sound;
  };
  const std::string number = R"({"name": "income", "type": "numeric", )" +
                             part("number", R"("minimum": 0, "maximum": 100)") + "}";
  const std::string category =
      R"({"name": "home", "type": "categorical", "levels": ["own", "rent", "free"])" +
      part("category", "") + "}";
  const std::string features =
      "[" + number + R"(, {"name": "debt", "type": "numeric", "minimum": 0, "maximum": 50},
          {"name": "age", "type": "numeric", "movement": "fixed"}, )" +
      category + "]";
  return R"({"croco_schema": )" + part("version", "1") + R"(, "label": )" +
         part("label", R"({"name": "risk", "favourable": "good", "unfavourable": "bad"})") +
         R"(, "features": )" + part("features", features) + R"(, "relations": )" +
         part("relations", "[]") + part("top", "") + "}";
}

class MalformedSchema : public ::testing::Test {
 protected:
  /// No two faults of a test share a message.
  void TearDown() override {
    for (const auto& [message, faults] : by_message_) {
      if (faults.size() > 1) {
        ADD_FAILURE() << "one message for several faults: " << message << "\n"
                      << testing::PrintToString(faults);
      }
    }
  }

  /// `prefix` begins every message of the table.
  void expect(const std::string& where, const std::string& prefix,
              const std::vector<Fault>& faults) {
    for (const Fault& fault : faults) {
      const std::string message = fixtures::message_of<DataError>(
          [&] { return parse_schema(schema_with(where, fault.json), "s.json"); });
      EXPECT_EQ(message, "s.json: " + prefix + fault.message) << fault.json;
      by_message_[message].push_back(fault.json);
    }
  }

 private:
  std::map<std::string, std::vector<std::string>> by_message_;
};

TEST_F(MalformedSchema, TheSoundOneIsRead) {
  EXPECT_NO_THROW(static_cast<void>(parse_schema(schema_with("", ""), "s.json")));
}

TEST_F(MalformedSchema, AtTheTop) {
  expect(
      "version", "",
      {{"0", "'croco_schema' is 0; it must be a whole number from 1 to 1"},
       {"2", "'croco_schema' is 2, but this build reads versions up to 1; a newer croco is needed"},
       {"\"1\"", "'croco_schema' is \"1\"; it must be a whole number from 1 to 1"},
       {"1.5", "'croco_schema' is 1.5; it must be a whole number from 1 to 1"}});
  expect(
      "top", "",
      {{R"(, "relation": [])",
        "unknown key 'relation'; did you mean 'relations'? (known keys: 'croco_schema', "
        "'label', 'features', 'relations', 'max_changes')"},
       {R"(, "max_changes": 0)", "schema: max_changes is 0; it must be at least 1"},
       {R"(, "max_changes": -1)", "'max_changes' must be a whole number of at least 0, not -1"},
       {R"(, "max_changes": 1.5)", "'max_changes' must be a whole number of at least 0, not 1.5"},
       {R"(, "max_changes": "two")",
        "'max_changes' must be a whole number of at least 0, not \"two\""},
       {R"(, "features": [])", "the key 'features' occurs twice in one object"}});
  expect("features", "",
         {{"[]", "features: at least one is needed"},
          {"{}", "'features' must be an array of objects"},
          {"[7]", "feature 1: must be an object, not number"},
          {R"([{"type": "numeric"}])", "feature 1: the key 'name' is missing"},
          {R"([{"name": "a"}])", "feature 'a': the key 'type' is missing"},
          {R"([{"name": 3, "type": "numeric"}])",
           "feature 1: 'name' must be a string; write \"3\" instead of 3"},
          {R"([{"name": " ", "type": "numeric"}])", "feature 1 of 1 has no name"},
          {R"([{"name": "a", "type": "number"}])",
           "feature 'a': 'type' is 'number', which is none of 'numeric', 'categorical'"},
          {R"([{"name": "a", "type": "numeric"}, {"name": "a", "type": "numeric"}])",
           "feature 'a': occurs twice; names must differ"},
          {R"([{"name": "risk", "type": "numeric"}])", "feature 'risk': is also the label"}});
  expect(
      "label", "",
      {{"3", "label: must be an object, not number"},
       {R"({"favourable": "good", "unfavourable": "bad"})", "label: the key 'name' is missing"},
       {R"({"name": "", "favourable": "good", "unfavourable": "bad"})", "label: 'name' is empty"},
       {R"({"name": "risk", "unfavourable": "bad"})", "label: the key 'favourable' is missing"},
       {R"({"name": "risk", "favourable": 1, "unfavourable": "0"})",
        "label: 'favourable' must be a string; write \"1\" instead of 1"},
       {R"({"name": "risk", "favourable": "good", "unfavourable": "good"})",
        "label 'risk': the favourable and the unfavourable value are both 'good'; they must "
        "differ"}});
}

TEST_F(MalformedSchema, Numbers) {
  expect(
      "number", "feature 'income': ",
      {{R"("minimum": "0")", "'minimum' must be a number, not \"0\""},
       {R"("minimum": null)", "'minimum' must be a number, not null"},
       {R"("maximum": [])", "'maximum' must be a number, not []"},
       {R"("minimum": 5, "maximum": 4)", "minimum 5 is above maximum 4"},
       {R"("step": -1)", "step -1 is negative; 0 allows every value"},
       {R"("step": "whole")", "'step' must be a number, not \"whole\""},
       {R"("minimum": 51, "maximum": 99, "step": 50)",
        "no multiple of step 50 lies between minimum 51 and maximum 99"},
       {R"("max_change": 0)", "max_change 0 is not above 0; movement 'fixed' allows no change"},
       {R"("max_change": -3)", "max_change -3 is not above 0; movement 'fixed' allows no change"},
       {R"("max_change": true)", "'max_change' must be a number, not true"},
       {R"("movement": "rise")",
        "'movement' is 'rise', which is none of 'both', 'up', 'down', 'fixed'"},
       {R"("movement": 1)", "'movement' is 1, which is none of 'both', 'up', 'down', 'fixed'"},
       {R"("levels": ["a"])", "is numeric and cannot have levels"},
       {R"("levels": [])",
        "'levels' is empty; a category needs at least one, and a number has none"},
       {R"("moves": [{"from": "a", "to": "b"}])",
        "is numeric and cannot have moves; those are between levels"},
       {R"("unit": 3)", "'unit' must be a string; write \"3\" instead of 3"},
       {R"("unit": ["DM"])", "'unit' must be a string, not an array"},
       {R"("label": false)", "'label' must be a string; write \"false\" instead of false"},
       {R"("cost": 0)", "cost 0 is not a finite number above 0"},
       {R"("cost": -2)", "cost -2 is not a finite number above 0"},
       {R"("cost": "cheap")", "'cost' must be a number, not \"cheap\""},
       {R"("price": 2)",
        "unknown key 'price' (known keys: 'name', 'type', 'movement', 'cost', 'label', 'unit', "
        "'minimum', 'maximum', 'step', 'levels', 'noise', 'moves', 'advice', 'unit_one', "
        "'max_change', 'touch_cost', 'changeable_by', 'reason_code')"},
       {R"("maxmum": 2)",
        "unknown key 'maxmum'; did you mean 'maximum'? (known keys: 'name', 'type', 'movement', "
        "'cost', 'label', 'unit', 'minimum', 'maximum', 'step', 'levels', 'noise', 'moves', "
        "'advice', 'unit_one', 'max_change', 'touch_cost', 'changeable_by', 'reason_code')"}});
}

TEST_F(MalformedSchema, WhatJsonDoesNotAllow) {
  expect("number", "",
         {{R"("minimum": 1e999)", "number overflow parsing '1e999'"},
          {R"("minimum": 5, "minimum": 4)", "the key 'minimum' occurs twice in one object"}});
}

TEST_F(MalformedSchema, Categories) {
  expect("category", "feature 'home': ",
         {{R"(, "minimum": 0)", "is categorical and cannot have a minimum"},
          {R"(, "maximum": 1)", "is categorical and cannot have a maximum"},
          {R"(, "step": 1)", "is categorical and cannot have a step"},
          {R"(, "max_change": 1)", "is categorical and cannot have a max_change"},
          {R"(, "cost": 0)", "cost 0 is not a finite number above 0"},
          {R"(, "movement": "sideways")",
           "'movement' is 'sideways', which is none of 'both', 'up', 'down', 'fixed'"}});
  expect(
      "features", "feature 'a': ",
      {{R"([{"name": "a", "type": "categorical"}])", "is categorical and needs at least one level"},
       {R"([{"name": "a", "type": "categorical", "levels": []}])",
        "'levels' is empty; a category needs at least one, and a number has none"},
       {R"([{"name": "a", "type": "categorical", "levels": "x"}])",
        "'levels' must be an array of strings"},
       {R"([{"name": "a", "type": "categorical", "levels": ["x", 2]}])",
        "'levels' holds 2; each level must be a string"},
       {R"([{"name": "a", "type": "categorical", "levels": ["x", "x"]}])",
        "level 'x' occurs twice"}});
}

TEST_F(MalformedSchema, MovesAndTheirPrices) {
  const std::string moves = R"(, "moves": )";
  expect(
      "category", "feature 'home': ",
      {{moves + "3",
        "'moves' must be an array of objects such as {\"from\": \"a\", \"to\": \"b\"}"},
       {moves + "[]", "'moves' is empty; movement 'fixed' says that nothing may move"},
       {moves + "[3]", "moves: must be an object, not number"},
       {moves + R"([{"to": "own"}])", "moves: the key 'from' is missing"},
       {moves + R"([{"from": "rent"}])", "moves: the key 'to' is missing"},
       {moves + R"([{"from": 1, "to": "own"}])",
        "moves: 'from' must be a string; write \"1\" instead of 1"},
       {moves + R"([{"from": "rnt", "to": "own"}])",
        "moves: 'rnt' is none of its levels; did you mean 'rent'?"},
       {moves + R"([{"from": "rent", "to": "castle"}])", "moves: 'castle' is none of its levels"},
       {moves + R"([{"from": "rent", "to": "rent"}])", "moves: 'rent' to itself is no move"},
       {moves + R"([{"from": "rent", "to": "own"}, {"from": "rent", "to": "own"}])",
        "moves: 'rent' to 'own' is there twice"},
       {moves + R"([{"from": "rent", "to": "own", "cost": 0}])",
        "moves: the cost of 'rent' to 'own' is 0; it must be above 0"},
       {moves + R"([{"from": "rent", "to": "own", "cost": -1}])",
        "moves: the cost of 'rent' to 'own' is -1; it must be above 0"},
       {moves + R"([{"from": "rent", "to": "own", "cost": "1"}])",
        "moves: 'cost' must be a number, not \"1\""},
       {moves + R"([{"from": "rent", "to": "own", "price": 1}])",
        "moves: unknown key 'price' (known keys: 'from', 'to', 'cost', 'advice')"},
       {R"(, "movement": "up", "moves": [{"from": "rent", "to": "own"}])",
        "states moves and that it is to go up; moves say it all"},
       {R"(, "movement": "fixed", "moves": [{"from": "rent", "to": "own"}])",
        "states moves and that it is fixed; moves say it all"}});
}

TEST_F(MalformedSchema, NoiseOfNumbers) {
  const std::string noise = R"("noise": )";
  expect("number", "feature 'income': ",
         {{noise + "3", "noise: must be an object, not number"},
          {noise + "{}", "noise: must state sd, half_width, flip or transition"},
          {noise + R"({"std": 1})",
           "noise: unknown key 'std'; did you mean 'sd'? (known keys: 'sd', 'half_width', 'flip', "
           "'transition')"},
          {noise + R"({"sd": "1"})", "noise: 'sd' must be a number, not \"1\""},
          {noise + R"({"sd": -1})", "noise: sd -1 is not a finite number of at least 0"},
          {noise + R"({"half_width": -1})",
           "noise: half_width -1 is not a finite number of at least 0"},
          {noise + R"({"half_width": null})", "noise: 'half_width' must be a number, not null"},
          {noise + R"({"sd": 1, "half_width": 1})",
           "noise: has both sd and half_width; it must be one of them"},
          {noise + R"({"flip": 0.1})", "noise: is numeric and takes sd or half_width, not flip"},
          {noise + R"({"transition": [[1]]})",
           "noise: is numeric and takes sd or half_width, not transition"}});
}

TEST_F(MalformedSchema, NoiseOfCategories) {
  const auto noise = [](const std::string& json) { return R"(, "noise": )" + json; };
  const auto matrix = [&](const std::string& json) {
    return noise(R"({"transition": )" + json + "}");
  };
  expect(
      "category", "feature 'home': ",
      {{noise(R"({"sd": 1})"), "noise: is categorical and takes flip or transition, not sd"},
       {noise(R"({"half_width": 1})"),
        "noise: is categorical and takes flip or transition, not half_width"},
       {noise(R"({"flip": -0.1})"),
        "noise: the flip probability is -0.1; it must be a number from 0 to 1"},
       {noise(R"({"flip": 1.5})"),
        "noise: the flip probability is 1.5; it must be a number from 0 to 1"},
       {noise(R"({"flip": "often"})"), "noise: 'flip' must be a number, not \"often\""},
       {noise(R"({"flip": 0.1, "transition": [[1,0,0],[0,1,0],[0,0,1]]})"),
        "noise: has both flip and transition; it must be one of them"},
       {matrix("3"), "noise: 'transition' is 3; it must be an array of rows"},
       {matrix("[]"), "noise: 'transition' is empty; each level needs a row"},
       {matrix("[1, 0, 0]"), "noise: 'transition' holds 1; each row must be an array of numbers"},
       {matrix(R"([["1", 0, 0], [0, 1, 0], [0, 0, 1]])"),
        "noise: 'transition' holds \"1\"; each entry must be a number"},
       {matrix("[[1, 0, 0], [0, 1, 0]]"),
        "noise: transition has 2 rows; each of its 3 levels needs one"},
       {matrix("[[1, 0, 0], [0, 1], [0, 0, 1]]"),
        "noise: row 2 of transition ('rent') has 2 numbers; each of its 3 levels needs one"},
       {matrix("[[1, 0, 0], [0, 0.9, 0], [0, 0, 1]]"),
        "noise: row 2 of the transition matrix sums to 0.9; each row must sum to 1"},
       {matrix("[[1, 0, 0], [0, 1, 0], [0, 0.1, 1]]"),
        "noise: row 3 of the transition matrix sums to 1.1; each row must sum to 1"},
       {matrix("[[1, 0, 0], [0, 1, 0], [-0.1, 0, 1.1]]"),
        "noise: row 3, column 1 of the transition matrix is -0.1; it must be a number from 0 to 1"},
       {matrix("[[1.5, -0.5, 0], [0, 1, 0], [0, 0, 1]]"),
        "noise: row 1, column 1 of the transition matrix is 1.5; it must be a number from 0 to "
        "1"}});
  expect("features", "feature 'a': ",
         {{R"([{"name": "a", "type": "categorical", "levels": ["x"], "noise": {"flip": 0.1}}])",
           "noise: the flip probability is 0.1; there is no other level to turn into"}});
}

TEST_F(MalformedSchema, Relations) {
  const auto one = [](const std::string& json) { return "[{\"name\": \"r\", " + json + "}]"; };
  expect("relations", "",
         {{"{}", "'relations' must be an array of objects"},
          {"[3]", "relation 1: must be an object, not number"},
          {R"([{"sum": "income", "at_most": 3}])", "relation 1: the key 'name' is missing"},
          {R"([{"name": "", "sum": "income", "at_most": 3}])", "relation 1 of 1 has no name"},
          {R"([{"name": 5, "sum": "income", "at_most": 3}])",
           "relation 1: 'name' must be a string; write \"5\" instead of 5"},
          {R"([{"name": "r", "sum": "income", "at_most": 3},
              {"name": "r", "sum": "debt", "at_most": 3}])",
           "relation 'r': occurs twice; names must differ"}});
  expect(
      "relations", "relation 'r': ",
      {{one(R"("at_most": 3)"), "the key 'sum' is missing"},
       {one(R"("sum": 3, "at_most": 3)"),
        "'sum' is 3; it must be a feature, a list of features or an object of their weights"},
       {one(R"("sum": [], "at_most": 3)"), "'sum' has no features"},
       {one(R"("sum": [3], "at_most": 3)"), "'sum' holds 3; each entry must be a feature's name"},
       {one(R"("sum": "incme", "at_most": 3)"),
        "sum: there is no feature 'incme'; did you mean 'income'? (features: 'income', 'debt', "
        "'age', 'home')"},
       {one(R"("sum": "home", "at_most": 3)"),
        "sum: feature 'home' is categorical; relations are about numbers"},
       {one(R"("sum": ["income", "income"], "at_most": 3)"),
        "sum: feature 'income' occurs twice; add its weights"},
       {one(R"("sum": {"income": 0}, "at_most": 3)"),
        "the weight of 'income' is 0; it must be a finite number other than 0"},
       {one(R"("sum": {"income": "1"}, "at_most": 3)"),
        "the weight of 'income' is \"1\"; it must be a number"},
       {one(R"("sum": "income")"), "'at_most' or 'at_least' is missing"},
       {one(R"("sum": "income", "at_most": 3, "at_least": 1)"),
        "has both 'at_most' and 'at_least'; it must be one of them"},
       {one(R"("sum": "income", "at_most": "yesterday")"),
        "'at_most' is \"yesterday\"; it must be a number, \"today\", a list of features or an "
        "object of their weights"},
       {one(R"("sum": "income", "at_most": null)"),
        "'at_most' is null; it must be a number, \"today\", a list of features or an object of "
        "their weights"},
       {one(R"("sum": "income", "at_most": ["debt", "income"])"),
        "feature 'income' is in both sum and at_most; bring its weights together in one of them"},
       {one(R"("sum": "income", "at_most": ["dbt"])"),
        "at_most: there is no feature 'dbt'; did you mean 'debt'? (features: 'income', 'debt', "
        "'age', 'home')"},
       {one(R"("sum": "income", "at_most": ["home"])"),
        "at_most: feature 'home' is categorical; relations are about numbers"},
       {one(R"("sum": "income", "at_most": {})"), "'at_most' has no features"},
       {one(R"("sum": "income", "per": "debt", "at_most": 3)"),
        "divides by 'debt', which needs a minimum above 0"},
       {one(R"("sum": "income", "per": "home", "at_most": 3)"),
        "per: feature 'home' is categorical; relations are about numbers"},
       {one(R"("sum": "income", "per": "dbt", "at_most": 3)"),
        "per: there is no feature 'dbt'; did you mean 'debt'? (features: 'income', 'debt', 'age', "
        "'home')"},
       {one(R"("sum": "income", "per": "income", "at_most": 3)"),
        "divides by 'income', which needs a minimum above 0"},
       {one(R"("sum": "income", "per": 7, "at_most": 3)"),
        "'per' must be a string; write \"7\" instead of 7"},
       {one(R"("sum": "income", "per": "", "at_most": 3)"),
        "'per' is empty; it must be a numeric feature"},
       {one(R"("sum": "income", "per": "age", "at_most": ["debt"])"),
        "a sum per another feature is compared with a number or with today, not with a sum"},
       {one(R"("sum": "income", "at_mst": 3)"),
        "unknown key 'at_mst'; did you mean 'at_most'? (known keys: 'name', 'sum', 'per', "
        "'at_most', 'at_least')"},
       {one(R"("sum": "income", "at_least": 101)"),
        "no values satisfy it with 'income' at most 100"},
       {one(R"("sum": ["income", "debt"], "at_most": -1)"),
        "no values satisfy it with 'income' at least 0, 'debt' at least 0"}});
  expect("relations", "",
         {{R"([{"name": "high", "sum": "income", "at_least": 60},
              {"name": "low", "sum": {"income": 1, "debt": 1}, "at_most": 50}])",
           "relations 'high', 'low': no values satisfy them together with 'debt' at least 0"}});
}

}  // namespace
}  // namespace croco
