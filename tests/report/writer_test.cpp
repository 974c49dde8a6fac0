// SPDX-License-Identifier: Apache-2.0
#include <croco/report/writer.hpp>

#include <filesystem>
#include <unistd.h>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/report/manifest.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

class Writer : public testing::Test {
 protected:
  Writer() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("croco-writer-{}-{}", ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directory(folder_);
  }
  ~Writer() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }

  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
  std::filesystem::path folder_;
};

TEST_F(Writer, TheEndingChoosesTheFormat) {
  for (const char* name : {"a.csv", "a.jsonl", "a.html"}) {
    const auto writer = make_writer(folder_ / name, context_);
    writer->write(answers::found());
    writer->write(answers::already());
    writer->finish();
  }
  EXPECT_EQ(read_file(folder_ / "a.csv"), csv_header(context_) +
                                              csv_line(context_, answers::found()) +
                                              csv_line(context_, answers::already()));
  EXPECT_EQ(read_file(folder_ / "a.jsonl"),
            json_line(context_, answers::found()) + json_line(context_, answers::already()));
  const std::vector<Explanation> both{answers::found(), answers::already()};
  EXPECT_EQ(read_file(folder_ / "a.html"), html_page(context_, both));
  const std::string manifest = read_file(folder_ / "a.jsonl.manifest.json");
  EXPECT_THAT(manifest_faults(manifest, read_file(folder_ / "a.jsonl")), testing::IsEmpty());
  EXPECT_EQ(files(), 4);
}

TEST_F(Writer, AppearsWhenFinishedAndNotBefore) {
  for (const char* name : {"a.csv", "a.jsonl", "a.html"}) {
    const auto writer = make_writer(folder_ / name, context_);
    writer->write(answers::found());
    EXPECT_FALSE(std::filesystem::exists(folder_ / name));
  }
  EXPECT_EQ(files(), 0) << "nothing is left behind by writers that were not finished";
}

TEST_F(Writer, KeepsTheOldFileUntilTheNewOneIsWhole) {
  write_file(folder_ / "a.csv", "old");
  {
    make_writer(folder_ / "a.csv", context_)->write(answers::found());
  }
  EXPECT_EQ(read_file(folder_ / "a.csv"), "old");
}

TEST_F(Writer, RefusesOtherEndingsAndPlaces) {
  EXPECT_EQ(message_of<InvalidArgument>([&] { return make_writer("out.xlsx", context_); }),
            "output is 'out.xlsx'; its ending must be .csv, .jsonl or .html");
  EXPECT_EQ(message_of<InvalidArgument>([&] { return make_writer("out", context_); }),
            "output is 'out'; its ending must be .csv, .jsonl or .html");
  EXPECT_THAT(message_of<IoError>([&] { return make_writer(folder_ / "no" / "a.csv", context_); }),
              HasSubstr("a.csv: cannot create a file in the folder"));
  std::filesystem::create_directory(folder_ / "folder.csv");
  EXPECT_THAT(message_of<IoError>([&] { return make_writer(folder_ / "folder.csv", context_); }),
              HasSubstr("folder.csv: is a directory, not a file"));
}

}  // namespace
}  // namespace croco
