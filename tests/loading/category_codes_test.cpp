// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/category_codes.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

const Feature kTexts{
    .name = "home", .type = FeatureType::categorical, .levels = {"rent", "own", "free"}};
const Feature kNumbers{
    .name = "class", .type = FeatureType::categorical, .levels = {"30", "10", "20"}};

Vector codes(const Feature& feature, CodedColumn column,
             const std::vector<std::string>& orders = {}) {
  column.name = feature.name;
  return category_codes(feature, column, parse_category_orders(orders), "m.json");
}

TEST(CategoryOrders, AreReadFromTexts) {
  const CategoryOrders orders = parse_category_orders({"schema", "a=b=numbers"});
  EXPECT_EQ(orders.of("home"), CategoryOrder::schema);
  EXPECT_EQ(orders.of("a=b"), CategoryOrder::numbers);
  EXPECT_EQ(text_of(orders), "schema, a=b=numbers");
  EXPECT_EQ(text_of(parse_category_orders({"b=schema", "a=schema"})), "a=schema, b=schema");
  EXPECT_TRUE(parse_category_orders({}).empty());
  for (const char* text : {"sorted", "home=first", "=schema", ""}) {
    EXPECT_EQ(message_of<InvalidArgument>([&] { return parse_category_orders({text}); }),
              "category-order is '" + std::string(text) +
                  "'; it must be schema or numbers, or one of them for a feature, such as "
                  "purpose=schema");
  }
  EXPECT_EQ(
      message_of<InvalidArgument>([] { return parse_category_orders({"a=schema", "a=numbers"}); }),
      "category-order is given twice for 'a'");
  EXPECT_EQ(
      message_of<InvalidArgument>([] { return parse_category_orders({"schema", "numbers"}); }),
      "category-order is given twice for all features");
}

TEST(CategoryCodes, ThoseOfTheFileAreTaken) {
  const Vector found = codes(kTexts, {.levels = {"free", "rent"}}, {"schema"});
  EXPECT_EQ(found[0], 1);
  EXPECT_TRUE(std::isnan(found[1]));
  EXPECT_EQ(found[2], 0);
  EXPECT_THAT(codes(kNumbers, {.levels = {"10.0", "20", "30"}}), ElementsAre(2, 0, 1));
  EXPECT_EQ(message_of<InvalidArgument>(
                [] { return codes(kTexts, {.levels = {"free", "rent"}}, {"home=schema"}); }),
            "category-order is given for 'home'; m.json holds its categories: 'free', 'rent'");
}

TEST(CategoryCodes, LevelsThatAreNumbersAreTheirOwnCodesWhereTheLibraryHasThemSo) {
  EXPECT_THAT(codes(kNumbers, {}), ElementsAre(30, 10, 20));
  EXPECT_THAT(codes(kNumbers, {}, {"schema"}), ElementsAre(30, 10, 20))
      << "what is said of all features is for those that need it";
  EXPECT_THAT(codes(kNumbers, {}, {"class=schema"}), ElementsAre(0, 1, 2));
}

TEST(CategoryCodes, WhatNothingSaysIsRefused) {
  EXPECT_EQ(
      message_of<ModelError>([] { return codes(kTexts, {}); }),
      "m.json: the model's column 'home' takes codes for levels, and the file does not say "
      "which level has which code. Say it with --category-order home=schema, when a code is "
      "the place of a level among the schema's, from 0. XGBoost saves categories from version "
      "3.1 on, unless the booster is a slice: save the whole one and choose with --rounds. "
      "LightGBM saves those of pandas columns of type category");
  EXPECT_THAT(message_of<ModelError>([] { return codes(kNumbers, {.unexplained = true}); }),
              HasSubstr("from 0, or with class=numbers, when it is the level itself. XGBoost"));
  EXPECT_THAT(codes(kTexts, {.unexplained = true}, {"schema"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(codes(kNumbers, {.unexplained = true}, {"schema"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(codes(kNumbers, {.unexplained = true}, {"numbers"}), ElementsAre(30, 10, 20));
  EXPECT_EQ(message_of<InvalidArgument>([] { return codes(kTexts, {}, {"numbers"}); }),
            "category-order is numbers for 'home'; its levels are 'rent', 'own', 'free', and not "
            "all of them are numbers");
}

}  // namespace
}  // namespace croco
