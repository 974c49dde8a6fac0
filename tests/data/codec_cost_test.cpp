// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/data/codec.hpp>
#include <croco/space/distance.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Schema schema() {
  return {.label = {},
          .features = {{.name = "income", .cost = 2.0},
                       {.name = "loans", .cost = 0.5, .touch_cost = 0.25},
                       {.name = "home",
                        .type = FeatureType::categorical,
                        .cost = 3.0,
                        .touch_cost = 0.125,
                        .levels = {"own", "rent"}}}};
}

/// Skewed incomes and few different numbers of loans.
struct Training {
  Vector incomes;
  Vector loans;
  std::string csv = "income,loans,home\n";
};

Training training() {
  Training out;
  const Vector numbers = fixtures::random_vector(300, 11, 0.0, 1.0);
  for (std::size_t i = 0; i < 60; ++i) {
    out.incomes.push_back(std::round(10 - 40 * std::log(1 - numbers[i])));
    out.loans.push_back(std::floor(4 * numbers[100 + i] * numbers[100 + i]));
    out.csv += std::to_string(static_cast<int>(out.incomes.back())) + "," +
               std::to_string(static_cast<int>(out.loans.back())) + "," +
               (i % 2 == 0 ? "own\n" : "rent\n");
  }
  return out;
}

/// |Q(b) - Q(a)| by the definition, from the data alone: linear between the values that occur.
double shift(Vector data, double a, double b) {
  std::ranges::sort(data);
  const double range = data.back() - data.front();
  const auto at = [&](double x) {
    double below = data.front();
    double above = data.back();
    const auto share = [&](double value) {
      double sum = 0;
      for (const double y : data) sum += y < value ? 1 : y == value ? 0.5 : 0;
      return sum / static_cast<double>(data.size());
    };
    if (x <= below) return share(below) - (below - x) / range;
    if (x >= above) return share(above) + (x - above) / range;
    for (const double y : data) {
      if (y <= x) below = std::max(below, y);
      if (y > x) above = std::min(above, y);
    }
    return share(below) + (share(above) - share(below)) * (x - below) / (above - below);
  };
  return std::abs(at(b) - at(a));
}

TEST(CodecCost, PercentilesAreThoseOfTheTrainingData) {
  const Training data = training();
  const Codec codec =
      Codec::fit(schema(), parse_csv(data.csv, "t.csv")).with_cost(CostKind::percentile);
  EXPECT_EQ(codec.cost_kind(), CostKind::percentile);
  const Vector numbers = fixtures::random_vector(400, 5, 0.0, 1.0);
  for (std::size_t i = 0; i < 100; ++i) {
    // Also beyond both ends of the data.
    const double income = std::round(-50 + 400 * numbers[4 * i]);
    const double loans = std::round(-1 + 6 * numbers[4 * i + 1]);
    const double more = std::round(-50 + 400 * numbers[4 * i + 2]);
    const double fewer = std::round(-1 + 6 * numbers[4 * i + 3]);
    const auto encoded = [&](double one, double two, const char* home) {
      return codec.encode(
          {std::to_string(static_cast<int>(one)), std::to_string(static_cast<int>(two)), home},
          "here");
    };
    const Distances found =
        distances(codec.space(), encoded(income, loans, "own"), encoded(more, fewer, "rent"));
    const double touched = loans == fewer ? 0 : 0.25;
    EXPECT_NEAR(found.cost,
                2 * shift(data.incomes, income, more) + 0.5 * shift(data.loans, loans, fewer) +
                    touched + 3.125,
                1e-12);
    EXPECT_EQ(found.touch_price, touched);
    EXPECT_EQ(found.level_price, 3.125);
  }
}

TEST(CodecCost, DeviationsAreThoseOfTheTrainingData) {
  const Codec fitted = Codec::fit(schema(), parse_csv("income,loans,home\n"
                                                      "0,1,own\n20,1,rent\n30,1,own\n60,1,own\n"
                                                      "100,5,own\n",
                                                      "t.csv"));
  const Codec codec = fitted.with_cost(CostKind::mad);
  // Median 30, deviations 0 10 30 30 70: a unit of 100 is 10 / 3 of 30.
  EXPECT_DOUBLE_EQ(codec.space().columns[0].cost, 2 * 100.0 / 30);
  // Most loans are 1: the mean deviation, 0.8 of a range of 4.
  EXPECT_DOUBLE_EQ(codec.space().columns[1].cost, 0.5 * 4 / 0.8);
  EXPECT_FALSE(has_price_curves(codec.space()));
  EXPECT_EQ(codec.space().groups, fitted.space().groups);
  EXPECT_EQ(codec.with_cost(CostKind::l1).space(), fitted.space());
  EXPECT_EQ(codec.with_cost(CostKind::percentile).with_cost(CostKind::l1).space(), fitted.space());
}

TEST(CodecCost, AConstantCostsItsUnitUnderEveryKind) {
  const Codec fitted =
      Codec::fit(schema(), parse_csv("income,loans,home\n4,1,own\n4,2,rent\n", "t.csv"));
  for (const CostKind kind : {CostKind::l1, CostKind::mad, CostKind::percentile}) {
    const Codec codec = fitted.with_cost(kind);
    EXPECT_DOUBLE_EQ(way_price(codec.space().columns[0], 0.0, -3.0), 6.0) << name_of(kind);
  }
}

TEST(CodecCost, SurvivesAnotherSchemaAndTheFile) {
  const Codec fitted = Codec::fit(schema(), parse_csv(training().csv, "t.csv"));
  const Codec read = Codec::from_json(fitted.json(), "m.json");
  EXPECT_EQ(read.scales(), fitted.scales());
  EXPECT_EQ(read.cost_kind(), CostKind::l1);
  const Codec priced = read.with_cost(CostKind::percentile);
  EXPECT_EQ(priced.space(), fitted.with_cost(CostKind::percentile).space());
  Schema dearer = schema();
  dearer.features[0].cost = 7.0;
  const Codec changed = priced.with_schema(dearer);
  EXPECT_EQ(changed.cost_kind(), CostKind::percentile);
  EXPECT_EQ(changed.space().columns[0].cost, 7.0);
  EXPECT_EQ(changed.space().columns[0].price, priced.space().columns[0].price);
}

TEST(CodecCost, NamesTheFeatureWhoseDistributionIsNotKnown) {
  const Codec fitted = Codec::fit(schema(), parse_csv(training().csv, "t.csv"));
  std::vector<FeatureScale> scales = fitted.scales();
  scales[1].distribution.reset();
  const Codec older(schema(), scales);
  EXPECT_EQ(older.with_cost(CostKind::l1).space(), fitted.space());
  EXPECT_THAT([&] { static_cast<void>(older.with_cost(CostKind::mad)); },
              ThrowsMessage<DataError>(
                  "cost mad: feature 'loans': the model's encoding has no 'distribution' of it, "
                  "which training stores; train the model again, or take cost l1"));
  const Codec encoded = Codec::identity({"a", "b"}, fixtures::free_space(2));
  EXPECT_THAT([&] { static_cast<void>(encoded.with_cost(CostKind::percentile)); },
              ThrowsMessage<DataError>(HasSubstr("cost percentile: feature 'a': the model's")));
}

TEST(CodecCost, RefusesBrokenDistributions) {
  const std::string good =
      Codec::fit(schema(), parse_csv("income,loans,home\n1,1,own\n2,5,rent\n", "t.csv")).json();
  const auto expect_error = [&](const std::string& from, const std::string& to,
                                const std::string& message) {
    std::string text = good;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    EXPECT_THAT([&] { static_cast<void>(Codec::from_json(text, "m.json")); },
                ThrowsMessage<DataError>(message));
  };
  expect_error("\"deviation\":0.5", "\"deviation\":\"1\"",
               "m.json: scale 1: distribution: 'deviation' must be a number, not \"1\"");
  expect_error("\"values\":[1.0,2.0]", "\"values\":[1.0,null]",
               "m.json: scale 1: distribution: 'values' holds null; it must hold numbers");
  expect_error("\"values\":[1.0,2.0]", "\"values\":[1.0,1.0]",
               "m.json: scale of feature 'income': distribution: value 2 is 1; they must be finite "
               "and rise");
  expect_error("\"shares\":", "\"share\":",
               "m.json: scale 1: distribution: unknown key 'share'; did you mean 'shares'? (known "
               "keys: 'deviation', 'values', 'shares')");
  expect_error("\"typical\":\"own\"",
               "\"typical\":\"own\",\"distribution\":{\"deviation\":1,\"values\":[1],"
               "\"shares\":[0.5]}",
               "m.json: scale of feature 'home': is categorical and cannot have a distribution");
}

TEST(CostKind, HasANameForEach) {
  for (const CostKind kind : {CostKind::l1, CostKind::mad, CostKind::percentile}) {
    EXPECT_EQ(parse_cost_kind(name_of(kind)), kind);
  }
  EXPECT_THAT([] { static_cast<void>(parse_cost_kind("l2")); },
              ThrowsMessage<InvalidArgument>("cost is 'l2'; it must be l1, mad or percentile"));
}

TEST(TouchCost, IsReadWrittenAndChecked) {
  const std::string json =
      R"({"croco_schema":1,"features":[{"name":"a","type":"numeric","touch_cost":0.1}]})";
  const Schema read = parse_schema(json, "s.json");
  EXPECT_EQ(read.features[0].touch_cost, 0.1);
  EXPECT_EQ(parse_schema(schema_json(read), "s.json"), read);
  const Codec codec(read, {FeatureScale{}});
  EXPECT_EQ(codec.space().columns[0].touch_price, 0.1);
  EXPECT_THAT(
      [] {
        static_cast<void>(parse_schema(
            R"({"croco_schema":1,"features":[{"name":"a","type":"numeric","touch_cost":-1}]})",
            "s.json"));
      },
      ThrowsMessage<DataError>(
          HasSubstr("feature 'a': touch_cost -1 is not a finite number of at least 0")));
  // A given space keeps it through its schema.
  Space space = fixtures::free_space(1);
  space.columns[0].touch_price = 0.5;
  const Codec identity = Codec::identity({"a"}, space);
  EXPECT_EQ(Codec::from_json(identity.json(), "m.json").space(), space);
}

TEST(TouchCost, IsAddedToTheMovesOfACategory) {
  Schema moving = schema();
  moving.features[2].movement = Movement::both;
  const Codec any = Codec::fit(moving, parse_csv(training().csv, "t.csv"));
  for (const LevelMove& move : any.space().groups[0].moves) EXPECT_EQ(move.price, 3.125);
  moving.features[2].moves = {{"own", "rent", 0.75}};
  const Codec listed = Codec::fit(moving, parse_csv(training().csv, "t.csv"));
  EXPECT_EQ(listed.space().groups[0].moves, (std::vector<LevelMove>{{0, 1, 0.875}}));
}

}  // namespace
}  // namespace croco
