// SPDX-License-Identifier: Apache-2.0
#include <croco/base/statistics.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(Statistics, AreWhatAHandComputes) {
  EXPECT_EQ(mean_of({1, 2, 6}), 3);
  EXPECT_EQ(deviation_of({1, 1, 3, 3}), 1);
  EXPECT_EQ(median_of({6, 1, 2}), 2);
  EXPECT_EQ(median_of({6, 1, 2, 4}), 3);
}

TEST(Statistics, OfNothingAreNothing) {
  EXPECT_EQ(mean_of({}), 0);
  EXPECT_EQ(deviation_of({}), 0);
  EXPECT_EQ(median_of({}), 0);
}

}  // namespace
}  // namespace croco
