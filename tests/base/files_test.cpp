// SPDX-License-Identifier: Apache-2.0
#include <croco/base/files.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A fresh folder for each test.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "croco-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  void put(const fs::path& path, const std::string& bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  fs::path folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string bytes("line\r\n\0binary\xFF", 14);
  write_file(folder_ / "a", bytes);
  EXPECT_EQ(read_file(folder_ / "a"), bytes);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, EmptyAndLargeFilesSurvive) {
  write_file(folder_ / "empty", "");
  EXPECT_EQ(read_file(folder_ / "empty"), "");
  std::string large(3'000'000, 'x');
  large[2'999'999] = 'y';
  write_file(folder_ / "large", large);
  EXPECT_EQ(read_file(folder_ / "large"), large);
}

TEST_F(Files, ReadingNamesThePathAndTheReason) {
  EXPECT_THAT([&] { static_cast<void>(read_file(folder_ / "none")); },
              ThrowsMessage<IoError>((folder_ / "none").string() +
                                     ": cannot open: No such file or directory"));
  EXPECT_THAT([&] { static_cast<void>(read_file(folder_)); },
              ThrowsMessage<IoError>(folder_.string() + ": is a directory, not a file"));
}

TEST_F(Files, ReadingRefusesMoreThanTheLimit) {
  put(folder_ / "a", "12345");
  EXPECT_EQ(read_file(folder_ / "a", 5), "12345");
  EXPECT_THAT([&] { static_cast<void>(read_file(folder_ / "a", 4)); },
              ThrowsMessage<IoError>((folder_ / "a").string() +
                                     ": is larger than the 4 bytes that are allowed"));
  EXPECT_THAT([] { static_cast<void>(read_file("/dev/zero", 100'000)); },
              ThrowsMessage<IoError>(HasSubstr("larger than the 100000 bytes")));
}

TEST_F(Files, ReadsPipes) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { put(pipe, std::string(200'000, 'p')); });
  const std::string bytes = read_file(pipe);
  writer.join();
  EXPECT_EQ(bytes, std::string(200'000, 'p'));
}

TEST_F(Files, NothingIsVisibleBeforeCommit) {
  const fs::path path = folder_ / "a";
  put(path, "old");
  {
    AtomicFile file(path);
    file.write("new ");
    file.write("text");
    EXPECT_EQ(read_file(path), "old");
    file.commit();
    EXPECT_EQ(read_file(path), "new text");
  }
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, WithoutCommitNothingChanges) {
  const fs::path path = folder_ / "a";
  put(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries(), 1);
  {
    AtomicFile file(folder_ / "b");
  }
  EXPECT_FALSE(fs::exists(folder_ / "b"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, TwoWritersOfOnePathDoNotMix) {
  const fs::path path = folder_ / "a";
  AtomicFile first(path);
  AtomicFile second(path);
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(read_file(path), "first");
  second.commit();
  EXPECT_EQ(read_file(path), "second");
}

TEST_F(Files, UseAfterCommitIsRefused) {
  AtomicFile file(folder_ / "a");
  file.commit();
  EXPECT_THROW(file.write("more"), InvalidArgument);
  EXPECT_THROW(file.commit(), InvalidArgument);
}

TEST_F(Files, KeepsPermissionsAndLinks) {
  const fs::path path = folder_ / "a";
  put(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  fs::create_symlink("a", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(Files, WritingNamesThePathAndTheReason) {
  EXPECT_THAT([&] { write_file(folder_, "x"); },
              ThrowsMessage<IoError>(folder_.string() + ": is a directory, not a file"));
  EXPECT_THAT([&] { write_file(folder_ / "new" / "", "x"); },
              ThrowsMessage<IoError>(HasSubstr("is a directory, not a file")));
  EXPECT_THAT([&] { write_file(folder_ / "none" / "a", "x"); },
              ThrowsMessage<IoError>(AllOf(HasSubstr((folder_ / "none" / "a").string()),
                                           HasSubstr("No such file or directory"))));
  EXPECT_THAT([] { write_file("", "x"); }, ThrowsMessage<IoError>(HasSubstr("path")));
  EXPECT_EQ(entries(), 0);
}

TEST_F(Files, AFullDiskIsAnError) {
  EXPECT_THAT([] { write_file("/dev/full", "x"); },
              ThrowsMessage<IoError>("/dev/full: cannot write: No space left on device"));
}

TEST_F(Files, DevicesAndPipesAreWrittenDirectly) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(pipe); });
  write_file(pipe, "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(Files, AnInheritedDescriptorContinuesWhereItStands) {
  const fs::path path = folder_ / "log";
  std::FILE* const log = std::fopen(path.c_str(), "wb");
  ASSERT_NE(log, nullptr);
  std::fputs("begin ", log);
  std::fflush(log);
  write_file("/dev/fd/" + std::to_string(::fileno(log)), "middle");
  std::fputs(" end", log);
  std::fclose(log);
  EXPECT_EQ(read_file(path), "begin middle end");
}

}  // namespace
}  // namespace croco
