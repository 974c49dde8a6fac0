// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/looks.hpp>

#include <gmock/gmock.h>

#include <croco/robustness/error_budget.hpp>

namespace croco {
namespace {

std::vector<std::size_t> sizes(std::size_t maximum) {
  std::vector<std::size_t> out;
  for (const Look& look : planned_looks(maximum)) out.push_back(look.samples);
  return out;
}

TEST(Looks, DoubleUpToTheMaximum) {
  EXPECT_THAT(sizes(100'000),
              testing::ElementsAre(1000, 2000, 4000, 8000, 16'000, 32'000, 64'000, 100'000));
  EXPECT_THAT(sizes(8000), testing::ElementsAre(1000, 2000, 4000, 8000));
}

TEST(Looks, AreNotSpentShortlyBeforeTheLast) {
  EXPECT_THAT(sizes(5900), testing::ElementsAre(1000, 2000, 5900));
  EXPECT_THAT(sizes(1499), testing::ElementsAre(1499));
  EXPECT_THAT(sizes(1), testing::ElementsAre(1));
}

TEST(Looks, SpendTheErrorOnceAndMostOfItAtTheEnd) {
  for (const std::size_t maximum : {1UL, 1499UL, 1500UL, 20'000UL, 100'000UL, 1UL << 40}) {
    const std::vector<Look> looks = planned_looks(maximum);
    double spent = 0;
    for (const Look& look : looks) spent += look.share;
    EXPECT_NEAR(spent, 1, 1e-12) << maximum;
    EXPECT_LE(spent, 1 + 1e-12) << maximum;
    EXPECT_EQ(looks.back().samples, maximum);
    EXPECT_EQ(looks.back().share, looks.size() == 1 ? 1.0 : kLastLookShare);
    for (std::size_t i = 1; i < looks.size(); ++i) {
      EXPECT_GT(looks[i].samples, looks[i - 1].samples);
    }
  }
}

}  // namespace
}  // namespace croco
