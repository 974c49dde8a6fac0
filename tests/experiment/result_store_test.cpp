// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/result_store.hpp>

#include <filesystem>
#include <unistd.h>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Store : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::temp_directory_path() / ("croco-store-" + std::to_string(::getpid()));
};

std::vector<PersonResult> results() {
  PersonResult advised{.row = 3,
                       .status = Status::unmet,
                       .valid = true,
                       .l1 = 0.125,
                       .l2 = 0.0625,
                       .cost = 0.25,
                       .features_changed = 2,
                       .invalid = 4321,
                       .rate = 0.04321,
                       .soft_rate = 1.0 / 3,
                       .paper_bound = 0.5,
                       .upper = 0.045,
                       .steps = 17};
  advised.method_bound = 0.75;
  advised.lower = 0.2;
  return {{.row = 1, .status = Status::already}, {.row = 2, .status = Status::infeasible}, advised};
}

TEST_F(Store, ReturnsWhatItWasGiven) {
  const ResultStore store(folder_);
  const fs::path cell = "adult/0.005/0.05/croco";
  EXPECT_FALSE(store.read(cell));
  EXPECT_FALSE(store.read_time(cell));
  store.write(cell, results(), Duration{1.5, 2.25});
  const auto back = store.read(cell);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 3U);
  EXPECT_EQ((*back)[0].status, Status::already);
  EXPECT_EQ((*back)[1].status, Status::infeasible);
  const PersonResult& advised = (*back)[2];
  EXPECT_EQ(advised.row, 3U);
  EXPECT_EQ(advised.status, Status::unmet);
  EXPECT_TRUE(advised.valid);
  EXPECT_EQ(advised.l1, 0.125);
  EXPECT_EQ(advised.l2, 0.0625);
  EXPECT_EQ(advised.cost, 0.25);
  EXPECT_EQ(advised.features_changed, 2U);
  EXPECT_EQ(advised.invalid, 4321U);
  EXPECT_EQ(advised.rate, 0.04321);
  EXPECT_NEAR(advised.soft_rate, 1.0 / 3, 1e-9);
  EXPECT_EQ(advised.paper_bound, 0.5);
  EXPECT_EQ(advised.upper, 0.045);
  EXPECT_EQ(advised.steps, 17U);
  EXPECT_FALSE(advised.method_rate);
  EXPECT_EQ(advised.method_bound, 0.75);
  EXPECT_EQ(advised.lower, 0.2);
  // What was read is written the same: a resumed run does not differ.
  EXPECT_EQ(result_csv(*back), read_file(folder_ / "results/adult/0.005/0.05/croco.csv"));
  const auto time = store.read_time(cell);
  ASSERT_TRUE(time);
  EXPECT_EQ(time->elapsed, 1.5);
  EXPECT_EQ(time->processor, 2.25);
}

TEST_F(Store, KeepsNoTimeThatItWasNotGiven) {
  const ResultStore store(folder_);
  store.write("a/b/c/d", results(), std::nullopt);
  EXPECT_TRUE(store.read("a/b/c/d"));
  EXPECT_FALSE(fs::exists(folder_ / "times"));
}

TEST_F(Store, IsForOneProcessAtATime) {
  {
    const ResultStore store(folder_);
    EXPECT_THAT([&] { ResultStore second(folder_); },
                ThrowsMessage<IoError>(HasSubstr("another croco is writing here")));
  }
  EXPECT_NO_THROW(ResultStore again(folder_));
}

TEST_F(Store, RemovesWhatAKilledRunLeft) {
  fs::create_directories(folder_ / "results/a");
  write_file(folder_ / "results/a/.croco-12-0.tmp", "half");
  write_file(folder_ / ".croco-12-1.tmp", "half");
  write_file(folder_ / "notes.tmp", "mine");
  const ResultStore store(folder_);
  EXPECT_FALSE(fs::exists(folder_ / "results/a/.croco-12-0.tmp"));
  EXPECT_FALSE(fs::exists(folder_ / ".croco-12-1.tmp"));
  EXPECT_TRUE(fs::exists(folder_ / "notes.tmp"));
}

TEST_F(Store, JoinsExperimentsThatAgree) {
  const ResultStore store(folder_);
  store.join({{{"", "seed", "0"}, {"dataset", "adult", R"({"model":"x"})"}}});
  store.join({{{"", "seed", "0"}, {"dataset", "compas", R"({"model":"y"})"}}});
  const std::string both = read_file(folder_ / "manifest.json");
  EXPECT_THAT(both, HasSubstr("adult"));
  EXPECT_THAT(both, HasSubstr("compas"));
  EXPECT_THAT(
      [&] { store.join({{{"", "seed", "1"}}}); },
      ThrowsMessage<InvalidArgument>(HasSubstr("the setting 'seed' was 0 there and is 1 now")));
  EXPECT_THAT([&] { store.join({{{"dataset", "adult", R"({"model":"z"})"}}}); },
              ThrowsMessage<InvalidArgument>(HasSubstr(
                  R"(dataset 'adult' was {"model":"x"} there and is {"model":"z"} now)")));
  EXPECT_EQ(read_file(folder_ / "manifest.json"), both);
}

TEST_F(Store, RefusesWhatItDidNotWrite) {
  const ResultStore store(folder_);
  store.write("a/b/c/d", results(), Duration{1, 1});
  const fs::path path = folder_ / "results/a/b/c/d.csv";
  const std::string good = read_file(path);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    write_file(path, bad);
    return [&] { static_cast<void>(store.read("a/b/c/d")); };
  };
  EXPECT_THAT(with("row,", "line,"), ThrowsMessage<DataError>(HasSubstr("columns are not those")));
  EXPECT_THAT(
      with("already", "maybe"),
      ThrowsMessage<DataError>(HasSubstr("line 2, column 'status': 'maybe' is not a status")));
  EXPECT_THAT(with("0.125", "near"),
              ThrowsMessage<DataError>(HasSubstr("line 4, column 'l1': 'near' is not a number")));
  EXPECT_THAT(with("4321", "-1"),
              ThrowsMessage<DataError>(HasSubstr("line 4, column 'invalid': '-1' is not a count")));
  EXPECT_THAT(with("0.125", "-0.125"),
              ThrowsMessage<DataError>(
                  HasSubstr("line 4, column 'l1': '-0.125' is not a number of at least 0")));
  EXPECT_THAT(with("0.125", "1e999"),
              ThrowsMessage<DataError>(HasSubstr("line 4, column 'l1': '1e999' is not a number")));
  EXPECT_THAT(with("0.045", "1.75"),
              ThrowsMessage<DataError>(
                  HasSubstr("line 4, column 'upper': '1.75' is not a number from 0 to 1")));
  EXPECT_THAT(with("0.75,0.2", "0.75"), ThrowsMessage<DataError>(HasSubstr("line 4")));
  write_file(folder_ / "times/a/b/c/d.csv", "elapsed_seconds,processor_seconds\n1,x\n");
  EXPECT_THAT([&] { static_cast<void>(store.read_time("a/b/c/d")); },
              ThrowsMessage<DataError>(HasSubstr("this is not a time that croco reproduce wrote")));
  write_file(folder_ / "manifest.json", "[]");
  EXPECT_THAT([&] { store.join({}); },
              ThrowsMessage<DataError>(HasSubstr("this is not the manifest of an experiment")));
}

}  // namespace
}  // namespace croco
