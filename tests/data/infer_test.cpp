// SPDX-License-Identifier: Apache-2.0
#include <croco/data/infer.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

Inference infer(std::string_view csv, InferOptions options) {
  return infer_schema(parse_csv(csv, "t.csv"), options);
}

Inference infer(std::string_view csv) { return infer(csv, {.label = "y", .favourable = "1"}); }

TEST(Infer, TellsNumbersFromCategories) {
  const Inference result = infer(
      "months,rate,y,housing\n"
      "30,1.5,0,rent\n"
      "25,2,1,own\n"
      "41,-1e1,1, rent\n"
      "?,3,0,own\n");
  ASSERT_EQ(result.schema.features.size(), 3U);
  EXPECT_EQ(result.schema.label, (LabelColumn{"y", "1", "0"}));
  const Feature& months = result.schema.features[0];
  EXPECT_EQ(months.type, FeatureType::numeric);
  EXPECT_EQ(months.movement, Movement::both);
  EXPECT_EQ(months.minimum, 25.0);
  EXPECT_EQ(months.maximum, 41.0);
  EXPECT_EQ(months.step, 1.0);
  EXPECT_EQ(result.columns[0].distinct, 3U);
  EXPECT_EQ(result.columns[0].missing, 1U);
  EXPECT_EQ(result.columns[0].median, 30.0);
  const Feature& rate = result.schema.features[1];
  EXPECT_EQ(rate.step, 0.0);
  EXPECT_EQ(rate.minimum, -10.0);
  EXPECT_EQ(result.columns[1].median, 1.75);
  const Feature& housing = result.schema.features[2];
  EXPECT_EQ(housing.type, FeatureType::categorical);
  EXPECT_EQ(housing.movement, Movement::fixed);
  EXPECT_THAT(housing.levels, ElementsAre("own", "rent"));
  EXPECT_EQ(result.columns[2].distinct, 2U);
  EXPECT_THAT(result.notes, ElementsAre("Column 'months' is missing in 1 of 4 rows."));
}

TEST(Infer, FixesWhatNobodyCanChangeByItsName) {
  for (const char* name : {"age", "Age", "AGE", "age_in_years", "CustomerAge", "applicant sex",
                           "gender", "race", "date-of-birth", "Nationality", "ethnicity"}) {
    const Inference result = infer(std::string(name) + ",y\n30,0\n25,1\n41,1\n");
    const Feature& feature = result.schema.features[0];
    EXPECT_EQ(feature.movement, Movement::fixed) << name;
    EXPECT_EQ(feature.changeable_by, ChangeableBy::nobody) << name;
    EXPECT_THAT(result.notes,
                ElementsAre("Column '" + std::string(name) +
                            "' is named like something that nobody can change, so it is fixed and "
                            "marked 'changeable_by: nobody'."));
  }
  // Words that only hold such a name are other words.
  for (const char* name : {"wage", "mileage", "average_balance", "trace", "Essex", "stage"}) {
    const Inference result = infer(std::string(name) + ",y\n30,0\n25,1\n41,1\n");
    EXPECT_EQ(result.schema.features[0].changeable_by, ChangeableBy::person) << name;
    EXPECT_EQ(result.schema.features[0].movement, Movement::both) << name;
  }
}

TEST(Infer, NotesNumbersThatLookLikeCodes) {
  const Inference result = infer("a,b,y\n0,7,0\n1,7,1\n0,7,1\n");
  EXPECT_EQ(result.schema.features[0].type, FeatureType::numeric);
  EXPECT_THAT(
      result.notes,
      ElementsAre("Column 'a' was taken as numeric but has only the values 0 and 1; if they "
                  "are codes, make it categorical.",
                  "Column 'b' is 7 in every row, so nothing can be learnt from it."));
}

TEST(Infer, NotesIdentifiersAndManyLevels) {
  std::string csv = "id,many,y\n";
  for (int k = 0; k < 60; ++k) {
    csv += "p" + std::to_string(k) + ",l" + std::to_string(k % 30) + "," + std::to_string(k % 2) +
           "\n";
  }
  const Inference result = infer(csv);
  EXPECT_THAT(result.notes,
              ElementsAre("Column 'id' has another text in each of its 60 rows and looks like an "
                          "identifier; leave it out of the features.",
                          "Column 'many' has 30 levels, each of which becomes a column."));
  EXPECT_THAT(infer(csv, {.label = "y", .favourable = "1", .max_levels = 30}).notes,
              Not(Contains(HasSubstr("30 levels"))));
}

TEST(Infer, NotesTheSlipInAColumnOfNumbers) {
  std::string csv = "a,y\n";
  for (int k = 0; k < 40; ++k) {
    csv += (k == 7 ? "12o" : std::to_string(k)) + "," + std::to_string(k % 2) + "\n";
  }
  const Inference result = infer(csv);
  EXPECT_EQ(result.schema.features[0].type, FeatureType::categorical);
  EXPECT_THAT(result.notes,
              Contains("Column 'a' was taken as categorical because 1 of its 40 values is not a "
                       "finite number, such as '12o' on line 9."));
}

TEST(Infer, LeavesOutColumnsWithoutValues) {
  const Inference result = infer("a,b,y\n1,,0\n2,NA,1\n3,?,1\n");
  ASSERT_EQ(result.schema.features.size(), 1U);
  ASSERT_EQ(result.columns.size(), 1U);
  EXPECT_THAT(result.notes, ElementsAre("Column 'b' has no values and was left out."));
}

TEST(Infer, GuessesTheFavourableValue) {
  const auto guess = [](const std::string& a, const std::string& b) {
    return infer("x,y\n1," + a + "\n2," + b + "\n3," + a + "\n", {.label = "y"}).schema.label;
  };
  for (const auto& [good, bad] :
       std::vector<std::pair<std::string, std::string>>{{"good", "bad"},
                                                        {"Yes", "No"},
                                                        {"1", "0"},
                                                        {"1", "2"},
                                                        {"TRUE", "FALSE"},
                                                        {"accepted", "rejected"},
                                                        {"approved", "denied"},
                                                        {"10", "9"},
                                                        {">50K", "<=50K"}}) {
    EXPECT_EQ(guess(good, bad), (LabelColumn{"y", good, bad}));
    EXPECT_EQ(guess(bad, good), (LabelColumn{"y", good, bad}));
  }
}

TEST(Infer, SaysThatItGuessed) {
  EXPECT_THAT(infer("x,y\n1,good\n2,bad\n3,bad\n", {.label = "y"}).notes,
              ElementsAre("Label 'y': 'good' was guessed to be the favourable value and 'bad' the "
                          "unfavourable one."));
  EXPECT_THAT(infer("x,y\n1,a\n2,b\n3,b\n", {.label = "y"}).notes,
              ElementsAre("Label 'y': 'b' was guessed to be the favourable value and 'a' the "
                          "unfavourable one, only because it is the larger of the two."));
  EXPECT_THAT(infer("x,y\n1,a\n2,b\n3,b\n", {.label = "y", .favourable = "a"}).notes, IsEmpty());
}

TEST(Infer, DataMayHaveNoLabel) {
  const Inference result = infer("x,y\n1,0\n2,1\n", InferOptions{});
  EXPECT_EQ(result.schema.label, LabelColumn());
  ASSERT_EQ(result.schema.features.size(), 2U) << "every column is a feature";
  EXPECT_EQ(result.schema.features[1].name, "y");
}

TEST(Infer, RefusesLabelsThatAreNone) {
  const auto expect_error = [](std::string_view csv, const InferOptions& options,
                               const std::string& message) {
    EXPECT_THAT([&] { static_cast<void>(infer(csv, options)); }, ThrowsMessage<DataError>(message));
  };
  EXPECT_THAT([] { static_cast<void>(infer("x\n1\n", {.favourable = "1"})); },
              ThrowsMessage<InvalidArgument>(
                  "favourable is '1'; it is a value of the label column, and no label is named"));
  expect_error("x,y\n1,0\n", {.label = "z"}, "t.csv: there is no column 'z' (columns: 'x', 'y')");
  expect_error("x,y\n", {.label = "y"},
               "t.csv: has a header but no rows; at least one row is needed");
  expect_error("x,y\n1,0\n2,0\n", {.label = "y"},
               "t.csv, column 'y': a label needs exactly two values, but there is 1: '0'");
  expect_error("x,y\n1,\n2,\n", {.label = "y"},
               "t.csv, column 'y': a label needs exactly two values, but there are 0");
  expect_error("x,y\n1,a\n1,b\n1,c\n1,d\n1,e\n1,f\n", {.label = "y"},
               "t.csv, column 'y': a label needs exactly two values, but there are 6: 'a', 'b', "
               "'c', 'd', 'e', ...");
  expect_error("x,y\n1,a\n1,b\n", {.label = "y", .favourable = "c"},
               "t.csv, column 'y': 'c' cannot be the favourable value; the values are 'a', 'b'");
  expect_error("x,y\n1,a\n1\n", {.label = "y"}, "t.csv, line 3: has 1 field, but the header has 2");
  expect_error("y\na\nb\n", {.label = "y"}, "t.csv: features: at least one is needed");
}

TEST(Infer, RealDataSets) {
  const char* const folder = std::getenv("CROCO_TEST_DATA_DIR");
  if (folder == nullptr) GTEST_SKIP() << "CROCO_TEST_DATA_DIR is not set";
  const std::filesystem::path path(folder);
  const auto types = [&](const char* file, const char* label) {
    const Inference result = infer_schema(read_csv(path / file), {.label = label});
    std::pair<int, int> count;
    for (const Feature& feature : result.schema.features) {
      ++(feature.type == FeatureType::numeric ? count.first : count.second);
    }
    EXPECT_EQ(parse_schema(schema_json(result.schema), file), result.schema);
    return count;
  };
  EXPECT_EQ(types("adult.csv", "income"), std::pair(6, 7));
  EXPECT_EQ(types("compas.csv", "score"), std::pair(4, 3));
  EXPECT_EQ(types("give_me_some_credit.csv", "SeriousDlqin2yrs"), std::pair(10, 0));
}

}  // namespace
}  // namespace croco
