// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/robustness/certify.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

class CertificateCoverage : public ::testing::TestWithParam<std::tuple<BoundKind, double>> {};

TEST_P(CertificateCoverage, IsAtLeastTheConfidence) {
  const auto [kind, rate] = GetParam();
  const Mlp model = fixtures::logistic({3.0, -4.0}, 0.0);
  const Space space = fixtures::free_space(2);
  // The logit has a spread of .2 * 5 = 1 under noise: its mean makes the rate.
  const Vector point{-normal_quantile(rate) / 3, 0.0};
  const Advice advice{point, point, 0};
  constexpr std::size_t kTrials = 2000;
  std::size_t covered = 0;
  for (std::uint64_t seed = 0; seed < kTrials; ++seed) {
    const Problem problem{model, space, {.scale = 0.2}, Goal(), seed};
    const auto certificate =
        certify(problem, {&advice, 1},
                {.bound = kind, .samples = 400, .confidence = 0.99, .exact = false}, 1)[0];
    covered += certificate.upper >= rate ? 1U : 0U;
  }
  EXPECT_GE(covered, fixtures::least_count(kTrials, 0.99));
  if (kind == BoundKind::clopper_pearson) {
    EXPECT_LT(covered, kTrials);
  }
}

INSTANTIATE_TEST_SUITE_P(Bounds, CertificateCoverage,
                         ::testing::Combine(::testing::Values(BoundKind::clopper_pearson,
                                                              BoundKind::hoeffding,
                                                              BoundKind::empirical_bernstein),
                                            ::testing::Values(0.02, 0.3)));

class CertificateTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<Certificate> run(CertifyOptions options, unsigned threads = 1) const {
    options.exact = false;  // the model is linear, and these are about draws
    return certify(problem_, advice_, options, threads);
  }

  Mlp model_ = fixtures::logistic({1.0, -1.0, 0.5}, 0.2);
  Space space_ = fixtures::free_space(3);
  Problem problem_{model_, space_, {.scale = 0.5}, Goal(), 12};
  std::vector<Vector> points_{{0.1, 0.2, 0.3}, {0.5, 0.0, 0.1}, {0.8, -0.3, 0.4}};
  std::vector<Advice> advice_{
      {points_[0], points_[0], 0}, {points_[1], points_[1], 1}, {points_[2], points_[2], 2}};
};

TEST_F(CertificateTest, SaysWhatItRestsOn) {
  for (const bool shared : {true, false}) {
    problem_.shared_draws = shared;
    const auto tallies = tally(problem_, advice_, {.purpose = Purpose::certify, .samples = 3000});
    const auto certificates =
        run({.bound = BoundKind::hoeffding, .samples = 3000, .confidence = 0.9});
    ASSERT_EQ(certificates.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(certificates[i].bound, BoundKind::hoeffding);
      EXPECT_EQ(certificates[i].samples, 3000U);
      EXPECT_EQ(certificates[i].invalid, tallies[i].invalid);
      EXPECT_EQ(certificates[i].rate, tallies[i].rate());
      EXPECT_EQ(certificates[i].upper, hoeffding_upper(tallies[i].rate(), 3000, 0.9));
      EXPECT_EQ(certificates[i].confidence, 0.9);
      EXPECT_EQ(certificates[i].seed, 12U);
      EXPECT_EQ(certificates[i].shared_draws, shared);
    }
  }
}

TEST_F(CertificateTest, DoesNotDependOnTheThreads) {
  for (const bool shared : {true, false}) {
    problem_.shared_draws = shared;
    const auto one = run({.samples = 20'000});
    const auto four = run({.samples = 20'000}, 4);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(one[i].invalid, four[i].invalid);
      EXPECT_EQ(one[i].upper, four[i].upper);
    }
  }
}

TEST_F(CertificateTest, IsNeverMadeOfTheDrawsOfASearch) {
  for (const Purpose purpose : {Purpose::search, Purpose::check, Purpose::evaluate}) {
    const auto tallies = tally(problem_, advice_, {.purpose = purpose, .samples = 20'000});
    const auto certificates = run({.samples = 20'000});
    std::size_t equal = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      equal += certificates[i].invalid == tallies[i].invalid ? 1U : 0U;
    }
    EXPECT_LE(equal, 1U);  // one by chance
  }
}

TEST_F(CertificateTest, NamesImpossibleOptions) {
  const auto text = [&](const CertifyOptions& options) {
    return fixtures::message_of<InvalidArgument>([&] { return run(options); });
  };
  const std::string rule = "; it must be between 1 and 10000000000";
  EXPECT_EQ(text({.samples = 0}), "samples is 0" + rule);
  EXPECT_EQ(text({.samples = 10'000'000'001}), "samples is 10000000001" + rule);
  EXPECT_EQ(text({.confidence = 1}), "confidence is 1; it must be greater than 0 and less than 1");
}

}  // namespace
}  // namespace croco
