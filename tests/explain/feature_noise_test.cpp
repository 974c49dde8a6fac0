// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/feature_noise.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

/// Income and debt in their own units, a category of three levels of which one never occurs.
Codec codec(FeatureNoise income = {}, FeatureNoise debt = {}, FeatureNoise home = {}) {
  Schema schema = people::schema();
  schema.features[0].noise = std::move(income);
  schema.features[1].noise = std::move(debt);
  schema.features[3].levels = {"rent", "own", "castle"};
  schema.features[3].noise = std::move(home);
  return Codec(schema, {{0, 100, "40"}, {0, 50, "10"}, {20, 80, "50"}, {0, 1, "rent", {"castle"}}});
}

CsvTable table(const std::string& text) { return parse_csv(text, "r.csv"); }

TEST(FeatureNoise, OwnUnitsBecomeEncodedOnes) {
  const Codec with = codec({.sd = 5}, {.sd = 10});
  EXPECT_TRUE(states_noise(with.schema()));
  EXPECT_FALSE(states_noise(people::schema()));
  const Noise noise = schema_noise(with);
  EXPECT_EQ(noise.shape, NoiseShape::gaussian);
  EXPECT_EQ(noise.column_scales, (Vector{0.05, 0.2, 0, 0, 0, 0}));
  EXPECT_TRUE(noise.flips.empty());
}

TEST(FeatureNoise, HalfWidthsAreUniformAndMixWithDeviations) {
  EXPECT_EQ(schema_noise(codec({.half_width = 5})).shape, NoiseShape::uniform);
  const Noise mixed = schema_noise(codec({.half_width = 5}, {.sd = 10}));
  EXPECT_EQ(mixed.shape, NoiseShape::mixed);
  EXPECT_EQ(mixed.column_scales, (Vector{0.05, 0.2, 0, 0, 0, 0}));
  EXPECT_EQ(mixed.column_shapes[0], NoiseShape::uniform);
  EXPECT_EQ(mixed.column_shapes[1], NoiseShape::gaussian);
  EXPECT_NO_THROW(validate(mixed, 6));
}

TEST(FeatureNoise, FlipsGoToLevelsThatOccur) {
  const Noise noise = schema_noise(codec({}, {}, {.flip = 0.1}));
  ASSERT_EQ(noise.flips.size(), 1U);
  EXPECT_EQ(noise.flips[0].group(), (OneHotGroup{3, 3}));
  EXPECT_DOUBLE_EQ(noise.flips[0].probability(0, 1), 0.1);
  EXPECT_EQ(noise.flips[0].probability(0, 2), 0.0);
  EXPECT_DOUBLE_EQ(noise.flips[0].probability(2, 0), 0.05);
}

TEST(FeatureNoise, TransitionsMayGoAnywhere) {
  const Noise noise =
      schema_noise(codec({}, {}, {.transition = {{0.5, 0, 0.5}, {0, 1, 0}, {1, 0, 0}}}));
  EXPECT_EQ(noise.flips.at(0).probability(0, 2), 0.5);
  EXPECT_EQ(noise.flips.at(0).probability(2, 0), 1.0);
}

TEST(FeatureNoise, FlipsNeedSomewhereToGo) {
  Schema schema = people::schema();
  schema.features[3].noise.flip = 0.1;
  const Codec one(schema, {{0, 100, "40"}, {0, 50, "10"}, {20, 80, "50"}, {0, 1, "rent", {"own"}}});
  EXPECT_EQ(fixtures::message_of<DataError>([&] { return schema_noise(one); }),
            "feature 'home': noise: the flip probability is 0.1; there is no other level to turn "
            "into");
}

TEST(FeatureNoise, SingleFlipsReplaceAndEnd) {
  const Codec with = codec({}, {}, {.flip = 0.1});
  Noise noise = schema_noise(with);
  set_flip(with, 3, 0.3, noise);
  ASSERT_EQ(noise.flips.size(), 1U);
  EXPECT_DOUBLE_EQ(noise.flips[0].probability(0, 1), 0.3);
  set_flip(with, 3, 0, noise);
  EXPECT_TRUE(noise.flips.empty());
  const auto text = [&](std::size_t feature, double probability) {
    return fixtures::message_of<InvalidArgument>([&] {
      set_flip(with, feature, probability, noise);
      return 0;
    });
  };
  EXPECT_EQ(text(0, 0.1), "'income' is a number, and flips are for categories");
  EXPECT_EQ(text(3, -1), "the flip probability is -1; it must be a number from 0 to 1");
}

TEST(FeatureNoise, EncodedGroupsAreNamedByAnyColumn) {
  Space space = fixtures::free_space(3);
  space.columns[1].continuous = space.columns[2].continuous = false;
  space.groups = {{1, 2}};
  const Codec identity = Codec::identity({"x", "a", "b"}, space);
  Noise noise;
  set_flip(identity, 2, 0.2, noise);
  EXPECT_EQ(noise.flips.at(0).group(), (OneHotGroup{1, 2}));
}

TEST(ResidualNoise, RowsAreInOwnUnitsUnlessTheySayOtherwise) {
  const Noise noise = residual_noise(codec(), table("debt,income:encoded\n5,0.25\n-10,-1\n"));
  EXPECT_EQ(noise.shape, NoiseShape::empirical);
  EXPECT_EQ(noise.residuals.columns, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(noise.residuals.rows.data, (Vector{0.1, 0.25, -0.2, -1}));
}

TEST(ResidualNoise, MessagesNameTheLineAndTheColumn) {
  const auto text = [](const std::string& csv) {
    return fixtures::message_of<DataError>([&] { return residual_noise(codec(), table(csv)); });
  };
  EXPECT_THAT(text("incme\n1\n"), testing::StartsWith("r.csv: there is no feature 'incme'"));
  EXPECT_EQ(text("home\n1\n"), "r.csv: 'home' is a category; noise of this kind is for numbers");
  EXPECT_EQ(text("income,income:encoded\n1,2\n"), "r.csv: 'income' occurs twice");
  EXPECT_EQ(text("income\n1\nx\n"), "r.csv, line 3, column 'income': 'x' is not a number");
  EXPECT_THAT(text("income,debt\n1\n"), testing::HasSubstr("line 2"));
  EXPECT_THAT(text("income\n"), testing::HasSubstr("r.csv"));
  std::string long_one = "income,debt\n";
  for (std::size_t k = 0; k <= kMaxResiduals / 2; ++k) long_one += "1,2\n";
  EXPECT_EQ(text(long_one),
            "r.csv: has 100001 rows of 2 residuals; at most 200000 numbers can be held, take a "
            "random part of the rows");
}

class CovarianceFile : public testing::Test {
 protected:
  static Noise read(const std::string& name, const std::string& text) {
    const auto path = std::filesystem::path(testing::TempDir()) / name;
    write_file(path, text);
    return read_covariance_noise(codec(), path);
  }
  static std::string fault(const std::string& name, const std::string& text) {
    std::string out = fixtures::message_of<DataError>([&] { return read(name, text); });
    const std::string folder = testing::TempDir();
    if (const auto at = out.find(folder); at != std::string::npos) out.erase(at, folder.size());
    if (out.starts_with('/')) out.erase(0, 1);
    return out;
  }
};

TEST_F(CovarianceFile, ComesAsCsvWithOrWithoutNamesOrAsJson) {
  const Vector expected{0.0025, 0.001, 0.001, 0.04};
  for (const auto& [name, text] :
       {std::pair<std::string, std::string>{"a.csv", "income,debt\n25,5\n5,100\n"},
        {"b.csv", "feature,income,debt\nincome,25,5\ndebt,5,100\n"},
        {"c.json", R"({"features": ["income", "debt"], "covariance": [[25, 5], [5, 100]]})"}}) {
    const Noise noise = read(name, text);
    EXPECT_EQ(noise.shape, NoiseShape::correlated);
    EXPECT_EQ(noise.covariance.columns(), (std::vector<std::size_t>{0, 1}));
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_DOUBLE_EQ(noise.covariance.matrix().data[i], expected[i]) << name;
    }
  }
}

TEST_F(CovarianceFile, EachFaultHasItsMessage) {
  const std::vector<std::pair<std::string, std::string>> csv{
      {"income,debt\n25,5\n", "d.csv: has 1 rows for 2 features; a covariance has one for each"},
      {"feature\n", "d.csv: names no features; a covariance is of at least one"},
      {"feature,income,debt\ndebt,25,5\nincome,5,100\n",
       "d.csv, line 2: the row is of 'debt'; it must be of 'income', in the order of the header"},
      {"income,debt\n25,x\n5,100\n", "d.csv, line 2, column 'debt': 'x' is not a number"},
      {"income,debt\n25,inf\n5,100\n",
       "d.csv, line 2, column 'debt': 'inf' is not a finite number"},
      {"income,debt\n25,\n5,100\n", "d.csv, line 2, column 'debt': '' is not a number"},
      {"income,debt\n25\n5,100\n", "d.csv, line 2: has 1 field, but the header has 2"},
      {"income,debt\n25,5\n4,100\n",
       "d.csv: row 2, column 1 of the covariance is 4, and row 1, column 2 is 5; a covariance must "
       "be symmetric (columns: income, debt)"},
      {"income,debt\n25,60\n60,100\n",
       "d.csv: row 2, column 1 of the covariance is 60; with variances of 100 and 25 it must be "
       "within +-50 (columns: income, debt)"},
      {"income,debt\n-25,5\n5,100\n",
       "d.csv: row 1, column 1 of the covariance is -25; a variance must be at least 0 (columns: "
       "income, debt)"},
      {"income,debt,age\n1,0.9,-0.9\n0.9,1,0.9\n-0.9,0.9,1\n",
       "d.csv: the covariance is not positive semidefinite: given the other columns, the variance "
       "of column 3 must be above 1 (columns: income, debt, age)"},
      {"income,home\n25,5\n5,100\n",
       "d.csv: 'home' is a category; noise of this kind is for numbers"},
      {"income,dbt\n25,5\n5,100\n",
       "d.csv: there is no feature 'dbt'; did you mean 'debt'? (features: 'income', 'debt', 'age', "
       "'home')"},
      {"income,income:encoded\n25,5\n5,100\n", "d.csv: 'income' occurs twice"}};
  const std::vector<std::pair<std::string, std::string>> json{
      {"[]", "d.json: must be an object, not array"},
      {R"({"covariance": [[1]]})", "d.json: the key 'features' is missing"},
      {R"({"features": ["income"]})", "d.json: the key 'covariance' is missing"},
      {R"({"features": ["income"], "covarience": [[1]]})",
       "d.json: unknown key 'covarience'; did you mean 'covariance'? (known keys: 'features', "
       "'covariance')"},
      {R"({"features": "income", "covariance": [[1]]})",
       "d.json: 'features' must be an array of strings"},
      {R"({"features": [1], "covariance": [[1]]})",
       "d.json: 'features' holds 1; each name must be a string"},
      {R"({"features": [], "covariance": []})",
       "d.json: names no features; a covariance is of at least one"},
      {R"({"features": ["income"], "covariance": 3})",
       "d.json: 'covariance' must be an array, not number"},
      {R"({"features": ["income"], "covariance": [[1], [2]]})",
       "d.json: 'covariance' has 2 rows; each of the 1 features needs one"},
      {R"({"features": ["income"], "covariance": [3]})",
       "d.json: row 1 of 'covariance' is 3; it must be an array of numbers"},
      {R"({"features": ["income"], "covariance": [[1, 2]]})",
       "d.json: row 1 of 'covariance' has 2 numbers; each of the 1 features needs one"},
      {R"({"features": ["income"], "covariance": [["a"]]})",
       "d.json: row 1, column 1 of 'covariance' is \"a\"; it must be a number"},
      {R"({"features": ["income"], "covariance": [[-1]]})",
       "d.json: row 1, column 1 of the covariance is -1; a variance must be at least 0 (columns: "
       "income)"}};
  std::vector<std::string> messages;
  for (const auto& [text, message] : csv) {
    messages.push_back(fault("d.csv", text));
    EXPECT_EQ(messages.back(), message) << text;
  }
  for (const auto& [text, message] : json) {
    messages.push_back(fault("d.json", text));
    EXPECT_EQ(messages.back(), message) << text;
  }
  std::ranges::sort(messages);
  EXPECT_EQ(std::ranges::adjacent_find(messages), messages.end()) << "two faults share a message";
}

/// A codec of numbers that were learnt from these rows.
Codec learnt(std::vector<Feature> features, const std::string& csv) {
  Schema schema;
  schema.features = std::move(features);
  return Codec::fit(schema, parse_csv(csv, "train.csv"));
}

TEST(DefaultNoise, AnswersThatAreWrittenAsNumbersAreExact) {
  const std::string rows = "income,owner,arm,home\n10,0,1,own\n20,1,2,rent\n40,1,2,own\n";
  const std::vector<Feature> features{
      {.name = "income"},
      {.name = "owner"},
      {.name = "arm"},
      {.name = "home", .type = FeatureType::categorical, .levels = {"own", "rent"}}};
  const Codec codec = learnt(features, rows);
  const Noise noise = default_noise(codec);
  EXPECT_EQ(noise.column_scales, Vector({0.1, 0, 0, 0, 0}));
  EXPECT_EQ(noise.scope, NoiseScope::all);
  // Counts and pairs of other numbers are quantities of which a few rows have two.
  EXPECT_TRUE(default_noise(learnt({{.name = "n"}}, "n\n3\n4\n")).column_scales.empty());
  EXPECT_TRUE(
      default_noise(learnt({{.name = "n", .maximum = 9}}, "n\n0\n1\n")).column_scales.empty())
      << "the schema knows more values";
  EXPECT_TRUE(default_noise(learnt({{.name = "n"}}, "n\n0\n1\n2\n")).column_scales.empty());
  EXPECT_EQ(default_noise(learnt({{.name = "n"}}, "n\n0\n1\n2\n")).scope, NoiseScope::continuous);
  // Without training rows the schema may leave two values.
  const Codec stated({{}, {{.name = "n", .minimum = 4, .maximum = 8, .step = 4}}}, {{4, 8}});
  EXPECT_EQ(default_noise(stated).column_scales, Vector({0}));
  // Encoded data have noise on all columns, as in the paper.
  const Codec encoded = Codec::identity(codec.column_names(), codec.space());
  EXPECT_TRUE(default_noise(encoded).column_scales.empty());
  EXPECT_EQ(default_noise(encoded).scope, NoiseScope::all);
}

}  // namespace
}  // namespace croco
