// SPDX-License-Identifier: Apache-2.0
#include <croco/batch/run_outputs.hpp>

#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/batch/answer_counts.hpp>
#include <croco/report/writer.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

class RunOutputsTest : public testing::Test {
 protected:
  RunOutputsTest() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("croco-run-outputs-{}-{}", ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directory(folder_);
    context_.run = {.command = "explain", .options = {}, .asked = 3};
  }
  ~RunOutputsTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::unique_ptr<RunOutputs> open(const std::vector<std::string>& names,
                                                 Continuation continuation = Continuation::none,
                                                 std::size_t people = 3) const {
    std::vector<std::unique_ptr<GrowingReport>> reports;
    for (const std::string& name : names) reports.push_back(make_report(folder_ / name, context_));
    return std::make_unique<RunOutputs>(std::move(reports), identity_, people, continuation);
  }
  static void add(RunOutputs& outputs, const Explanation& answer) {
    outputs.add(outputs.render({&answer, 1}), 1, fmt::format("{}", answer.row));
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      out.push_back(entry.path().filename().string());
    }
    std::ranges::sort(out);
    return out;
  }

  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
  RunIdentity identity_{.things = {{"the model", "aa"}, {"the data", "bb"}},
                        .options = {{"--target", "0.05"}}};
  std::filesystem::path folder_;
  const std::vector<std::string> kNames{"a.jsonl", "a.csv", "a.html", "a.csv.gz", "a.jsonl.zst"};
};

TEST_F(RunOutputsTest, AreTheFilesThatWritersWrite) {
  const std::vector<Explanation> all{answers::found(), answers::already(), answers::unmet()};
  {
    const auto outputs = open(kNames);
    for (const Explanation& answer : all) add(*outputs, answer);
    outputs->finish();
  }
  EXPECT_THAT(files(),
              ElementsAre("a.csv", "a.csv.gz", "a.html", "a.jsonl", "a.jsonl.manifest.json",
                          "a.jsonl.zst", "a.jsonl.zst.manifest.json"));
  std::filesystem::create_directory(folder_ / "other");
  for (const std::string& name : kNames) {
    const auto writer = make_writer(folder_ / "other" / name, context_);
    for (const Explanation& answer : all) writer->write(answer);
    writer->finish();
    EXPECT_EQ(read_file(folder_ / name), read_file(folder_ / "other" / name)) << name;
  }
  EXPECT_EQ(read_file(folder_ / "a.jsonl.manifest.json"),
            read_file(folder_ / "other" / "a.jsonl.manifest.json"));
}

TEST_F(RunOutputsTest, GoOnToTheSameBytes) {
  const std::vector<Explanation> all{answers::found(), answers::already(), answers::unmet()};
  {
    const auto whole = open(kNames);
    for (const Explanation& answer : all) add(*whole, answer);
    whole->finish();
  }
  std::vector<std::string> expected;
  for (const std::string& name : kNames) {
    expected.push_back(read_file(folder_ / name));
    std::filesystem::remove(folder_ / name);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {  // one answer per process
    const auto outputs = open(kNames, Continuation::resume);
    EXPECT_EQ(outputs->rows(), i);
    if (i > 0) {
      EXPECT_EQ(outputs->state(), fmt::format("{}", all[i - 1].row));
    }
    add(*outputs, all[i]);
    if (i + 1 < all.size()) {
      EXPECT_THAT(outputs->keep(), HasSubstr(fmt::format("{} of 3 rows are kept in ", i + 1)));
      EXPECT_FALSE(std::filesystem::exists(folder_ / "a.csv"));
    } else {
      outputs->finish();
    }
  }
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    EXPECT_EQ(read_file(folder_ / kNames[k]), expected[k]) << kNames[k];
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.jsonl.journal"));
}

TEST_F(RunOutputsTest, LeaveNothingWhenNothingWasDone) {
  EXPECT_EQ(open(kNames)->keep(), "");
  EXPECT_THAT(files(), testing::IsEmpty());
}

TEST_F(RunOutputsTest, RefuseAnotherRun) {
  const auto leave = [&](const std::vector<std::string>& names) {
    const auto outputs = open(names, Continuation::restart);
    add(*outputs, answers::found());
    EXPECT_NE(outputs->keep(), "");
  };
  leave({"a.csv", "b.csv"});
  const auto refused = [&](const std::vector<std::string>& names, Continuation how) {
    return message_of<InvalidArgument>([&] { return open(names, how); });
  };
  EXPECT_THAT(
      refused({"a.csv", "b.csv"}, Continuation::none),
      HasSubstr("a.csv.journal is of an unfinished run, which has done 1 rows; --resume goes "
                "on with it, --restart discards it"));
  EXPECT_THAT(refused({"b.csv"}, Continuation::none),
              HasSubstr("a.csv.journal is of an unfinished"))
      << "a file of the run that is not the first";
  EXPECT_THAT(refused({"b.csv"}, Continuation::resume), HasSubstr("its files were "));
  identity_ = {.things = {{"the model", "aa"}, {"the data", "cc"}},
               .options = {{"--target", "0.1"}, {"--seed", "3"}}};
  EXPECT_THAT(
      refused({"a.csv", "b.csv"}, Continuation::resume),
      HasSubstr("a.csv.journal: the unfinished run cannot be continued: the data is another "
                "one; --seed was not given and is '3'; --target was '0.05' and is '0.1'; "
                "--restart discards it"));
}

TEST_F(RunOutputsTest, APageHasALimit) {
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { return open({"a.html"}, Continuation::none, kMostOnPage + 1); }),
              HasSubstr("a page may be about 20,000 people, and this run has 20,001: write .csv or "
                        ".jsonl, or choose people with --rows"));
}

TEST(AnswerCountsTest, ComeBack) {
  AnswerCounts counts;
  counts.add(answers::found(), 1);
  counts.add(answers::already(), 1);
  Explanation wrong;
  wrong.reason = "people.csv, line 3: 'x' is no number";
  for (int i = 0; i < 20; ++i) counts.add(wrong, 1);
  counts.rows = 22;
  EXPECT_EQ(counts.of(Status::error), 20U);
  EXPECT_EQ(counts.failures.size(), AnswerCounts::kRemembered);
  EXPECT_EQ(answer_counts(json_of(counts)), counts);
  EXPECT_THAT(message_of<DataError>([] { return answer_counts("{}"); }),
              HasSubstr("is not one of this command"));
}

}  // namespace
}  // namespace croco
