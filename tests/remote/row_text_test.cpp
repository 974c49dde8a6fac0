// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/row_text.hpp>

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/fixtures.hpp>
#include <tests/remote/applicants.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;

/// What a record becomes on its way to a model elsewhere.
Matrix told(const Codec& codec, const std::vector<Record>& records) {
  Matrix points(0, codec.width());
  for (const Record& record : records) points.append(codec.encode(record, "here"));
  return RecordColumns(codec).values(points.rows());
}

std::string written(const RowText& text, const Matrix& values) {
  std::string out;
  text.append(values.rows(), out);
  return out;
}

TEST(RecordColumns, ToldNumbersComeBackToTheLastBit) {
  const Codec codec = applicants::codec();
  for (int tenths = -400; tenths < 2500; ++tenths) {
    // Whole numbers and tenths on both sides of the training data's range.
    const std::string number = fmt::format("{}", tenths / 10.0);
    const Matrix values = told(codec, {{number, "own", number}});
    EXPECT_EQ(values[0][0], tenths / 10.0);
    EXPECT_EQ(values[0][2], tenths / 10.0);
  }
}

TEST(RecordColumns, NoiseIsNotRoundedToSteps) {
  const Codec codec = applicants::codec();
  Matrix point(1, codec.width());
  point[0][0] = 0.1234567;  // income has a step of 1
  EXPECT_EQ(RecordColumns(codec).values(point.rows())[0][0], 128 * 0.1234567);
}

TEST(RecordColumns, ACategoryIsTheLevelOfItsLargestColumn) {
  const Codec codec = applicants::codec();
  Matrix point(2, codec.width());
  point[0][2] = 0.2;
  point[0][3] = 0.3;
  point[1][2] = -0.2;
  point[1][3] = -0.3;
  const Matrix values = RecordColumns(codec).values(point.rows());
  EXPECT_EQ(values[0][1], 1);
  EXPECT_EQ(values[1][1], 0);
}

TEST(RecordColumns, EncodedDataMeanThemselves) {
  const Codec codec = Codec::identity({"a"}, fixtures::free_space(1));
  const double third = 1.0 / 3;
  EXPECT_EQ(RecordColumns(codec).values({{&third, 1}, 1})[0][0], third);
}

TEST(RowText, WritesCsv) {
  const Codec codec = applicants::codec();
  const RecordColumns columns(codec);
  const RowText text = RowText::csv(columns);
  EXPECT_EQ(text.header(), "income,home,debt\n");
  EXPECT_EQ(written(text, told(codec, {{"50", "own", "4.25"},
                                       {"50", "rent, or \"none\"", "4.25"},
                                       {"0.1", "own", "1e-7"}})),
            "50,own,4.25\n50,\"rent, or \"\"none\"\"\",4.25\n0.1,own,1e-07\n");
}

TEST(RowText, WritesJson) {
  const Codec codec = applicants::codec();
  const RecordColumns columns(codec);
  const Matrix values = told(codec, {{"50", "own", "4.25"}, {"50", "rent, or \"none\"", "8"}});
  const RowText arrays = RowText::json_arrays(columns);
  EXPECT_EQ(arrays.header(), R"(["income","home","debt"])");
  EXPECT_EQ(written(arrays, values), R"([50,"own",4.25],[50,"rent, or \"none\"",8])");
  EXPECT_EQ(written(RowText::json_objects(columns), values),
            R"({"income":50,"home":"own","debt":4.25},)"
            R"({"income":50,"home":"rent, or \"none\"","debt":8})");
}

TEST(RowText, MissingValuesAreEmptyFieldsAndNulls) {
  const Codec codec = applicants::codec();
  const RecordColumns columns(codec);
  Matrix values = told(codec, {{"50", "own", "4.25"}, {"50", "own", "4.25"}, {"50", "own", "8"}});
  const double missing = std::numeric_limits<double>::quiet_NaN();
  values[0][1] = values[0][2] = values[1][0] = missing;
  EXPECT_EQ(written(RowText::csv(columns), values), "50,,\n,own,4.25\n50,own,8\n");
  EXPECT_EQ(written(RowText::json_arrays(columns), values),
            R"([50,null,null],[null,"own",4.25],[50,"own",8])");
  EXPECT_EQ(written(RowText::json_objects(columns), values),
            R"({"income":50,"home":null,"debt":null},{"income":null,"home":"own","debt":4.25},)"
            R"({"income":50,"home":"own","debt":8})");
}

Codec one_category(const std::string& levels) {
  return {parse_schema(R"({"croco_schema": 1, "features": [{"name": "a", "type": "categorical",
                           "levels": )" +
                           levels + "}]}",
                       "one"),
          {{}}};
}

TEST(RowText, LevelsThatAreNumbersAreNumbersInJsonOnly) {
  const Codec codec = one_category(R"(["1", "2.5"])");
  EXPECT_EQ(written(RowText::json_arrays(RecordColumns(codec)), told(codec, {{"2.5"}})), "[2.5]");
  const Codec mixed = one_category(R"(["1", "01"])");
  EXPECT_EQ(written(RowText::json_arrays(RecordColumns(mixed)), told(mixed, {{"1"}})), "[\"1\"]");
}

TEST(RowText, NoRowOfCsvIsABlankLine) {
  const Codec codec = one_category(R"(["", "x"])");
  EXPECT_EQ(written(RowText::csv(RecordColumns(codec)), told(codec, {{""}, {"x"}})), "\"\"\nx\n");
  Matrix missing(1, 1);
  missing[0][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(written(RowText::csv(RecordColumns(codec)), missing), "\"\"\n");
}

TEST(RowText, RefusesLineBreaksInCsv) {
  const Codec codec = one_category(R"(["a\nb", "x"])");
  EXPECT_EQ(message_of<ModelError>([&] { return RowText::csv(RecordColumns(codec)); }),
            "'a\nb' has a line break, which ends a row of CSV; use another protocol");
  EXPECT_EQ(written(RowText::json_arrays(RecordColumns(codec)), told(codec, {{"a\nb"}})),
            "[\"a\\nb\"]");
}

}  // namespace
}  // namespace croco
