// SPDX-License-Identifier: Apache-2.0
#include <croco/data/infer.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

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

/// Nobody can raise an income to 4608.09286508.
TEST(Infer, NumbersMoveInStepsOfTheirLastDecimal) {
  const Inference result = infer(
      "whole,tenths,cents,fine,y\n"
      "3,0.1,1006.74,0.125,0\n"
      "-5,-2.7,0,1,1\n"
      "10,4,99999999.99,2,1\n");
  const auto& features = result.schema.features;
  ASSERT_EQ(features.size(), 4U);
  EXPECT_EQ(features[0].step, 1.0);
  EXPECT_EQ(features[1].step, 0.1);
  EXPECT_EQ(features[2].step, 0.01);
  EXPECT_EQ(features[3].step, 0.0);
}

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
  EXPECT_EQ(rate.step, 0.1);
  EXPECT_EQ(rate.minimum, -10.0);
  EXPECT_EQ(result.columns[1].median, 1.75);
  const Feature& housing = result.schema.features[2];
  EXPECT_EQ(housing.type, FeatureType::categorical);
  EXPECT_EQ(housing.movement, Movement::fixed);
  EXPECT_THAT(housing.levels, ElementsAre("own", "rent"));
  EXPECT_EQ(result.columns[2].distinct, 2U);
  EXPECT_THAT(result.notes,
              ElementsAre("Missing values in 4 rows: 'months' 1. Such rows are errors unless "
                          "--missing says otherwise."));
}

TEST(Infer, FixesWhatNoAdviceShouldTouchByItsName) {
  for (const char* name : {"age", "male", "black", "hispan", "is_female", "race_African-American",
                           "foreign_worker", "religion"}) {
    const Inference result = infer(std::string(name) + ",y\n3,0\n2,1\n4,1\n");
    const Feature& feature = result.schema.features[0];
    EXPECT_EQ(feature.movement, Movement::fixed) << name;
    EXPECT_EQ(feature.changeable_by, ChangeableBy::nobody) << name;
    EXPECT_THAT(result.notes,
                ElementsAre("Column '" + std::string(name) +
                            "' is named like something that nobody can change, or that no advice "
                            "should touch, so it is fixed and marked 'changeable_by: nobody'."));
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

/// A table of 60 rows: columns by their cells, and a label.
std::string table_of(const std::string& header,
                     const std::vector<std::function<std::string(int)>>& cells) {
  std::string csv = header + ",y\n";
  for (int k = 0; k < 60; ++k) {
    for (const auto& cell : cells) csv += cell(k) + ",";
    csv += std::to_string(k % 2) + "\n";
  }
  return csv;
}

TEST(Infer, LeavesOutWhatIdentifiesTheRows) {
  const std::string csv = table_of(
      ",id,run,code,customer_id,amount",
      {[](int k) { return std::to_string(k); }, [](int k) { return "p" + std::to_string(k); },
       [](int k) { return std::to_string(1000 + (k * 7) % 60); },
       [](int k) { return "c" + std::to_string(k * k); },
       [](int k) { return std::to_string(100 * (k / 2)); },
       [](int k) { return std::to_string(37 * k); }});
  const Inference result = infer(csv);
  ASSERT_EQ(result.schema.features.size(), 2U);
  EXPECT_EQ(result.schema.features[1].name, "amount") << "values that differ can be measured";
  EXPECT_EQ(result.schema.features[1].movement, Movement::both);
  EXPECT_EQ(result.schema.features[0].movement, Movement::fixed);
  EXPECT_THAT(
      result.notes,
      ElementsAre(
          "Column '' was left out: it has no name, as an index of the rows that was saved with "
          "them.",
          "Column 'id' was left out: it is named like an identifier and has 60 values in 60 rows.",
          "Column 'run' was left out: it numbers the rows, from 1000 to 1059.",
          "Column 'code' was left out: it has another text in each of its 60 rows, as an "
          "identifier "
          "has.",
          "Column 'customer_id' is named like a code, so it is fixed; if it is one, make it "
          "categorical or leave it out."));
}

TEST(Infer, FixesCodesOfPlaces) {
  const Inference result = infer("zip_code,y\n90210,0\n10001,1\n60601,1\n");
  EXPECT_EQ(result.schema.features[0].movement, Movement::fixed);
  EXPECT_EQ(result.schema.features[0].changeable_by, ChangeableBy::person);
}

TEST(Infer, NotesIdentifiersOfFewRowsAndManyLevels) {
  EXPECT_THAT(infer("a,y\np,0\nq,1\nr,1\n").notes,
              ElementsAre("Column 'a' has another text in each of its 3 rows and looks like an "
                          "identifier; leave it out of the features."));
  const std::string csv = table_of("many", {[](int k) { return "l" + std::to_string(k % 30); }});
  EXPECT_THAT(infer(csv).notes,
              ElementsAre("Column 'many' has 30 levels, each of which becomes a column."));
  EXPECT_THAT(infer(csv, {.label = "y", .favourable = "1", .max_levels = 30}).notes, IsEmpty());
}

TEST(Infer, LeavesOutDates) {
  const Inference result = infer(table_of(
      "iso,day,compact,kept", {[](int k) { return "2024-01-" + std::to_string(10 + k % 20); },
                               [](int k) { return std::to_string(1 + k % 28) + "/02/2024"; },
                               [](int k) { return std::to_string(20240101 + k % 28); },
                               [](int k) { return std::to_string(k % 7); }}));
  ASSERT_EQ(result.schema.features.size(), 1U);
  EXPECT_THAT(
      result.notes,
      ElementsAre("Column 'iso' was left out: it holds dates such as '2024-01-10'; a number "
                  "made of them, such as days until today, can be a feature.",
                  HasSubstr("'day' was left out: it holds dates such as '1/02/2024'"),
                  HasSubstr("'compact' was left out: it holds dates such as '20240101'")));
}

TEST(Infer, ReadsMoneyThousandsAndPerCent) {
  const Inference result = infer(
      "amount,income,rate,y\n"
      "\"\xE2\x82\xAC"
      "1,006.74\",\"1,200\",12%,0\n\xE2\x82\xAC"
      "99.50,900,7.5 %,1\n\xE2\x82\xAC"
      "100,\"12,000\",9%,1\n");
  ASSERT_EQ(result.schema.features.size(), 3U);
  const Feature& amount = result.schema.features[0];
  EXPECT_EQ(amount.type, FeatureType::numeric);
  EXPECT_EQ(amount.unit, "\xE2\x82\xAC");
  EXPECT_EQ(amount.step, 0.01);
  EXPECT_EQ(amount.maximum, 1006.74);
  EXPECT_EQ(result.schema.features[1].maximum, 12000);
  EXPECT_EQ(result.schema.features[1].step, 1.0);
  EXPECT_EQ(result.schema.features[2].unit, "%");
  EXPECT_EQ(result.schema.features[2].minimum, 7.5);
  EXPECT_THAT(result.notes,
              ElementsAre("Column 'amount': '\xE2\x82\xAC"
                          "1,006.74' on line 2 is read as 1006.74, and '\xE2\x82\xAC' is its unit.",
                          "Column 'income': '1,200' on line 2 is read as 1200.",
                          "Column 'rate': '12%' on line 2 is read as 12, and '%' is its unit."));
}

TEST(Infer, RefusesNumbersThatMayMeanAnother) {
  const auto expect_error = [](std::string_view csv, const std::string& message) {
    EXPECT_THAT([&] { static_cast<void>(infer(csv)); }, ThrowsMessage<DataError>(message)) << csv;
  };
  expect_error("a;y\n5;0\n3,5;1\n",
               "t.csv, line 3, column 'a': '3,5' is not a number here: the decimal sign is a point "
               "and only commas part thousands; write 3.5");
  expect_error("a;y\n1,006;0\n2,500;1\n",
               "t.csv, line 2, column 'a': '1,006' may mean 1006 or 1.006; write numbers with a "
               "decimal point and without other separators");
  expect_error("a,y\n$5,0\nEUR 6,1\n",
               "t.csv, line 3, column 'a': 'EUR 6' is not in $, which the values before are in; a "
               "column needs one unit");
  expect_error("a,y\n5%,0\n0.06,1\n",
               "t.csv, line 3, column 'a': '0.06' has no percent sign, but others such as '5%' on "
               "line 2 have one; write all of them in per cent, or none");
  // A text among them makes it a category.
  EXPECT_EQ(infer("a;y\n3,5;0\nnone;1\n").schema.features[0].type, FeatureType::categorical);
}

TEST(Infer, KeepsCodesForTheUnknownOutOfTheRange) {
  const Inference result = infer("days,y\n3,0\n27,1\n14,1\n999,0\n");
  EXPECT_EQ(result.schema.features[0].minimum, 3.0);
  EXPECT_EQ(result.schema.features[0].maximum, 27.0);
  EXPECT_EQ(result.columns[0].maximum, 999.0) << "what the data hold";
  EXPECT_THAT(result.notes,
              ElementsAre("Column 'days' has the value 999, apart from the others (3 to 27), which "
                          "may stand for 'unknown'; it is not proposed. If it does, leave these "
                          "cells empty in the data."));
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
  EXPECT_THAT(result.notes, ElementsAre("Column 'b' was left out: it has no values."));
}

TEST(Infer, GuessesTheFavourableValueWhereItIsSaid) {
  const auto guess = [](const std::string& label, const std::string& a, const std::string& b) {
    return infer("x," + label + "\n1," + a + "\n2," + b + "\n3," + a + "\n", {.label = label})
        .schema.label;
  };
  for (const auto& [good, bad] :
       std::vector<std::pair<std::string, std::string>>{{"good", "bad"},
                                                        {"accepted", "rejected"},
                                                        {"Approved", "Denied"},
                                                        {"Fully Paid", "Charged Off"}}) {
    for (const char* label : {"y", "risk", "default"}) {
      EXPECT_EQ(guess(label, good, bad), (LabelColumn{label, good, bad}));
      EXPECT_EQ(guess(label, bad, good), (LabelColumn{label, good, bad}));
    }
  }
  for (const auto& [good, bad] : std::vector<std::pair<std::string, std::string>>{
           {"Yes", "No"}, {"1", "0"}, {"1.0", "0.0"}, {"1", "-1"}, {"TRUE", "FALSE"}}) {
    EXPECT_EQ(guess("approved", good, bad), (LabelColumn{"approved", good, bad}));
    EXPECT_EQ(guess("y", bad, good), (LabelColumn{"y", good, bad}));
  }
}

TEST(Infer, AsksForTheFavourableValueOtherwise) {
  const auto ask = [](const std::string& label, const std::string& a, const std::string& b) {
    static_cast<void>(
        infer("x," + label + "\n1," + a + "\n2," + b + "\n", InferOptions{.label = label}));
  };
  for (const char* label : {"deny", "default", "bad", "fraud", "churn", "risk", "delinquent"}) {
    for (const auto& [no, yes] : std::vector<std::pair<std::string, std::string>>{
             {"0", "1"}, {"no", "yes"}, {"False", "True"}}) {
      EXPECT_THAT(
          [&] { ask(label, yes, no); },
          ThrowsMessage<InvalidArgument>("t.csv, column '" + std::string(label) + "': which of '" +
                                         no + "' and '" + yes +
                                         "' do people hope for? The label is named like "
                                         "something to be avoided, so it is not guessed; say "
                                         "it with --favourable '" +
                                         no + "' or --favourable '" + yes + "'"));
    }
  }
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"1", "2"}, {"9", "10"}, {"<=50K", ">50K"}, {"negative", "positive"}, {"a", "b"}}) {
    EXPECT_THAT([&] { ask("y", a, b); },
                ThrowsMessage<InvalidArgument>(HasSubstr("The values do not say")));
  }
  EXPECT_EQ(infer("x,default\n1,0\n2,1\n", {.label = "default", .favourable = "0"}).schema.label,
            (LabelColumn{"default", "0", "1"}));
}

TEST(Infer, SaysThatItGuessed) {
  EXPECT_THAT(infer("x,y\n1,good\n2,bad\n3,bad\n", {.label = "y"}).notes,
              ElementsAre("Label 'y': 'good' was guessed to be the favourable value and 'bad' the "
                          "unfavourable one; --favourable says otherwise."));
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
  expect_error(
      "x,y\n1,a\n1,b\n1,c\n1,d\n1,e\n1,f\n", {.label = "y"},
      "t.csv, column 'y': a label needs exactly two values, but there are 6: 'a', 'b', "
      "'c', 'd', 'e', ...; make a column of two values from it, such as whether it is the one "
      "that people hope for");
  expect_error("x,y\n1,a\n1,b\n", {.label = "y", .favourable = "c"},
               "t.csv, column 'y': 'c' cannot be the favourable value; the values are 'a', 'b'");
  expect_error("x,y\n1,a\n1\n", {.label = "y"}, "t.csv, line 3: has 1 field, but the header has 2");
  expect_error("y\na\nb\n", {.label = "y", .favourable = "a"},
               "t.csv: features: at least one is needed");
}

TEST(SlowInfer, RealDataSets) {
  const char* const folder = std::getenv("CROCO_TEST_DATA_DIR");
  if (folder == nullptr) GTEST_SKIP() << "CROCO_TEST_DATA_DIR is not set";
  const std::filesystem::path path(folder);
  const auto types = [&](const char* file, const char* label) {
    const Inference result =
        infer_schema(read_csv(path / file), {.label = label, .favourable = "1"});
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
