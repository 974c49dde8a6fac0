// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/published.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<PublishedPoint> read(const std::string& text) {
  return read_published(parse_csv(text, "published.csv"), paper_experiment());
}

TEST(Published, IsReadWhereItFits) {
  const auto points = read(
      "dataset,method,variance,target,n,validity,l1_mean,l1_std,rate_mean,rate_share_above_target\n"
      "adult,croco,0.005,0.05,500,1,0.25,0.05,0.014,0\n"
      "compas,wachter,0.020,,409,1,0.4,0.2,0.5,0.97\n"
      "german,croco,0.005,0.05,500,1,0.25,0.05,0.014,0\n"
      "adult,croco,0.5,0.05,500,1,0.25,0.05,0.014,0\n"
      "adult,croco,0.005,0.06,500,1,0.25,0.05,0.014,0\n");
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].method, "croco");
  EXPECT_EQ(points[0].target, 0.05);
  EXPECT_EQ(points[0].l1_sd, 0.05);
  EXPECT_EQ(points[0].rate_above_target, 0);
  EXPECT_FALSE(points[0].rate_sd);
  EXPECT_EQ(points[1].dataset, 1U);
  EXPECT_EQ(points[1].noise, 3U);
  EXPECT_FALSE(points[1].target);
  EXPECT_FALSE(points[1].rate_above_target);  // above what?
}

TEST(Published, NamesWhatIsWrong) {
  EXPECT_THAT([] { static_cast<void>(read("dataset,variance\nadult,0.005\n")); },
              ThrowsMessage<DataError>(HasSubstr("'method'")));
  EXPECT_THAT(
      [] {
        static_cast<void>(
            read("dataset,method,variance,target,l1_mean\nadult,croco,0.005,0.05,far\n"));
      },
      ThrowsMessage<DataError>(HasSubstr("line 2, column 'l1_mean': 'far' is not a number")));
  EXPECT_THAT(
      [] { static_cast<void>(read("dataset,method,variance,target\nmine,croco,0.005,0.05\n")); },
      ThrowsMessage<DataError>(HasSubstr("no row is for a data set, noise and target")));
}

}  // namespace
}  // namespace croco
