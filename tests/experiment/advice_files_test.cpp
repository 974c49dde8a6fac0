// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/advice_files.hpp>

#include <filesystem>
#include <unistd.h>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Advice : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path file(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
    return folder_ / name;
  }
  fs::path folder_ = fs::temp_directory_path() / ("croco-advice-" + std::to_string(::getpid()));
};

TEST_F(Advice, IsFoundByItsKeys) {
  const AdviceFiles files({file("a.csv",
                                "dataset,variance,target,row,age,seconds\n"
                                "adult,0.010,0.05,0,1,0.5\n"
                                "adult,0.01,0.1,0,2,0.25\n"
                                "adult,0.01,0.05,7,3,0.25\n"
                                "compas,0.01,0.05,1,4,\n")},
                          {"adult", "compas"});
  EXPECT_TRUE(files.has_targets());
  EXPECT_EQ(files.fingerprints().size(), 1U);
  const auto tables = files.rows_for("adult", "0.01", 0.05);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_THAT(tables[0].header, ElementsAre("row", "age"));
  ASSERT_EQ(tables[0].rows.size(), 2U);
  EXPECT_THAT(tables[0].rows[0].fields, ElementsAre("0", "1"));
  EXPECT_THAT(tables[0].rows[1].fields, ElementsAre("7", "3"));
  EXPECT_EQ(tables[0].rows[1].line, 4U);
  EXPECT_EQ(files.seconds_for("adult", "0.01", 0.05), 0.75);
  EXPECT_EQ(files.seconds_for("compas", "0.01", 0.05), std::nullopt);
  EXPECT_TRUE(files.rows_for("adult", "0.02", 0.05).empty());
  EXPECT_TRUE(files.rows_for("adult", "0.01", std::nullopt).empty());
}

TEST_F(Advice, IsForAllWhereAFileDoesNotSay) {
  const AdviceFiles files(
      {file("a.csv", "row,age\n0,1\n"), file("b.csv", "noise,row,age\nx,1,2\n")}, {"adult"});
  EXPECT_FALSE(files.has_targets());
  EXPECT_EQ(files.rows_for("adult", "x", std::nullopt).size(), 2U);
  EXPECT_EQ(files.rows_for("adult", "y", std::nullopt).size(), 1U);
}

TEST_F(Advice, NamesWhatIsWrong) {
  const auto reading = [&](const std::string& text) {
    return [this, text] { AdviceFiles files({file("bad.csv", text)}, {"adult", "compas"}); };
  };
  EXPECT_THAT(reading("dataset,age\nadult,1\n"), ThrowsMessage<DataError>(HasSubstr("'row'")));
  EXPECT_THAT(reading("row,age\n0,1\n"),
              ThrowsMessage<DataError>(HasSubstr("the column 'dataset' is missing")));
  EXPECT_THAT(reading("dataset,row\nadul,1\n"),
              ThrowsMessage<DataError>(HasSubstr(
                  "line 2, column 'dataset': 'adul' is none of 'adult', 'compas'; did you mean")));
  EXPECT_THAT(
      reading("dataset,row,target\nadult,1,low\n"),
      ThrowsMessage<DataError>(HasSubstr("line 2, column 'target': 'low' is not a number")));
  EXPECT_THAT(reading("dataset,row,noise,variance\nadult,1,a,b\n"),
              ThrowsMessage<DataError>(HasSubstr("has both 'noise' and 'variance'")));
  EXPECT_THAT(reading("dataset,row\n"), testing::Throws<DataError>());
  EXPECT_THAT(
      ([&] {
        AdviceFiles files({file("a.csv", "row\n0\n"), file("b.csv", "row,target\n0,0.1\n")}, {"d"});
      }),
      ThrowsMessage<DataError>(HasSubstr("some files of this method have the column 'target'")));
}

}  // namespace
}  // namespace croco
