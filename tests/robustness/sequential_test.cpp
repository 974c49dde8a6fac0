// SPDX-License-Identifier: Apache-2.0
// Certificates that look at their draws while they are made.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/looks.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

/// A model of one column whose rate at `point_of(rate)` is known.
class Sequential : public testing::Test {
 protected:
  [[nodiscard]] static Vector point_of(double rate) { return {-normal_quantile(rate)}; }
  [[nodiscard]] Problem problem(std::uint64_t seed, bool shared = true) const {
    return {model_, space_, {.scale = 1}, Goal(), seed, shared};
  }
  [[nodiscard]] static CertifyOptions options(std::size_t samples = 100'000) {
    return {.samples = samples, .exact = false, .target = kTarget};
  }
  [[nodiscard]] Certificate one(double rate, const CertifyOptions& options,
                                std::uint64_t seed = 3) const {
    const Vector point = point_of(rate);
    const Advice advice{point, point, 0};
    return certify(problem(seed), {&advice, 1}, options, 1)[0];
  }

  void check_coverage(std::size_t trials, std::size_t maximum) const;

  static constexpr double kTarget = 0.05;
  Mlp model_ = fixtures::logistic({1.0}, 0.0);
  Space space_ = fixtures::free_space(1);
};

TEST_F(Sequential, StopsWhenTheBoundIsBelowTheTarget) {
  const Certificate certificate = one(0.005, options());
  EXPECT_EQ(certificate.samples, 1000U);
  EXPECT_EQ(certificate.stop, StopReason::passed);
  EXPECT_LE(certificate.upper, kTarget);
  EXPECT_EQ(certificate.maximum, 100'000U);
  EXPECT_EQ(certificate.upper, clopper_pearson_upper(certificate.invalid, 1000,
                                                     1 - 0.001 * planned_looks(100'000)[0].share));
}

TEST_F(Sequential, StopsWhenTheTargetIsOutOfReach) {
  const Certificate certificate = one(0.2, options());
  EXPECT_EQ(certificate.samples, 1000U);
  EXPECT_EQ(certificate.stop, StopReason::futile);
  EXPECT_GT(certificate.upper, kTarget);
}

TEST_F(Sequential, UsesAllDrawsWhereTheAnswerIsClose) {
  const Certificate certificate = one(0.0485, options());
  EXPECT_EQ(certificate.samples, 100'000U);
  EXPECT_EQ(certificate.stop, StopReason::planned);
  EXPECT_EQ(certificate.bound_confidence, 1 - (1 - 0.999) * kLastLookShare);
}

TEST_F(Sequential, SeesTheSameDrawsAsAFixedCertificate) {
  for (const double rate : {0.003, 0.03, 0.045, 0.049, 0.3}) {
    const Certificate looked = one(rate, options());
    CertifyOptions fixed = options(looked.samples);
    fixed.sequential = false;
    EXPECT_EQ(one(rate, fixed).invalid, looked.invalid) << rate;
    EXPECT_FALSE(one(rate, fixed).sequential);
  }
}

TEST_F(Sequential, WithoutATargetMakesAllDraws) {
  CertifyOptions all = options(20'000);
  all.target.reset();
  const Certificate certificate = one(0.001, all);
  EXPECT_EQ(certificate.samples, 20'000U);
  EXPECT_EQ(certificate.bound_confidence, 0.999);
  EXPECT_FALSE(certificate.sequential);
}

TEST_F(Sequential, DependsOnThePersonAlone) {
  std::vector<Vector> points;
  for (const double rate : {0.001, 0.046, 0.2, 0.02, 0.048, 0.0471}) {
    points.push_back(point_of(rate));
  }
  std::vector<Advice> advice;
  for (std::size_t i = 0; i < points.size(); ++i) advice.push_back({points[i], points[i], i});
  for (const bool shared : {true, false}) {
    const auto together = certify(problem(9, shared), advice, options(), 1);
    const auto threads = certify(problem(9, shared), advice, options(), 4);
    for (std::size_t i = 0; i < advice.size(); ++i) {
      const auto alone = certify(problem(9, shared), {&advice[i], 1}, options(), 1);
      for (const Certificate& other : {alone[0], threads[i]}) {
        EXPECT_EQ(other.samples, together[i].samples);
        EXPECT_EQ(other.invalid, together[i].invalid);
        EXPECT_EQ(other.upper, together[i].upper);
        EXPECT_EQ(other.stop, together[i].stop);
      }
    }
  }
}

TEST_F(Sequential, AttemptsAndFamiliesDivideTheError) {
  CertifyOptions second = options(100'000);
  second.attempts = 3;
  second.attempt = 1;
  second.family = 50;
  const Certificate certificate = one(0.0485, second);
  ASSERT_EQ(certificate.samples, 100'000U);
  EXPECT_EQ(certificate.first, 100'000U) << "draws that the first attempt did not use";
  EXPECT_NEAR(1 - certificate.bound_confidence, 0.001 / 50 / 4 * kLastLookShare, 1e-15);
  EXPECT_EQ(certificate.confidence, 0.999);
  EXPECT_EQ(certificate.family, 50U);
  EXPECT_NEAR(1 - last_look_confidence(second), 0.001 / 50 * kLastLookShare, 1e-15)
      << "the search divides by its attempts itself";
  second.sequential = false;
  EXPECT_NEAR(1 - last_look_confidence(second), 0.001 / 50, 1e-15);
}

TEST_F(Sequential, RefusesImpossiblePlans) {
  CertifyOptions broken = options();
  broken.family = 0;
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] { return one(0.01, broken); }),
            "family is 0; it must be at least 1, and leave each person an error of at least 1e-10 "
            "(0.001 together)");
  broken.family = 1'000'000'000;
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] { return one(0.01, broken); }),
            "family is 1000000000; it must be at least 1, and leave each person an error of at "
            "least 1e-10 (0.001 together)");
  broken.family = 1;
  broken.attempt = 1;
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] { return one(0.01, broken); }),
            "attempt is 1; it must be below the number of attempts, 1");
}

TEST_F(Sequential, FutilityIsOutOfReachOrBeyondDoubt) {
  // 60 of 1,000 at a target of 5 %: bad luck at most, and there are draws to come.
  EXPECT_FALSE(is_futile(BoundKind::clopper_pearson, 60, 1000, 100'000, 0.999, kTarget));
  EXPECT_TRUE(is_futile(BoundKind::clopper_pearson, 120, 1000, 100'000, 0.999, kTarget));
  // 4,788 failures do not pass at 100,000 draws whatever comes; 4,787 do.
  EXPECT_EQ(largest_passing_count(100'000, kTarget, 0.999), 4787U);
  EXPECT_FALSE(is_futile(BoundKind::clopper_pearson, 4787, 96'000, 100'000, 0.999, kTarget));
  EXPECT_TRUE(is_futile(BoundKind::clopper_pearson, 4788, 96'000, 100'000, 0.999, kTarget));
}

/// A rate just above the target: every certificate is a wrong one, and they are at most the error.
/// The same when nothing stops and every look of every trial may be wrong.
void Sequential::check_coverage(std::size_t trials, std::size_t maximum) const {
  constexpr double kConfidence = 0.9;
  const double rate = kTarget * 1.0001;
  const Vector point = point_of(rate);
  std::vector<Advice> advice;
  for (std::size_t trial = 0; trial < trials; ++trial) advice.push_back({point, point, trial});
  CertifyOptions with = options(maximum);
  with.confidence = kConfidence;
  std::size_t issued = 0;
  std::size_t bounds_broken = 0;
  for (const Certificate& certificate : certify(problem(21, false), advice, with, 2)) {
    issued += certificate.upper <= kTarget ? 1U : 0U;
    bounds_broken += certificate.upper < rate ? 1U : 0U;
  }
  std::vector<bool> ever(trials);
  std::vector<std::size_t> invalid(trials);
  std::size_t made = 0;
  for (const Look& look : planned_looks(maximum)) {
    const auto tallies = tally(
        problem(21, false), advice,
        {.purpose = Purpose::certify, .samples = look.samples - made, .first = made, .threads = 2});
    made = look.samples;
    for (std::size_t trial = 0; trial < trials; ++trial) {
      invalid[trial] += tallies[trial].invalid;
      ever[trial] = ever[trial] ||
                    clopper_pearson_upper(invalid[trial], made,
                                          look_confidence(kConfidence, 1, 1, 0, look.share)) < rate;
    }
  }
  const auto ever_broken = static_cast<std::size_t>(std::ranges::count(ever, true));
  EXPECT_LE(issued, trials - fixtures::least_count(trials, kConfidence));
  EXPECT_LE(bounds_broken, trials - fixtures::least_count(trials, kConfidence));
  EXPECT_LE(ever_broken, trials - fixtures::least_count(trials, kConfidence));
  // The error is not left unused either: half of it would be seen.
  EXPECT_GT(static_cast<double>(issued), static_cast<double>(trials) * (1 - kConfidence) / 2);
  EXPECT_GE(ever_broken, bounds_broken);
}

TEST_F(Sequential, WrongCertificatesAreNoMoreThanTheErrorAllows) { check_coverage(600, 4000); }

using SlowSequential = Sequential;
TEST_F(SlowSequential, WrongCertificatesAreNoMoreThanTheErrorAllows) {
  check_coverage(6000, 16'000);
}

TEST_F(Sequential, ExactCertificatesNeedNoDraws) {
  CertifyOptions exact = options();
  exact.exact = true;
  const Certificate certificate = one(0.0499, exact);
  EXPECT_EQ(certificate.bound, BoundKind::exact);
  EXPECT_EQ(certificate.samples, 0U);
  EXPECT_NEAR(certificate.rate, 0.0499, 1e-12);
  EXPECT_NEAR(certificate.upper, certificate.rate, 1e-12);
  EXPECT_GE(certificate.upper, certificate.rate);
  EXPECT_EQ(certificate.confidence, 1.0);
}

}  // namespace
}  // namespace croco
