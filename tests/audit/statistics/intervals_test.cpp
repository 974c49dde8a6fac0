// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/statistics/intervals.hpp>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include <croco/base/random.hpp>
#include <tests/golden.hpp>

namespace croco {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

TEST(WilsonInterval, IsTheGoldenOne) {
  for (const auto& one : golden::list("audit_statistics", "wilson")) {
    const ConfidenceInterval made =
        wilson_interval(one.at("successes"), one.at("trials"), one.at("confidence"));
    EXPECT_NEAR(made.lower, one.at("interval").at(0), 1e-9) << one;
    EXPECT_NEAR(made.upper, one.at("interval").at(1), 1e-9) << one;
  }
}

TEST(WilsonInterval, KnowsNothingWithoutTrials) {
  EXPECT_EQ(wilson_interval(0, 0, 0.95), (ConfidenceInterval{0, 1}));
}

TEST(NewcombeInterval, IsTheGoldenOne) {
  for (const auto& one : golden::list("audit_statistics", "newcombe")) {
    const auto& a = one.at("first");
    const auto& b = one.at("second");
    const ConfidenceInterval made =
        newcombe_interval(a.at(0), a.at(1), b.at(0), b.at(1), one.at("confidence"));
    EXPECT_NEAR(made.lower, one.at("interval").at(0), 1e-9) << one;
    EXPECT_NEAR(made.upper, one.at("interval").at(1), 1e-9) << one;
  }
}

TEST(NewcombeInterval, IsThePublishedOne) {
  // Newcombe (1998), table II, method 10.
  const ConfidenceInterval a = newcombe_interval(56, 70, 48, 80, 0.95);
  EXPECT_NEAR(a.lower, 0.0524, 5e-5);
  EXPECT_NEAR(a.upper, 0.3339, 5e-5);
  const ConfidenceInterval b = newcombe_interval(5, 56, 0, 29, 0.95);
  EXPECT_NEAR(b.lower, -0.0381, 5e-5);
  EXPECT_NEAR(b.upper, 0.1926, 5e-5);
}

TEST(NewcombeInterval, CoversTheDifferenceInMostSamples) {
  constexpr std::size_t kTrials = 4000;
  std::size_t covered = 0;
  Sequence random({3, Purpose::evaluate, 0});
  for (std::size_t t = 0; t < kTrials; ++t) {
    std::size_t first = 0;
    std::size_t second = 0;
    for (int i = 0; i < 40; ++i) first += random.uniform() < 0.1 ? 1U : 0U;
    for (int i = 0; i < 60; ++i) second += random.uniform() < 0.3 ? 1U : 0U;
    const ConfidenceInterval made = newcombe_interval(first, 40, second, 60, 0.95);
    covered += made.lower <= -0.2 && -0.2 <= made.upper ? 1U : 0U;
  }
  EXPECT_GE(static_cast<double>(covered) / kTrials, 0.94);
}

TEST(PairedError, HasAWidthWhereAllPairsAreAlike) {
  EXPECT_NEAR(agresti_min_error(0, 0, 98), 0.01, 1e-12);  // sqrt(.5 + .5) / 100
  EXPECT_NEAR(agresti_min_error(20, 10, 98), std::sqrt(31 - 1.0) / 100, 1e-12);
}

TEST(DistributionBand, IsMassarts) {
  EXPECT_NEAR(distribution_band(1000, 0.95), std::sqrt(std::log(40.0) / 2000), 1e-12);
  EXPECT_EQ(distribution_band(0, 0.95), 1.0);
  EXPECT_EQ(distribution_band(1, 0.999), 1.0);
}

TEST(PercentileInterval, LeavesEquallyManyOutsideOnBothSides) {
  std::vector<double> replicates;
  for (int b = 1; b <= 199; ++b) replicates.push_back(b);
  // 5 of 200 gaps between replicates lie beyond either end.
  EXPECT_EQ(percentile_interval(replicates, 0.95), (ConfidenceInterval{5, 195}));
}

TEST(PercentileInterval, TakesInfiniteReplicatesAndThoseWithoutAValue) {
  std::vector<double> replicates(199, 1.0);
  for (std::size_t b = 0; b < 10; ++b) replicates[b] = kEndless;
  EXPECT_EQ(percentile_interval(replicates, 0.95), (ConfidenceInterval{1, kEndless}));
  for (std::size_t b = 0; b < 10; ++b) replicates[b] = std::nan("");
  EXPECT_EQ(percentile_interval(replicates, 0.95), (ConfidenceInterval{-kEndless, kEndless}));
}

TEST(PercentileInterval, HasNoEndsWithTooFewReplicates) {
  const std::vector<double> replicates(10, 1.0);
  EXPECT_EQ(percentile_interval(replicates, 0.95), (ConfidenceInterval{-kEndless, kEndless}));
}

}  // namespace
}  // namespace croco
