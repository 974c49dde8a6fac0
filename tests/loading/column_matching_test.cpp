// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/column_matching.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

Feature number(const std::string& name) { return {.name = name}; }
Feature category(const std::string& name, std::vector<std::string> levels) {
  return {.name = name, .type = FeatureType::categorical, .levels = std::move(levels)};
}

/// amount 100 .. 1100, months 0 .. 10; columns amount, months, home_rent, home_own, class_2,
/// class_7.
Codec codec() {
  Schema schema;
  schema.features = {number("amount"), category("home", {"rent", "own flat"}), number("months"),
                     category("class", {"2", "7"})};
  return {std::move(schema), {{100, 1100}, {}, {0, 10}, {}}};
}

InputColumns match(std::vector<std::string> names,
                   std::vector<std::vector<std::string>> levels = {},
                   const std::vector<std::string>& orders = {},
                   std::vector<bool> unexplained = {}) {
  const std::size_t width = names.size();
  return match_columns(codec(),
                       {width, std::move(names), std::move(levels), std::move(unexplained)},
                       "m.json", parse_category_orders(orders));
}

Vector row(const InputColumns& columns, const Vector& point) {
  Vector out(columns.size());
  columns.row(point, out);
  return out;
}

const Vector kPoint{0.5, 0.2, 0, 1, 1, 0};  // 600, 2 months, own flat, class 2

TEST(ColumnMatching, NumbersComeInTheirOwnUnitsAndInTheModelsOrder) {
  EXPECT_THAT(row(match({"months", "amount"}), kPoint), ElementsAre(2, 600));
}

TEST(ColumnMatching, LevelsAreFoundInEverySpelling) {
  EXPECT_THAT(row(match({"home_rent", "home_own flat"}), kPoint), ElementsAre(0, 1));
  EXPECT_THAT(row(match({"home=rent", "home.own_flat"}), kPoint), ElementsAre(0, 1));
  EXPECT_THAT(row(match({"home__rent", "home:own flat"}), kPoint), ElementsAre(0, 1));
}

TEST(ColumnMatching, CategoriesBecomeCodes) {
  EXPECT_THAT(row(match({"home"}, {}, {"schema"}), kPoint), ElementsAre(1))
      << "the place in the schema, when that is stated";
  EXPECT_THAT(row(match({"class"}), kPoint), ElementsAre(2)) << "the number that the level is";
  EXPECT_THAT(row(match({"home", "class"}, {{"own flat", "rent"}, {"7.0", "2.0"}}), kPoint),
              ElementsAre(0, 1))
      << "the place among the model's own levels";
}

TEST(ColumnMatching, CodesThatNothingExplainsAreRefused) {
  EXPECT_THAT(message_of<ModelError>([] { return match({"amount", "home"}); }),
              HasSubstr("m.json: the model's column 'home' takes codes for levels, and the file "
                        "does not say which level has which code. Say it with --category-order "
                        "home=schema"));
  EXPECT_THAT(message_of<ModelError>([] { return match({"class"}, {}, {}, {true}); }),
              HasSubstr("or with class=numbers, when it is the level itself"));
  EXPECT_THAT(message_of<ModelError>([] { return match({"months"}, {}, {}, {true}); }),
              HasSubstr("'months' is a category, and a number in the data; the file does not say "
                        "whether its codes are these numbers. If they are, say it with "
                        "--category-order months=numbers"));
  EXPECT_THAT(row(match({"months"}, {}, {"numbers"}, {true}), kPoint), ElementsAre(2));
  EXPECT_THAT(row(match({"class"}, {}, {"class=numbers"}, {true}), kPoint), ElementsAre(2));
  EXPECT_THAT(row(match({"class"}, {}, {"class=schema"}, {true}), kPoint), ElementsAre(0));
}

TEST(ColumnMatching, StatedOrdersMustBeOfFeatures) {
  EXPECT_EQ(message_of<InvalidArgument>([] { return match({"amount"}, {}, {"hom=schema"}); }),
            "category-order is given for 'hom', which is no feature of the data; did you mean "
            "'home'? (features: 'amount', 'home', 'months', 'class')");
}

TEST(ColumnMatching, LevelsThatTheModelDoesNotKnowAreMissing) {
  const InputColumns columns = match({"home"}, {{"castle", "rent"}});
  EXPECT_EQ(columns[0].codes[0], 1);
  EXPECT_TRUE(std::isnan(columns[0].codes[1]));
}

TEST(ColumnMatching, WithoutNamesTheOrderIsTheCodecs) {
  const InputColumns all = match_columns(codec(), {6, {}, {}}, "m.json");
  EXPECT_THAT(row(all, kPoint), ElementsAre(600, 2, 0, 1, 1, 0));
  Schema numbers;
  numbers.features = {number("b"), number("a")};
  const Codec two(std::move(numbers), {{0, 10}, {0, 2}});
  EXPECT_THAT(row(match_columns(two, {2, {}, {}}, "m.json"), {0.5, 0.5}), ElementsAre(5, 1));
}

TEST(ColumnMatching, NamesWhatDoesNotFit) {
  const auto fault = [](std::vector<std::string> names,
                        std::vector<std::vector<std::string>> levels = {}) {
    return message_of<ModelError>([&] { return match(names, levels); });
  };
  EXPECT_EQ(fault({"amont"}),
            "m.json: the model's column 'amont' is neither a feature of the data nor one of its "
            "levels; did you mean 'amount'? (features: 'amount', 'home', 'months', 'class'; levels "
            "are written feature=level or feature_level)");
  EXPECT_EQ(fault({"amount", "amount"}), "m.json: columns 0 and 1 are both called 'amount'");
  EXPECT_THAT(fault({"amount"}, {{"low", "high"}}),
              HasSubstr("column 'amount' is a category, and a number in the data"));
  EXPECT_THAT(fault({"home"}, {{"tent", "boat"}}),
              HasSubstr("has the categories 'tent', 'boat'; none is a level of the data: 'rent', "
                        "'own flat'"));
  EXPECT_EQ(message_of<ModelError>([] { return match_columns(codec(), {4, {}, {}}, "m.json"); }),
            "m.json: the model takes 4 columns and has no names for them; the data make 6 (4 "
            "features, categories as one column per level). Save the model with names of its "
            "columns");
}

TEST(ColumnMatching, NamesWithTwoMeaningsAreRefused) {
  Schema schema;
  schema.features = {category("a", {"b_c"}), category("a_b", {"c"})};
  const Codec twice(std::move(schema), {{}, {}});
  EXPECT_THAT(
      message_of<ModelError>([&] { return match_columns(twice, {1, {"a_b_c"}, {}}, "m.json"); }),
      HasSubstr("'a_b_c' could mean several columns of the data, of the features 'a' and 'a_b'"));
}

TEST(InputColumns, RefusesWhatIsNotInTheSpace) {
  InputColumn column;
  column.column = 3;
  EXPECT_EQ(message_of<ModelError>([&] { return InputColumns(3, {column}); }),
            "input 0 of the model takes 1 columns from 3 on; the space has 3");
  column.column = 0;
  column.unit = 0;
  EXPECT_THAT(message_of<ModelError>([&] { return InputColumns(3, {column}); }),
              HasSubstr("units must be finite and above 0"));
}

}  // namespace
}  // namespace croco
