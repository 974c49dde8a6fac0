// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <croco/data/csv.hpp>
#include <croco/report/spreadsheet.hpp>
#include <croco/report/writer.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

class CsvReport : public testing::Test {
 protected:
  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
};

TEST_F(CsvReport, HeaderIsFixedAndEndsWithTheFeatures) {
  EXPECT_EQ(
      csv_header(context_),
      "row,status,valid,score,distance_l1,features_changed,rate,rate_upper,confidence,"
      "samples,target_met,obstacle,lowest_rate,lowest_rate_upper,relaxations,cost,level_price,"
      "income,debt,age,home\n");
}

TEST_F(CsvReport, AFeatureNamedLikeAColumnIsMarked) {
  Schema schema = people::schema();
  schema.features[0].name = "row";
  schema.features[2].name = "score, rounded";
  const Codec codec(schema, codec_.scales());
  EXPECT_EQ(
      csv_header(answers::context(codec)),
      "row,status,valid,score,distance_l1,features_changed,rate,rate_upper,confidence,"
      "samples,target_met,obstacle,lowest_rate,lowest_rate_upper,relaxations,cost,level_price,"
      "feature:row,debt,"
      "\"score, rounded\",home\n");
}

TEST_F(CsvReport, OneLinePerAnswer) {
  EXPECT_EQ(csv_line(context_, answers::found()),
            "12,found,1,0.875,0.5,2,0.04321,0.0452,0.999,100000,1,,,,,1,0,75,2.5,30,rent\n");
  EXPECT_EQ(csv_line(context_, answers::unmet()),
            "3,unmet,1,0.875,0.5,2,0.06,0.12345,0.999,200,0,,,,,1,0,75,2.5,30,rent\n");
}

TEST_F(CsvReport, WithoutAdviceTheValuesAreThePersonsOwn) {
  EXPECT_EQ(csv_line(context_, answers::already()),
            "5,already,1,0.75,0,0,,,,,,,,,,0,0,95,0,30,own\n");
  EXPECT_EQ(csv_line(context_, answers::infeasible()),
            "4,infeasible,0,0.125,,,,,,,,,,,,,,40,10,-500,rent\n");
  EXPECT_EQ(csv_line(context_, answers::error()), "6,error,,,,,,,,,,,,,,,,,,,\n");
}

TEST_F(CsvReport, ASpreadsheetSeesNoFormulas) {
  for (const char* text : {"=1+1", "+cmd|x", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "-", "--5"}) {
    EXPECT_EQ(spreadsheet_cell(text), std::string("'") + text);
  }
  for (const char* text : {"", "rent", "-5", "-5.25e-3", "5", "a=1", "'=1"}) {
    EXPECT_EQ(spreadsheet_cell(text), text);
  }
  Schema schema = people::schema();
  schema.features[3].name = "=home";
  const Codec codec(schema, codec_.scales());
  const ReportContext context = answers::context(codec);
  Explanation answer = answers::found();
  answer.after[1] = "-2.5";
  answer.after[3] = "=HYPERLINK(\"x\")";
  EXPECT_TRUE(spreadsheet_header(context).ends_with(",age,'=home\n"));
  EXPECT_TRUE(spreadsheet_line(context, answer).ends_with(",-2.5,30,\"'=HYPERLINK(\"\"x\"\")\"\n"));
  EXPECT_TRUE(csv_line(context, answer).ends_with(",30,\"=HYPERLINK(\"\"x\"\")\"\n"));
}

TEST_F(CsvReport, WithoutATargetItsColumnIsEmpty) {
  Explanation answer = answers::found();
  answer.target_met.reset();
  EXPECT_EQ(csv_line(context_, answer),
            "12,found,1,0.875,0.5,2,0.04321,0.0452,0.999,100000,,,,,,1,0,75,2.5,30,rent\n");
}

TEST_F(CsvReport, EveryLineReadsBackWithAsManyFieldsAsTheHeader) {
  Explanation hostile = answers::found();
  hostile.after = {"75", "2.5", "a \"quoted\", broken\nvalue", ""};
  std::string text = csv_header(context_);
  for (const Explanation& answer :
       {hostile, answers::unmet(), answers::infeasible(), answers::already(), answers::error()}) {
    text += csv_line(context_, answer);
  }
  const CsvTable table = parse_csv(text, "report");
  ASSERT_EQ(table.rows.size(), 5);
  for (const CsvRow& row : table.rows) EXPECT_EQ(row.fields.size(), table.header.size());
  EXPECT_EQ(table.rows[0].fields[19], "a \"quoted\", broken\nvalue");
}

}  // namespace
}  // namespace croco
