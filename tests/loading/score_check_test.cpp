// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/score_check.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/loading/people.hpp>
#include <croco/models/network/mlp.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

class NoNumbers final : public Model {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return 1; }
  void logits(Rows, MutableView out) const override {
    std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
  }
};

/// All scores at once.
StatedScores read_scores(const std::string& where, const RowSource& people) {
  return ScoreReader(where, people).next(1000);
}

/// sigmoid(a) for a number a that is encoded as it is.
class ScoreCheckTest : public testing::Test {
 protected:
  ScoreCheckTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                fmt::format("croco_score_check_{}", ::getpid())),
        codec_(schema(), {{0, 1}}) {
    std::filesystem::create_directories(folder_);
  }
  ~ScoreCheckTest() override { std::filesystem::remove_all(folder_); }

  static Schema schema() {
    Schema out;
    out.features = {{.name = "a"}};
    return out;
  }
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  ScoreCheck compare(const std::string& csv, const Goal& goal = Goal(),
                     MissingPolicy missing = MissingPolicy::error) const {
    const CsvTable table = parse_csv(csv, "people.csv");
    return compare_scores(model_, codec_, goal,
                          read_people(table, codec_.schema(), 0, table.rows.size()),
                          read_scores("p", RowSource::text("people.csv", csv)), {missing});
  }

  std::filesystem::path folder_;
  Codec codec_;
  Mlp model_ = fixtures::logistic({1.0}, 0.0);
};

const std::string kPeople = "a,p\n0,0.5\n1,0.7310586\n2,0.8807971\n";

TEST_F(ScoreCheckTest, ScoresAreAColumnOrAFile) {
  const RowSource people = RowSource::text("people.csv", kPeople);
  EXPECT_THAT(read_scores("p", people).scores, ElementsAre(0.5, 0.7310586, 0.8807971));
  EXPECT_EQ(read_scores("p", people).source, "column 'p' of people.csv");
  for (const std::string text : {"0.5\n0.25\n1\n", "score\n0.5\n0.25\n1\n", "p\n0.5\n.25\n1e0",
                                 "id,score\n7,0.5\n8,0.25\n9,1\n"}) {
    EXPECT_THAT(read_scores(write("scores.csv", text), people).scores, ElementsAre(0.5, 0.25, 1))
        << text;
  }
}

TEST_F(ScoreCheckTest, WhatAreNoScoresIsNamed) {
  const RowSource people = RowSource::text("people.csv", "a,score\n0,0.5\n1,0.7\n2,0.9\n");
  const auto fault = [&](const std::string& text) {
    return message_of<DataError>([&] { return read_scores(write("s.csv", text), people); });
  };
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { return read_scores("scors", people); }),
      "scores is 'scors'; it must be a file, or a column of people.csv; did you mean 'score'? "
      "(columns: 'a', 'score')");
  EXPECT_THAT(fault("0.5\n0.25\n"),
              HasSubstr("s.csv has 2 scores and people.csv has 3 rows; there must be one score for "
                        "each row, in order"));
  EXPECT_THAT(fault("score\n0.5\nhigh\n1\n"),
              HasSubstr("s.csv, line 3, column 'score': the score is 'high'; it must be the "
                        "probability of class 1, a number from 0 to 1"));
  EXPECT_THAT(fault("0.5\n1.5\n1\n"), HasSubstr("line 2, column '0.5': the score is '1.5'"));
  EXPECT_THAT(fault("-0.1\n0.5\n1\n"), HasSubstr("line 1: the score is '-0.1'"));
  EXPECT_THAT(fault("id,p\n1,0.5\n2,0.5\n3,1\n"),
              HasSubstr("has 2 columns, and none is called 'score' (columns: 'id', 'p')"));
  EXPECT_THAT(fault("0.5\n0.5,0.5\n1\n"), HasSubstr("line 2: has 2 fields; the first line has 1"));
}

TEST_F(ScoreCheckTest, EqualScoresAgree) {
  const ScoreCheck check = compare(kPeople);
  EXPECT_TRUE(check.agrees());
  EXPECT_EQ(check.compared, 3U);
  EXPECT_LT(check.largest, 1e-7);
  EXPECT_TRUE(compare("a,p\n1,0.73115\n").agrees()) << "within 1e-4";
  EXPECT_FALSE(compare("a,p\n1,0.73117\n").agrees());
}

TEST_F(ScoreCheckTest, AnotherDecisionIsADifferenceHoweverNear) {
  EXPECT_TRUE(compare("a,p\n0.00001,0.500001\n").agrees());
  EXPECT_FALSE(compare("a,p\n0.00001,0.5\n").agrees());
  EXPECT_TRUE(compare("a,p\n0.00001,0.5\n", Goal(0.7)).agrees()) << "not at this threshold";
  EXPECT_FALSE(compare("a,p\n0.00001,0.5\n", Goal(0.5, 0)).agrees());
}

TEST_F(ScoreCheckTest, AMistakeThatExplainsAllScoresIsNamed) {
  const auto text = [&](const std::string& csv) {
    return text_of(compare(csv), Goal(), "column 'p' of people.csv", "m.onnx");
  };
  const std::string other_class = text("a,p\n-1,0.7310586\n1,0.2689414\n2,0.1192029\n");
  EXPECT_THAT(other_class, HasSubstr("\nYour scores are the probabilities of class 0: write those "
                                     "of the model's class 1, such as predict_proba(X)[:, 1]"));
  EXPECT_THAT(text("a,p\n-1,0\n1,1\n2,1\n"),
              HasSubstr("\nYour scores are all 0 or 1: write probabilities (predict_proba) and not "
                        "labels (predict)"));
  // Half the logit of the model: sigmoid(-.5), sigmoid(.5), sigmoid(1).
  EXPECT_THAT(text("a,p\n-1,0.3775407\n1,0.6224593\n2,0.7310586\n"),
              HasSubstr("\nThe model's logits are twice those of your scores: skl2onnx exports "
                        "LinearDiscriminantAnalysis in this way."));
  EXPECT_EQ(compare("a,p\n-1,0.7310586\n1,0.2689414\n2,0.2\n").mistake, ScoreMistake::none)
      << "one row is something else";
  EXPECT_EQ(compare("a,p\n-1,0.7310586\n1,0.2689414\n").mistake, ScoreMistake::none)
      << "two rows may agree by chance";
  EXPECT_EQ(compare(kPeople).mistake, ScoreMistake::none);
}

TEST_F(ScoreCheckTest, PeopleWhoAreRefusedAreCounted) {
  const CsvTable table = parse_csv("a\n-1\n1\nx\n2\n\"\"\n-3\n", "people.csv");
  const auto people = read_people(table, codec_.schema(), 0, table.rows.size());
  EXPECT_EQ(count_refused(model_, codec_, Goal(), people), 2U) << "what cannot be read is nobody";
  EXPECT_EQ(count_refused(model_, codec_, Goal(0.9), people), 4U);
  EXPECT_EQ(count_refused(model_, codec_, Goal(0.5, 0), people), 2U);
}

TEST_F(ScoreCheckTest, AScoreThatIsNoNumberIsADifference) {
  const NoNumbers broken;
  const CsvTable table = parse_csv("a,p\n0,0.5\n", "people.csv");
  const ScoreCheck check = compare_scores(broken, codec_, Goal(),
                                          read_people(table, codec_.schema(), 0, 1), {"p", {0.5}});
  EXPECT_EQ(check.different, 1U);
  EXPECT_EQ(check.largest, 1);
}

TEST_F(ScoreCheckTest, RowsThatCannotBeReadAreSkippedAndTheOthersKeepTheirScores) {
  const std::string csv = "a,p\n0,0.5\n,\nx,0.1\n2,0.8807971\n";
  const ScoreCheck check = compare(csv, Goal(), MissingPolicy::drop);
  EXPECT_TRUE(check.agrees());
  EXPECT_EQ(check.compared, 2U);
  EXPECT_EQ(check.skipped, 2U);
  // A part of the rows keeps its places too.
  const CsvTable table = parse_csv(csv, "people.csv");
  EXPECT_TRUE(compare_scores(model_, codec_, Goal(), read_people(table, codec_.schema(), 3, 4),
                             read_scores("p", RowSource::text("people.csv", csv)))
                  .agrees());
  EXPECT_TRUE(compare_scores(model_, codec_, Goal(), read_people(table, codec_.schema(), 3, 4),
                             {"p", {0.8807971}, 3})
                  .agrees());
  EXPECT_EQ(message_of<DataError>([&] { return compare("a,p\n0,0.5\n1,\n"); }),
            "column 'p' of people.csv: row 1 (people.csv, line 3) has no score");
  EXPECT_EQ(message_of<DataError>([&] { return compare("a,p\n,0.5\n"); }),
            "column 'p' of people.csv: no score can be compared; none of the 1 rows can be read");
}

TEST_F(ScoreCheckTest, TheFirstRowsAreShown) {
  std::string csv = "a,p\n1,0.7310586\n";
  for (int i = 0; i < 7; ++i) csv += "0.5,0.25\n";
  EXPECT_EQ(
      text_of(compare(csv), Goal(), "scores.csv", "m.json"),
      "m.json: for 7 of 8 rows the score is not that of scores.csv: it differs by more than "
      "0.0001, or decides otherwise at the threshold 0.5; the largest difference is 0.37\n"
      "  row 1 (people.csv, line 3): your score is 0.25, class 0; croco's is 0.62245933, class 1\n"
      "  row 2 (people.csv, line 4): your score is 0.25, class 0; croco's is 0.62245933, class 1\n"
      "  row 3 (people.csv, line 5): your score is 0.25, class 0; croco's is 0.62245933, class 1\n"
      "  row 4 (people.csv, line 6): your score is 0.25, class 0; croco's is 0.62245933, class 1\n"
      "  row 5 (people.csv, line 7): your score is 0.25, class 0; croco's is 0.62245933, class 1\n"
      "  and 2 more rows");
  EXPECT_THAT(
      text_of(compare(kPeople + ",\n", Goal(), MissingPolicy::drop), Goal(), "scores.csv",
              "m.json"),
      testing::MatchesRegex("the scores of scores.csv agree with the model's, within .e-0. "
                            ".rows compared: 3; left out, since they cannot be read or miss "
                            "values: 1."));
}

}  // namespace
}  // namespace croco
