// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/remote_model.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <stop_token>
#include <sys/wait.h>
#include <thread>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/stopped.hpp>
#include <croco/models/joint_draws.hpp>
#include <tests/fixtures.hpp>
#include <tests/remote/applicants.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using applicants::command;
using fixtures::message_of;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

Vector logits_of(const Model& model, const Matrix& points) {
  Vector out(points.count());
  model.logits(points.rows(), out);
  return out;
}

template <typename Exception>
std::string refused(const RemoteOptions& options) {
  return message_of<Exception>([&] { return RemoteModel(options, applicants::codec()).width(); });
}

/// A shell script that answers every row with the output of `answer`.
std::string each_row(const std::string& answer) {
  return "sh -c 'read -r header; while read -r row; do [ -n \"$row\" ] && " + answer + "; done'";
}

std::size_t open_files() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

TEST(RemoteModel, NanIsAnAnswerThatIsNoYes) {
  const Codec codec = applicants::codec();
  const RemoteModel model(
      command(applicants::script("print(p if float(row[\"income\"]) < 60 else \"nan\")")), codec);
  const Matrix points = applicants::points(150);
  const Vector found = logits_of(model, points);
  const Vector expected = logits_of(applicants::LocalModel(codec), points);
  std::size_t unanswered = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    unanswered += std::isnan(found[k]) ? 1U : 0U;
    EXPECT_TRUE(std::isnan(found[k]) || found[k] == expected[k]) << k;
  }
  EXPECT_GT(unanswered, 10U);
  EXPECT_EQ(model.use().rows, 151U);  // and one whose answer is known
  EXPECT_EQ(model.use().unanswered, unanswered);
  // At every point of the bank, however good the others are.
  const Matrix none(1, codec.width());
  const auto bank = model.bind(none.rows());
  std::vector<std::size_t> failures(points.count());
  bank->count_failures(points.rows(), Cut{-20.0, true}, failures, nullptr);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(failures[k], std::isnan(found[k]) ? 1U : 0U);
  }
}

TEST(RemoteModel, StopsWaitingForAProgram) {
  std::stop_source source;
  RemoteOptions options = command("sleep 1000");
  options.stop = source.get_token();
  const std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    source.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(RemoteModel(options, applicants::codec()), Stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(RemoteModel, MeasuresItself) {
  const RemoteModel model(command(applicants::script()), applicants::codec());
  const double speed = model.rows_per_second();
  EXPECT_GT(speed, 100);
  EXPECT_LT(speed, 1e8);
  EXPECT_EQ(model.use().rows, 0U);
}

TEST(SlowRemoteModel, MeasuresBatchesOfTheSizeThatIsAskedFor) {
  // A program whose calls take their time, however many rows they have.
  const RemoteModel model(command(R"(python3 -c '
import sys, time
sys.stdin.readline()
rows = 0
for line in sys.stdin:
    if line.strip():
        rows += 1
        continue
    time.sleep(0.2)
    sys.stdout.write("0.5\n" * rows)
    sys.stdout.flush()
    rows = 0
')"),
                          applicants::codec());
  const double small = model.rows_per_second(512);
  EXPECT_LT(small, 512 / 0.2);
  EXPECT_GT(model.rows_per_second(), 2 * small);
}

TEST(RemoteModel, AnswersAsTheSameModelHere) {
  const Codec codec = applicants::codec();
  const Matrix points = applicants::points(150);
  const Vector expected = logits_of(applicants::LocalModel(codec), points);
  const RemoteModel csv(command(applicants::script()), codec);
  EXPECT_EQ(logits_of(csv, points), expected);
  RemoteOptions binary = command(applicants::binary_script());
  binary.protocol = RemoteProtocol::binary;
  const RemoteModel fast(binary, codec);
  EXPECT_EQ(logits_of(fast, points), expected);
  EXPECT_EQ(fast.fingerprint(), csv.fingerprint()) << "the model counts, not the way to it";
  EXPECT_EQ(csv.gradient(), nullptr);
  EXPECT_EQ(csv.width(), codec.width());
}

TEST(RemoteModel, NothingDependsOnBatchesWorkersOrThreads) {
  const Codec codec = applicants::codec();
  const Matrix points = applicants::points(500);
  const Vector expected = logits_of(applicants::LocalModel(codec), points);
  RemoteOptions options = command(applicants::binary_script());
  options.protocol = RemoteProtocol::binary;
  options.batch = 7;
  options.workers = 2;
  const RemoteModel model(options, codec);
  std::vector<Vector> found(6);
  parallel_for(found.size(), 3, [&](std::size_t i) { found[i] = logits_of(model, points); });
  EXPECT_THAT(found, Each(expected));
}

TEST(RemoteModel, DrawsAroundSeveralPointsGoTogether) {
  const Codec codec = applicants::codec();
  RemoteOptions options = command(applicants::script());
  options.batch = 16;
  const RemoteModel model(options, codec);
  const applicants::LocalModel local(codec);
  const Matrix points = applicants::points(5);
  Matrix draws(9, codec.width());
  draws.data = fixtures::random_vector(draws.data.size(), 3);
  std::vector<std::size_t> counts(points.count());
  std::vector<std::size_t> expected(points.count());
  model.bind(draws.rows())->count_failures(points.rows(), Cut{0.2}, counts, nullptr);
  local.bind(draws.rows())->count_failures(points.rows(), Cut{0.2}, expected, nullptr);
  EXPECT_EQ(counts, expected);
  const auto bound = model.bind(draws.rows());
  const auto here = local.bind(draws.rows());
  std::vector<float> some(4);
  std::vector<float> same(4);
  bound->logits(points[2], 3, some);
  here->logits(points[2], 3, same);
  EXPECT_EQ(some, same);
  const auto* joint = dynamic_cast<const JointDraws*>(bound.get());
  ASSERT_NE(joint, nullptr);
  std::vector<float> all(4 * points.count());
  joint->joint_logits(points.rows(), 4, all);
  for (std::size_t p = 0; p < points.count(); ++p) {
    here->logits(points[p], 0, same);
    EXPECT_TRUE(std::ranges::equal(std::span(all).subspan(4 * p, 4), same)) << p;
    EXPECT_EQ(joint->logits_and_own(points[p], some), local.logit(points[p]));
    EXPECT_EQ(some, same);
  }
  EXPECT_EQ(message_of<ModelError>([&] {
              Vector gradient(codec.width());
              model.bind(draws.rows())->add_gradient(points[0], 0, some, gradient);
              return 0;
            }),
            "this model has no gradient");
}

TEST(RemoteModel, CertainAnswersAreInfiniteLogits) {
  const Codec codec = applicants::codec();
  const RemoteModel model(command(applicants::script("print(int(row[\"home\"] == \"own\"))")),
                          codec);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(logits_of(model, applicants::points(2)), (Vector{-kInfinity, kInfinity}));
}

TEST(RemoteModel, LeavesNoProcessAndNoFileBehind) {
  const std::size_t before = open_files();
  {
    RemoteOptions options = command(applicants::script());
    options.workers = 2;
    const RemoteModel model(options, applicants::codec());
    EXPECT_GT(open_files(), before);
  }
  EXPECT_EQ(refused<ModelError>(command(each_row("echo 2"))).empty(), false);
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RemoteModel, SaysThatAProgramCannotBeStarted) {
  EXPECT_EQ(refused<IoError>(command("no-such-program-of-croco predict.py")),
            "model command 'no-such-program-of-croco predict.py': 'no-such-program-of-croco' "
            "cannot be started: No such file or directory");
}

TEST(RemoteModel, SaysHowAProgramDied) {
  EXPECT_EQ(refused<IoError>(command("sh -c 'read -r a; echo out of ideas >&2; exit 3'")),
            "model command 'sh -c 'read -r a; echo out of ideas >&2; exit 3'': it exited with code "
            "3 with 0 of the 256 rows of a batch answered; its standard error ends with:\n"
            "  out of ideas");
  EXPECT_THAT(refused<IoError>(command("sh -c 'kill -9 $$'")),
              HasSubstr("': it was killed by signal 9 (Killed) with 0 of the 256 rows"));
  EXPECT_THAT(refused<IoError>(command("sh -c 'echo 0.5; echo 0.5; cat > /dev/null & exec >&-'")),
              HasSubstr("it exited with code 0 with 2 of the 256 rows of a batch answered"));
}

TEST(RemoteModel, ShowsTheLastLinesOfALongStory) {
  const std::string message = refused<IoError>(
      command("sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i >&2; done; exit 1'"));
  EXPECT_THAT(message, AllOf(HasSubstr("\n  line 2989\n"), testing::EndsWith("\n  line 3000"),
                             testing::Not(HasSubstr("line 2988\n"))));
}

TEST(SlowRemoteModel, EndsAProgramThatHangsWithItsWholeGroup) {
  const fs::path file = fs::path(testing::TempDir()) / "croco_remote_model_test_child";
  fs::remove(file);
  RemoteOptions options =
      command("sh -c 'sleep 1000 & echo $! > " + file.string() + "; echo patience >&2; wait'");
  options.seconds = 1;
  EXPECT_THAT(refused<IoError>(options),
              HasSubstr("after 1 s it was stopped with 0 of the 256 rows of a batch answered "
                        "(model-timeout); it must write one line for each row, and flush them when "
                        "a blank line ends the batch; its standard error ends with:\n  patience"));
  std::string child;
  std::ifstream(file) >> child;
  ASSERT_FALSE(child.empty());
  // It is a zombie at most, until whoever adopted it has noticed.
  std::string state = "R";
  for (int i = 0; i < 500 && state != "Z" && !state.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream stat("/proc/" + child + "/stat");
    std::string skipped;
    state.clear();
    stat >> skipped >> skipped >> state;
  }
  EXPECT_TRUE(state.empty() || state == "Z") << state;
  fs::remove(file);
}

TEST(RemoteModel, SaysWhichRowHasNoAnswer) {
  EXPECT_THAT(refused<ModelError>(command(each_row("echo hello"))),
              HasSubstr("it wrote 'hello' for row 1 of a batch of 256; each line must be a number, "
                        "the probability of class 1"));
  EXPECT_THAT(refused<ModelError>(command("yes 0.5")),
              HasSubstr("it wrote more than one line for each of 256 rows: then '0.5'"));
  EXPECT_THAT(refused<ModelError>(command("sh -c 'yes | tr -d \"\\n\"'")),
              HasSubstr("it wrote a line of more than 4096 bytes for row 1 of a batch of 256"));
  const std::string rule = "; a probability of class 1 is a number from 0 to 1";
  EXPECT_THAT(refused<ModelError>(command(each_row("echo 1.5"))),
              HasSubstr("it answered 1.5 for row 1 of a batch of 256" + rule));
  EXPECT_THAT(refused<ModelError>(command(each_row("echo nan"))),
              HasSubstr("it answered NaN for all of 256 made-up rows"));
  EXPECT_THAT(refused<ModelError>(command(applicants::script("print(p if seen != 9 else -0.25)"))),
              HasSubstr("it answered -0.25 for row 9 of a batch of 256" + rule));
}

TEST(SlowRemoteModel, ChecksTheCountsOfBinaryAnswers) {
  const auto answering = [](const std::string& bytes) {
    RemoteOptions options = command("sh -c 'printf \"" + bytes + "\"; cat > /dev/null'");
    options.protocol = RemoteProtocol::binary;
    options.seconds = 1;
    return options;
  };
  EXPECT_THAT(refused<ModelError>(answering("\\007\\000\\000\\000")),
              HasSubstr("it announced answers to 7 rows, and was asked for 256"));
  EXPECT_THAT(refused<IoError>(answering("\\000\\001\\000\\000aaaaaaaa")),
              AllOf(HasSubstr("after 1 s it was stopped with 1 of the 256 rows"),
                    HasSubstr("it must write the number of rows in 4 bytes and then 8 bytes")));
  RemoteOptions options = command("sh -c 'printf \"\\000\\001\\000\\000\"; yes'");
  options.protocol = RemoteProtocol::binary;
  EXPECT_THAT(refused<ModelError>(options), HasSubstr("more than its answer to 256 rows"));
}

TEST(RemoteModel, RefusesAModelThatIsNoFunctionOfTheRow) {
  EXPECT_THAT(refused<ModelError>(command(applicants::script("print(random.random())"))),
              AllOf(HasSubstr("it answered 0."), HasSubstr(" for the same row in another batch"),
                    HasSubstr("a model must answer by the row alone, and always the same")));
  // Probing asks for 512 rows.
  const RemoteModel model(command(applicants::script("print(p if seen < 600 else p / 2)")),
                          applicants::codec());
  EXPECT_NO_THROW(logits_of(model, applicants::points(50)));
  EXPECT_THAT(
      message_of<ModelError>([&] { return logits_of(model, applicants::points(50)); }),
      HasSubstr("for the same row; it was changed meanwhile, is non-deterministic, or misaligns "
                "its rows"));
}

TEST(RemoteModel, ADeadProgramIsStartedAgainForTheNextRequest) {
  const RemoteModel model(command(applicants::script("print(p) if seen < 600 else sys.exit(4)")),
                          applicants::codec());
  EXPECT_THAT(message_of<IoError>([&] { return logits_of(model, applicants::points(200)); }),
              HasSubstr("it exited with code 4 with 87 of the 201 rows of a batch answered"));
  EXPECT_NO_THROW(logits_of(model, applicants::points(200)));
}

TEST(SlowRemoteModel, TellsModelsApart) {
  const RemoteModel one(command(applicants::script()), applicants::codec());
  const RemoteModel other(command(applicants::script("print(p * 0.999)")), applicants::codec());
  const RemoteModel same(command(applicants::script("print(p)  # again")), applicants::codec());
  EXPECT_NE(one.fingerprint(), other.fingerprint());
  EXPECT_EQ(one.fingerprint(), same.fingerprint());
}

TEST(RemoteOptions, AreChecked) {
  const auto wrong = [](const RemoteOptions& options) {
    return message_of<InvalidArgument>([&] { return validated(options); });
  };
  RemoteOptions options = command("a");
  options.seconds = 0;
  EXPECT_EQ(wrong(options), "model-timeout is 0; it must be above 0 and at most 86400 s");
  options = command("a");
  options.workers = 0;
  EXPECT_EQ(wrong(options), "model-workers is 0; it must be between 1 and 256");
  options = command("a");
  options.batch = 0;
  EXPECT_EQ(wrong(options), "model-batch is 0; it must be between 2 and 1048576 rows");
  options = command("a");
  options.protocol = RemoteProtocol::instances;
  EXPECT_EQ(wrong(options),
            "model-protocol is instances, which is for a URL; for a command there are csv and "
            "binary");
  options.kind = RemoteOptions::Kind::url;
  EXPECT_THAT(wrong(options), StartsWith("model-url is 'a'; it must be a URL that starts with"));
  EXPECT_EQ(message_of<InvalidArgument>([] { return parse_remote_protocol("xml"); }),
            "model-protocol is 'xml'; it must be csv or binary for a command, dataframe or "
            "instances for a URL, or auto");
  EXPECT_EQ(validated(command("a")).protocol, RemoteProtocol::csv);
}

}  // namespace
}  // namespace croco
