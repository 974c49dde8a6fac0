// SPDX-License-Identifier: Apache-2.0
#include <croco/data/dataset.hpp>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/data/infer.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

Codec codec() {
  Schema schema{{"y", "1", "0"},
                {Feature{.name = "a"},
                 Feature{.name = "b", .type = FeatureType::categorical, .levels = {"p", "q"}}}};
  return {schema, {{0, 10, "4"}, {0, 1, "q"}}};
}

CsvTable table(const std::string& rows) { return parse_csv("b,y,a\n" + rows, "t.csv"); }

void expect_error(const std::string& rows, MissingPolicy missing, const std::string& message) {
  EXPECT_THAT([&] { static_cast<void>(encode_dataset(table(rows), codec(), missing)); },
              ThrowsMessage<DataError>(message));
}

TEST(Dataset, EncodesRowsAndLabels) {
  const Dataset dataset = encode_dataset(table("p,1,5\nq,0,10\np, 1.0 ,20\n"), codec());
  EXPECT_EQ(dataset.points.width, 3U);
  EXPECT_THAT(dataset.points.data, ElementsAre(0.5, 1, 0, 1, 0, 1, 2, 1, 0));
  EXPECT_THAT(dataset.labels, ElementsAre(1, 0, 1));
  EXPECT_EQ(dataset.dropped, 0U);
}

TEST(Dataset, MissingValuesFollowThePolicy) {
  const std::string rows = "p,1,5\nq,0,NA\n,0,1\nq,0,10\n";
  expect_error(
      rows, MissingPolicy::error,
      "t.csv, line 3, column 'a': the value is missing ('NA'); --missing drop or impute says what "
      "to do with such rows, and keep asks a model that takes missing values");
  const Dataset dropped = encode_dataset(table(rows), codec(), MissingPolicy::drop);
  EXPECT_EQ(dropped.dropped, 2U);
  EXPECT_THAT(dropped.points.data, ElementsAre(0.5, 1, 0, 1, 0, 1));
  EXPECT_THAT(dropped.labels, ElementsAre(1, 0));
  const Dataset imputed = encode_dataset(table(rows), codec(), MissingPolicy::impute);
  EXPECT_EQ(imputed.dropped, 0U);
  EXPECT_THAT(imputed.points.data, ElementsAre(0.5, 1, 0, 0.4, 0, 1, 0.1, 0, 1, 1, 0, 1));
}

TEST(Dataset, LabelsAreNeverImputed) {
  const std::string rows = "p,1,5\nq,?,4\nq,0,10\n";
  for (const MissingPolicy policy : {MissingPolicy::error, MissingPolicy::impute}) {
    expect_error(
        rows, policy,
        "t.csv, line 3, column 'y': the label is missing ('?'); --missing drop leaves such "
        "rows out");
  }
  EXPECT_EQ(encode_dataset(table(rows), codec(), MissingPolicy::drop).dropped, 1U);
}

TEST(Dataset, NamesWhatIsWrong) {
  expect_error("p,1,5\nq,2,4\n", MissingPolicy::error,
               "t.csv, line 3, column 'y': '2' is neither '1' nor '0'");
  expect_error("p,1,x\n", MissingPolicy::drop, "t.csv, line 2, column 'a': 'x' is not a number");
  expect_error("p,1\n", MissingPolicy::drop, "t.csv, line 2: has 2 fields, but the header has 3");
  expect_error("p,1,5\nq,1,4\n", MissingPolicy::error,
               "t.csv, column 'y': every row is '1'; both classes are needed");
  expect_error(
      "p,1,\nq,0,4\n", MissingPolicy::drop,
      "t.csv, column 'y': every row is '0' once 1 row with missing values is dropped; both "
      "classes are needed");
  expect_error("p,1,\nq,0,\n", MissingPolicy::drop,
               "t.csv: no row is left once 2 rows with missing values are dropped");
  expect_error("", MissingPolicy::error,
               "t.csv: has a header but no rows; at least one row is needed");
  EXPECT_THAT([] { static_cast<void>(encode_dataset(parse_csv("a,b\n1,p\n", "t.csv"), codec())); },
              ThrowsMessage<DataError>("t.csv: there is no column 'y' (columns: 'a', 'b')"));
}

TEST(Dataset, NeedsALabelColumn) {
  const Codec identity = Codec::identity({"a"}, Space{{Column{}}, {}});
  EXPECT_THAT([&] { static_cast<void>(encode_dataset(table("p,1,5\n"), identity)); },
              ThrowsMessage<DataError>("t.csv: the schema names no label column, so the classes of "
                                       "the rows are unknown"));
}

TEST(SlowDataset, RealDataSets) {
  const char* const folder = std::getenv("CROCO_TEST_DATA_DIR");
  if (folder == nullptr) GTEST_SKIP() << "CROCO_TEST_DATA_DIR is not set";
  const CsvTable adult = read_csv(std::filesystem::path(folder) / "adult.csv");
  const Codec fitted = Codec::fit(infer_schema(adult, {.label = "income"}).schema, adult);
  const Dataset dataset = encode_dataset(adult, fitted);
  EXPECT_EQ(dataset.points.count(), 48'832U);
  EXPECT_EQ(dataset.points.width, 6U + 14U);
  for (const double value : dataset.points.data) {
    ASSERT_GE(value, 0.0);
    ASSERT_LE(value, 1.0);
  }
  const auto favourable = std::accumulate(dataset.labels.begin(), dataset.labels.end(), 0);
  EXPECT_GT(favourable, 0);
  EXPECT_LT(favourable, 24'416) << "high incomes are the rarer class";
}

}  // namespace
}  // namespace croco
