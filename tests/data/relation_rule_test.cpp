// SPDX-License-Identifier: Apache-2.0
#include <croco/data/relation_rule.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/schema.hpp>

namespace croco {
namespace {

using testing::ThrowsMessage;

/// Debt, savings and income in money, a duration in months, a category.
std::string document(const std::string& relations) {
  return R"({"croco_schema": 1, "features": [
    {"name": "housing", "type": "categorical", "levels": ["own", "rent"]},
    {"name": "debt", "type": "numeric", "minimum": 0, "maximum": 50, "max_change": 20},
    {"name": "savings", "type": "numeric", "minimum": 0},
    {"name": "income", "type": "numeric", "maximum": 100, "label": "yearly income"},
    {"name": "months", "type": "numeric", "minimum": 4, "step": 1}],
    "relations": )" +
         relations + "}";
}

Schema parsed(const std::string& relations) { return parse_schema(document(relations), "s.json"); }

void expect_error(const std::string& relations, const std::string& message) {
  EXPECT_THAT([&] { static_cast<void>(parsed(relations)); }, ThrowsMessage<DataError>(message));
}

TEST(RelationRule, IsReadInEveryForm) {
  const Schema schema = parsed(R"([
    {"name": "covered", "sum": ["debt", "savings"], "at_most": ["income"]},
    {"name": "rate", "sum": "debt", "per": "months", "at_most": "today"},
    {"name": "weighted", "sum": {"debt": 2, "savings": -0.5}, "at_least": {"income": 0.25}},
    {"name": "number", "sum": {"debt": 1}, "at_least": -3}])");
  ASSERT_EQ(schema.relations.size(), 4U);
  EXPECT_EQ(
      schema.relations[0],
      (RelationRule{.name = "covered", .sum = {{"debt"}, {"savings"}}, .than = {{"income"}}}));
  EXPECT_EQ(schema.relations[1],
            (RelationRule{.name = "rate", .sum = {{"debt"}}, .per = "months"}));
  EXPECT_EQ(schema.relations[2], (RelationRule{.name = "weighted",
                                               .sum = {{"debt", 2.0}, {"savings", -0.5}},
                                               .at_least = true,
                                               .than = {{"income", 0.25}}}));
  EXPECT_EQ(schema.relations[3],
            (RelationRule{.name = "number", .sum = {{"debt"}}, .at_least = true, .limit = -3.0}));
  EXPECT_EQ(schema.features[1].max_change, 20.0);
  EXPECT_EQ(parse_schema(schema_json(schema), "again"), schema);
}

TEST(RelationRule, IsToldWithTheLabelsOfItsFeatures) {
  const Schema schema = parsed(R"([
    {"name": "a", "sum": ["debt", "savings"], "per": "months", "at_most": "today"},
    {"name": "b", "sum": {"debt": -2, "savings": 1, "months": -1}, "at_least": ["income"]},
    {"name": "c", "sum": "debt", "at_most": 12.5}])");
  EXPECT_EQ(relation_text(schema, schema.relations[0]),
            "(debt + savings) / months at most as today");
  EXPECT_EQ(relation_text(schema, schema.relations[1]),
            "-2 debt + savings - months at least yearly income");
  EXPECT_EQ(relation_text(schema, schema.relations[2]), "debt at most 12.5");
}

TEST(RelationRule, RefusesBrokenJson) {
  expect_error(R"({})", "s.json: 'relations' must be an array of objects");
  expect_error(R"([1])", "s.json: relation 1: must be an object, not number");
  expect_error(R"([{"sum": "debt", "at_most": 1}])",
               "s.json: relation 1: the key 'name' is missing");
  expect_error(R"([{"name": "a", "at_most": 1}])",
               "s.json: relation 'a': the key 'sum' is missing");
  expect_error(R"([{"name": "a", "sum": "debt", "atmost": 1}])",
               "s.json: relation 'a': unknown key 'atmost'; did you mean 'at_most'? (known keys: "
               "'name', 'sum', 'per', 'at_most', 'at_least')");
  expect_error(R"([{"name": "a", "sum": "debt"}])",
               "s.json: relation 'a': 'at_most' or 'at_least' is missing");
  expect_error(R"([{"name": "a", "sum": "debt", "at_most": 1, "at_least": 0}])",
               "s.json: relation 'a': has both 'at_most' and 'at_least'; it must be one of them");
  expect_error(R"([{"name": "a", "sum": [], "at_most": 1}])",
               "s.json: relation 'a': 'sum' has no features");
  expect_error(R"([{"name": "a", "sum": [3], "at_most": 1}])",
               "s.json: relation 'a': 'sum' holds 3; each entry must be a feature's name");
  expect_error(R"([{"name": "a", "sum": {"debt": "2"}, "at_most": 1}])",
               "s.json: relation 'a': the weight of 'debt' is \"2\"; it must be a number");
  expect_error(R"([{"name": "a", "sum": 7, "at_most": 1}])",
               "s.json: relation 'a': 'sum' is 7; it must be a feature, a list of features or an "
               "object of their weights");
  expect_error(R"([{"name": "a", "sum": "debt", "at_most": "income"}])",
               "s.json: relation 'a': 'at_most' is \"income\"; it must be a number, \"today\", a "
               "list of features or an object of their weights");
}

TEST(RelationRule, RefusesBrokenRules) {
  expect_error(R"([{"name": " ", "sum": "debt", "at_most": 1}])",
               "s.json: relation 1 of 1 has no name");
  expect_error(R"([{"name": "a", "sum": "debt", "at_most": 1},
                   {"name": "a", "sum": "savings", "at_most": 1}])",
               "s.json: relation 'a': occurs twice; names must differ");
  expect_error(R"([{"name": "a", "sum": "dept", "at_most": 1}])",
               "s.json: relation 'a': sum: there is no feature 'dept'; did you mean 'debt'? "
               "(features: 'housing', 'debt', 'savings', 'income', 'months')");
  expect_error(
      R"([{"name": "a", "sum": ["debt", "housing"], "at_most": 1}])",
      "s.json: relation 'a': sum: feature 'housing' is categorical; relations are about numbers");
  expect_error(R"([{"name": "a", "sum": ["debt", "debt"], "at_most": 1}])",
               "s.json: relation 'a': sum: feature 'debt' occurs twice; add its weights");
  expect_error(
      R"([{"name": "a", "sum": "debt", "at_most": ["debt"]}])",
      "s.json: relation 'a': feature 'debt' is in both sum and at_most; bring its weights together "
      "in one of them");
  expect_error(R"([{"name": "a", "sum": {"debt": 0}, "at_most": 1}])",
               "s.json: relation 'a': the weight of 'debt' is 0; it must be a finite number other "
               "than 0");
  expect_error(R"([{"name": "a", "sum": "debt", "per": "savings", "at_most": "today"}])",
               "s.json: relation 'a': divides by 'savings', which needs a minimum above 0");
  expect_error(R"([{"name": "a", "sum": "debt", "per": "months", "at_most": ["savings"]}])",
               "s.json: relation 'a': a sum per another feature is compared with a number or with "
               "today, not with a sum");
  Schema schema = parsed(R"([{"name": "a", "sum": "debt", "at_most": 1}])");
  const double infinity = std::numeric_limits<double>::infinity();
  schema.relations[0].sum[0].weight = infinity;
  EXPECT_THAT([&] { validate(schema); },
              ThrowsMessage<DataError>("relation 'a': the weight of 'debt' is inf; it must be a "
                                       "finite number other than 0"));
  schema.relations[0].sum[0].weight = 1;
  schema.relations[0].limit = std::nan("");
  EXPECT_THAT([&] { validate(schema); },
              ThrowsMessage<DataError>("relation 'a': the limit nan is not a finite number"));
  schema.relations[0].sum.clear();
  EXPECT_THAT([&] { validate(schema); },
              ThrowsMessage<DataError>("relation 'a': its sum has no features"));
}

TEST(RelationRule, ContradictionsAreNamedWithTheEndsOfTheRanges) {
  expect_error(R"([{"name": "free", "sum": "debt", "at_most": 30},
                   {"name": "much", "sum": {"debt": 1, "income": 1}, "at_least": 151}])",
               "s.json: relation 'much': no values satisfy it with 'debt' at most 50, 'income' at "
               "most 100");
  expect_error(R"([{"name": "low", "sum": "savings", "at_most": 10},
                   {"name": "debts", "sum": ["savings"], "at_least": ["debt"]},
                   {"name": "high", "sum": "debt", "at_least": 11}])",
               "s.json: relations 'low', 'debts', 'high': no values satisfy them together");
  // Equality is not a contradiction, and what is about today depends on the person.
  EXPECT_NO_THROW(
      static_cast<void>(parsed(R"([{"name": "a", "sum": ["debt", "income"], "at_least": 150}])")));
  EXPECT_NO_THROW(static_cast<void>(
      parsed(R"([{"name": "a", "sum": "debt", "per": "months", "at_least": "today"},
                 {"name": "b", "sum": "debt", "per": "months", "at_most": "today"}])")));
  // 15 a month for at least 4 months are at least 60.
  expect_error(R"([{"name": "rate", "sum": "debt", "per": "months", "at_least": 15}])",
               "s.json: relation 'rate': no values satisfy it with 'debt' at most 50, 'months' at "
               "least 4");
}

TEST(RelationRule, IsEncodedInTheUnitsOfTheSpace) {
  const Schema schema = parsed(R"([
    {"name": "covered", "sum": {"debt": 2, "savings": 1}, "at_most": ["income"]},
    {"name": "rate", "sum": "debt", "per": "months", "at_least": "today"},
    {"name": "rest", "sum": {"income": 1, "debt": -1}, "at_least": 30}])");
  const Codec codec(schema, {{0, 1, ""}, {5, 45, ""}, {0, 200, ""}, {-10, 90, ""}, {4, 72, ""}});
  ASSERT_EQ(codec.space().relations.size(), 3U);
  const Record today{"own", "20", "10", "60", "10"};
  const Vector origin = codec.encode(today, "today");
  const auto holds = [&](std::size_t relation, Record record) {
    return row_of(codec.space().relations[relation], origin).holds(codec.encode(record, "after"));
  };
  EXPECT_TRUE(holds(0, {"own", "20", "10", "50", "10"}));
  EXPECT_FALSE(holds(0, {"own", "20", "10", "49.9999", "10"}));
  EXPECT_TRUE(holds(1, {"own", "24", "0", "0", "12"}));
  EXPECT_FALSE(holds(1, {"own", "23.9999", "0", "0", "12"}));
  EXPECT_TRUE(holds(2, {"own", "20", "0", "50", "1"}));
  EXPECT_FALSE(holds(2, {"own", "20.0001", "0", "50", "1"}));
  EXPECT_DOUBLE_EQ(codec.space().columns[0].max_change, 0.5);
  EXPECT_EQ(Codec::from_json(codec.json(), "m.json").space(), codec.space());
}

TEST(RelationRule, BelongsToASchemaAndNotToAGivenSpace) {
  Space space{std::vector<Column>(2), {}};
  Codec codec = Codec::identity({"a", "b"}, space);
  Schema schema = codec.schema();
  schema.features[0].max_change = 0.25;
  schema.relations = {{.name = "sum", .sum = {{"a"}, {"b"}}, .limit = 1.0}};
  const Codec ruled = codec.with_schema(schema);
  ASSERT_EQ(ruled.space().relations.size(), 1U);
  EXPECT_EQ(ruled.space().columns[0].max_change, 0.25);
  const Codec again = Codec::from_json(ruled.json(), "m.json");
  EXPECT_EQ(again.space(), ruled.space());
  EXPECT_EQ(again.schema(), ruled.schema());
  EXPECT_THAT(
      [&] { static_cast<void>(Codec::identity({"a", "b"}, ruled.space())); },
      ThrowsMessage<DataError>("relations: a given space cannot have any; a schema names them"));
}

TEST(MaxChangeRule, MustBeAPositiveNumberOfANumericFeature) {
  Schema schema = parsed("[]");
  schema.features[1].max_change = 0.0;
  EXPECT_THAT([&] { validate(schema); },
              ThrowsMessage<DataError>("feature 'debt': max_change 0 is not above 0; movement "
                                       "'fixed' allows no change"));
  schema.features[1].max_change = std::nan("");
  EXPECT_THAT([&] { validate(schema); },
              ThrowsMessage<DataError>("feature 'debt': max_change nan is not a finite number"));
  schema.features[1].max_change.reset();
  schema.features[0].max_change = 1.0;
  EXPECT_THAT(
      [&] { validate(schema); },
      ThrowsMessage<DataError>("feature 'housing': is categorical and cannot have a max_change"));
}

}  // namespace
}  // namespace croco
