// SPDX-License-Identifier: Apache-2.0
// Rows of every status and method, made again; and rows that say something else.
#include <croco/report/row_check.hpp>

#include <gmock/gmock.h>

#include <croco/report/report_lines.hpp>
#include <croco/report/writer.hpp>
#include <tests/report/certificate_files.hpp>
#include <tests/report/manifests.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RowCheckTest : public CertificateFiles {
 protected:
  /// The rows that a run writes about everyone, and its manifest.
  void run(const ExplainOptions& with, std::string method) {
    const Explainer explainer(model_, people::codec(), with);
    ReportContext said = context(explainer);
    said.method = std::move(method);
    said.run = {.command = "explain",
                .options = {{"seed", "11"}, {"max-samples", "20000"}},
                .asked = people::everyone().size()};
    WholeManifest manifest;
    for (const Explanation& answer : explainer.explain(people::everyone())) {
      lines_.push_back(json_line(said, answer));
      manifest.add(answer, lines_.back());
    }
    run_ = read_manifest(manifest.finish(said), "manifest");
  }
  [[nodiscard]] RowCheck checked(const std::string& text, bool with_data = true) const {
    const LoadedModel loaded = CertificateFiles::loaded(model_);
    const ReportLine line = read_report(text, "a.jsonl").at(0);
    std::optional<Verification> verification;
    if (line.stated) verification = verify(*line.stated, loaded, kQuick);
    const std::vector<Person> everyone = people::everyone();
    return check_row(line.text, {.loaded = loaded,
                                 .run = &*run_,
                                 .certificate = verification ? &*verification : nullptr,
                                 .stated = line.stated ? &*line.stated : nullptr,
                                 .person = with_data ? &everyone.at(line.row.value()) : nullptr});
  }
  [[nodiscard]] std::string wrong(const std::string& text, bool with_data = true) const {
    std::string out;
    for (const Finding& finding : checked(text, with_data).findings) {
      if (!finding.holds) out += finding.text + "\n";
    }
    return out;
  }
  [[nodiscard]] std::string with(std::size_t row, const std::string& pointer,
                                 const Json& value) const {
    Json json = Json::parse(lines_.at(row));
    json[Json::json_pointer(pointer)] = value;
    return json.dump() + "\n";
  }

  std::vector<std::string> lines_;
  std::optional<StatedRun> run_;
};

TEST_F(RowCheckTest, RowsOfEveryStatusAreMadeAgain) {
  run(options(0.001), "certified");
  std::set<std::string> statuses;
  for (const std::string& line : lines_) {
    EXPECT_EQ(wrong(line), "") << line;
    EXPECT_EQ(wrong(line, false), "") << line;
    statuses.insert(Json::parse(line).at("status"));
  }
  EXPECT_THAT(statuses,
              testing::IsSupersetOf({"found", "already", "infeasible", "unmet", "error"}));
}

/// Somebody whom croco's arithmetic accepts, but not clearly, is not "already" accepted.
TEST_F(RowCheckTest, AnswersWithinTheToleranceAreMadeAgain) {
  run(options(0.1), "certified");
  double highest = 0;
  for (const std::string& line : lines_) {
    highest = std::max(highest, Json::parse(line).value("score_before", 0.0));
  }
  ASSERT_GT(highest, 0.5);
  lines_.clear();
  auto unclear = std::make_shared<Mlp>(*model_);
  unclear->set_runtime_error({.logit = logit_of(highest) + 0.1});
  model_ = std::move(unclear);
  run(options(0.1), "certified");
  std::set<std::string> statuses;
  for (const std::string& line : lines_) {
    EXPECT_EQ(wrong(line), "") << line;
    statuses.insert(Json::parse(line).at("status"));
  }
  EXPECT_FALSE(statuses.contains("already"));
}

TEST_F(RowCheckTest, OtherMethodsHaveTheirOwnRule) {
  ExplainOptions own = options(0.1);
  own.certify.sequential = false;
  own.method = Croco{.target = 0.1};
  run(own, "croco");
  for (const std::string& line : lines_) EXPECT_EQ(wrong(line), "") << line;
  EXPECT_THAT(wrong(with(0, "/search/bound", 0.05)), HasSubstr("'status' is "));
  lines_.clear();
  own.method = Wachter{};
  run(own, "wachter");
  for (const std::string& line : lines_) EXPECT_EQ(wrong(line), "") << line;
}

TEST_F(RowCheckTest, WhatNobodySearchedForAgainIsListed) {
  run(options(0.001), "certified");
  EXPECT_THAT(checked(lines_[0]).unchecked, ElementsAre("search: how the search went"));
  EXPECT_THAT(checked(lines_[1]).unchecked, IsEmpty());
  EXPECT_THAT(checked(lines_[3]).unchecked,
              ElementsAre("search: how the search went",
                          "obstacle: why there is no certified advice, and what would give it"));
}

TEST_F(RowCheckTest, WhatWasChangedIsNamed) {
  run(options(), "certified");
  ASSERT_EQ(Json::parse(lines_[0]).at("status"), "found");
  EXPECT_THAT(wrong(with(0, "/changes/0/to", "99")), HasSubstr("'changes[0].to' is \"99\"; it"));
  EXPECT_THAT(wrong(with(0, "/score", 0.99)), HasSubstr("'score' is 0.99; it must be 0."));
  EXPECT_THAT(wrong(with(0, "/distance/cost", 0.01)), HasSubstr("'distance.cost' is 0.01"));
  EXPECT_THAT(wrong(with(0, "/plan/sentences/0", "Do nothing.")), HasSubstr("'plan.sentences[0]'"));
  EXPECT_THAT(wrong(with(0, "/status", "unmet")), HasSubstr("'status' is \"unmet\"; it must be"));
  EXPECT_THAT(wrong(with(0, "/status", "great")), HasSubstr("'status' is \"great\""));
  EXPECT_THAT(wrong(with(0, "/method", "best")), HasSubstr("'method' is \"best\""));
  EXPECT_THAT(wrong(with(0, "/before", 3)), HasSubstr("'before' does not name exactly"));
  EXPECT_THAT(wrong(with(0, "/search", 3)), HasSubstr("'search.steps' must be a whole number"));
  EXPECT_THAT(wrong(with(0, "/certificate/seed", 12)),
              HasSubstr("'certificate.seed' is 12; the run was asked for 11"));
  EXPECT_THAT(wrong(with(0, "/certificate/threshold", 0.45)),
              HasSubstr("'certificate.threshold' is 0.45; it must be 0.5"));
  Json unread = Json::parse(with(1, "/status", "error"));
  unread.erase("score_before");
  unread["reason"] = "people.csv, line 3: it cannot be read";
  EXPECT_EQ(wrong(unread.dump() + "\n", false), "'status' is \"error\"; the record can be read\n");
  EXPECT_THAT(wrong(with(4, "/reason", "something")), HasSubstr("'reason' is \"something\""));
  EXPECT_THAT(wrong(with(4, "/reason", "something"), false), HasSubstr("'reason' is "));
  Json without = Json::parse(lines_[0]);
  without.erase("certificate");
  EXPECT_EQ(wrong(without.dump() + "\n"),
            "'certificate' is missing; every answer that is found has one\n");
  Json swapped = Json::parse(lines_[0]);
  swapped["certificate"] = Json::parse(lines_[5]).at("certificate");
  EXPECT_THAT(wrong(swapped.dump() + "\n"), HasSubstr("the certificate is not about this row"));
}

TEST_F(RowCheckTest, TheRowOfTheDataDecidesWhoseRecordItIs) {
  run(options(), "certified");
  const std::string other = with(0, "/row", 5);
  EXPECT_EQ(wrong(other, false), "") << "shared samples are the same for every row";
  EXPECT_THAT(wrong(other), HasSubstr("by the data ('row' 5: people.csv, line 7)"));
}

}  // namespace
}  // namespace croco
