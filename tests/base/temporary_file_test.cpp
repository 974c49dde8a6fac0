// SPDX-License-Identifier: Apache-2.0
#include <croco/base/temporary_file.hpp>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/files.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class TemporaryFileTest : public testing::TestWithParam<TemporaryFile::Naming> {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "croco-temporary-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::vector<std::string> entries() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      out.push_back(entry.path().filename().string());
    }
    std::ranges::sort(out);
    return out;
  }
  static void put(const TemporaryFile& file, const std::string& text) {
    ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  fs::path folder_;
};

TEST_P(TemporaryFileTest, TakesThePlaceOfAFileOrOfNone) {
  for (const std::string text : {"first", "second"}) {
    TemporaryFile file(folder_, 0600, GetParam());
    ASSERT_TRUE(file.is_open());
    put(file, text);
    ASSERT_TRUE(file.publish(folder_ / "a"));
    EXPECT_EQ(read_file(folder_ / "a"), text);
  }
  EXPECT_THAT(entries(), ElementsAre("a"));
}

TEST_P(TemporaryFileTest, LeavesNothingUnlessPublished) {
  {
    const TemporaryFile file(folder_, 0600, GetParam());
    ASSERT_TRUE(file.is_open());
  }
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_P(TemporaryFileTest, HasTheModeThatTheProcessAllows) {
  const mode_t mask = ::umask(0027);
  TemporaryFile file(folder_, 0666, GetParam());
  ::umask(mask);
  ASSERT_TRUE(file.publish(folder_ / "a"));
  struct stat status{};
  ASSERT_EQ(::stat((folder_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_P(TemporaryFileTest, SaysWhyItCannotBeMade) {
  const TemporaryFile file(folder_ / "none", 0600, GetParam());
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(file.is_open());
}

TEST_P(TemporaryFileTest, IsNeverAStandardStream) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int stream : {0, 1, 2}) ::close(stream);
    const TemporaryFile file(folder_, 0600, GetParam());
    ::_exit(file.get() > 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_P(TemporaryFileTest, WhatAKilledProcessLeavesIsRemoved) {
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFile file(folder_, 0600, GetParam());
    ::_exit(0);  // without destructors
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_THAT(entries(), SizeIs(GetParam() == TemporaryFile::Naming::always ? 1 : 0));
  const TemporaryFile next(folder_, 0600);
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_P(TemporaryFileTest, WhatARunningProcessWritesStays) {
  TemporaryFile running(folder_, 0600, GetParam());
  fs::create_directory(folder_ / "below");
  TemporaryFile below(folder_ / "below", 0600, GetParam());
  put(running, "text");
  remove_unfinished_files(folder_);
  ASSERT_TRUE(running.publish(folder_ / "a"));
  ASSERT_TRUE(below.publish(folder_ / "below" / "b"));
  EXPECT_EQ(read_file(folder_ / "a"), "text");
}

TEST_P(TemporaryFileTest, NothingElseIsRemoved) {
  fs::create_directory(folder_ / ".croco-1-1.tmp");
  fs::create_symlink("a", folder_ / ".croco-1-2.tmp");
  std::ofstream(folder_ / "a") << "mine";
  std::ofstream(folder_ / "croco-1-3.tmp") << "mine";
  std::ofstream(folder_ / ".croco-1-4.tmp.csv") << "mine";
  ASSERT_EQ(::mkfifo((folder_ / ".croco-1-5.tmp").c_str(), 0600), 0);
  const auto before = entries();
  remove_unfinished_files(folder_);
  EXPECT_EQ(entries(), before);
}

INSTANTIATE_TEST_SUITE_P(Naming, TemporaryFileTest,
                         testing::Values(TemporaryFile::Naming::if_needed,
                                         TemporaryFile::Naming::always),
                         [](const auto& naming) {
                           return naming.param == TemporaryFile::Naming::always ? "Always"
                                                                                : "IfNeeded";
                         });

}  // namespace
}  // namespace croco
