// SPDX-License-Identifier: Apache-2.0
#include <croco/data/sentinel.hpp>

#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Sentinel, FindsCodesApartFromTheOthers) {
  EXPECT_THAT(sentinels_of({0, 5, 27, 999}), ElementsAre(999));
  EXPECT_THAT(sentinels_of({10, 20, 30, 999999}), ElementsAre(999999));
  EXPECT_THAT(sentinels_of({300, 410, 560, 666666}), ElementsAre(666666));
  EXPECT_THAT(sentinels_of({1, 2, 3, 666}), ElementsAre(666));
  EXPECT_THAT(sentinels_of({0, 1, 2, 17, 96, 98}), ElementsAre(96, 98));
  EXPECT_THAT(sentinels_of({-999, 0, 1.5, 2}), ElementsAre(-999));
  EXPECT_THAT(sentinels_of({-9, -8, -7, 3, 40, 50}), ElementsAre(-9, -8, -7));
  EXPECT_THAT(sentinels_of({-1, 1, 40, 871}), ElementsAre(-1));
  EXPECT_THAT(sentinels_of({-1, 20, 30, 40, 999}), ElementsAre(-1, 999));
  EXPECT_THAT(sentinels_of({0, 50, 95, 97, 98, 99, 999}), ElementsAre(999));
  std::vector<double> counts(12);
  std::iota(counts.begin(), counts.end(), -1.0);
  EXPECT_THAT(sentinels_of(counts), ElementsAre(-1));
}

TEST(Sentinel, LeavesOrdinaryValues) {
  EXPECT_THAT(sentinels_of({}), IsEmpty());
  EXPECT_THAT(sentinels_of({5}), IsEmpty());
  EXPECT_THAT(sentinels_of({-1, 1}), IsEmpty()) << "two classes";
  EXPECT_THAT(sentinels_of({-1, 0, 1}), IsEmpty()) << "too few values are left";
  EXPECT_THAT(sentinels_of({-1, 0, 1, 2}), IsEmpty()) << "next to the others";
  EXPECT_THAT(sentinels_of({-2, -1, 0, 1}), IsEmpty()) << "others are negative too";
  EXPECT_THAT(sentinels_of({-9.5, -9, 3, 4, 5}), IsEmpty());
  EXPECT_THAT(sentinels_of({0, 40, 80, 99}), IsEmpty()) << "as near as the others";
  EXPECT_THAT(sentinels_of({0, 500, 700, 999}), IsEmpty());
  EXPECT_THAT(sentinels_of({1, 2, 3, 1000}), IsEmpty()) << "no code";
  EXPECT_THAT(sentinels_of({1, 2, 3, 555}), IsEmpty()) << "no code";
}

}  // namespace
}  // namespace croco
