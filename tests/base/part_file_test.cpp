// SPDX-License-Identifier: Apache-2.0
#include <croco/base/part_file.hpp>

#include <fstream>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

class PartFileTest : public testing::Test {
 protected:
  PartFileTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                fmt::format("croco_part_file_{}", ::getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~PartFileTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(PartFileTest, HasItsNameOnlyWhenItIsPublished) {
  PartFile file(folder_ / "a.csv", Compression::none);
  file.write("one\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.csv"));
  EXPECT_EQ(read_file(folder_ / "a.csv.part"), "one\n");
  file.publish();
  EXPECT_EQ(read_file(folder_ / "a.csv"), "one\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.csv.part"));
}

TEST_F(PartFileTest, GoesOnBehindAnExtent) {
  for (const Compression kind : {Compression::none, Compression::gzip, Compression::zstd}) {
    const std::filesystem::path path = folder_ / "a.csv";
    PartFile::Extent extent;
    {
      PartFile file(path, kind);
      file.write("one\ntwo\n");
      extent = file.extent();
      file.write("lost");
    }
    PartFile file(path, kind, extent);
    EXPECT_EQ(read_all(*file.read(), "a", 1000), "one\ntwo\n");
    file.write("three\n");
    file.publish();
    EXPECT_EQ(read_all(*decompressed(open_bytes(path), "a"), "a", 1000), "one\ntwo\nthree\n");
  }
}

TEST_F(PartFileTest, RefusesWhatIsNotWhatWasLeft) {
  {
    PartFile(folder_ / "a.csv", Compression::none).write("one\n");
  }
  EXPECT_THAT(message_of<IoError>(
                  [&] { return PartFile(folder_ / "a.csv", Compression::none, {5, ""}).path(); }),
              HasSubstr("a.csv.part: has 4 bytes, and 5 were written; it was changed since"));
  EXPECT_THAT(message_of<IoError>(
                  [&] { return PartFile(folder_ / "b.csv", Compression::none, {0, ""}).path(); }),
              HasSubstr("b.csv.part: cannot open: No such file or directory"));
  const PartFile first(folder_ / "c.csv", Compression::none);
  EXPECT_THAT(
      message_of<IoError>([&] { return PartFile(folder_ / "c.csv", Compression::none).path(); }),
      HasSubstr("c.csv.part: another process is writing it"));
}

TEST_F(PartFileTest, IsWrittenAgainWhenItsFolderVanished) {
  const std::filesystem::path folder = folder_ / "sub";
  std::filesystem::create_directories(folder);
  PartFile file(folder / "a.csv", Compression::none);
  file.write("one\n");
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(file.is_there());
  file.restore();
  EXPECT_TRUE(file.is_there());
  file.write("two\n");
  file.publish();
  EXPECT_EQ(read_file(folder / "a.csv"), "one\ntwo\n");
}

TEST_F(PartFileTest, KeepsLinksAndPermissions) {
  write_file(folder_ / "real.csv", "old\n");
  std::filesystem::permissions(folder_ / "real.csv", std::filesystem::perms(0640));
  std::filesystem::create_symlink("real.csv", folder_ / "link.csv");
  PartFile file(folder_ / "link.csv", Compression::none);
  file.write("new\n");
  file.publish();
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.csv"));
  EXPECT_EQ(read_file(folder_ / "real.csv"), "new\n");
  EXPECT_EQ(std::filesystem::status(folder_ / "real.csv").permissions(),
            std::filesystem::perms(0640));
}

}  // namespace
}  // namespace croco
