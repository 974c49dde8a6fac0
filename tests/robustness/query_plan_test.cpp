// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/query_plan.hpp>

#include <gtest/gtest.h>

#include <croco/base/bounds.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/looks.hpp>

namespace croco {
namespace {

CertifyOptions certificates_for(double target) {
  return {.target = target, .attempts = kCertifiedAttempts};
}

TEST(QueryPlan, PartsAddUpToTheSamplesAtMost) {
  for (const std::size_t samples : {std::size_t{300}, std::size_t{700}, std::size_t{1986}}) {
    const auto plan = plan_queries(samples, certificates_for(0.1));
    ASSERT_TRUE(plan) << samples;
    EXPECT_LE(plan->pilot + plan->certificate + plan->reserve, samples);
    EXPECT_LE(plan->first_part + plan->second_part, plan->pilot);
    EXPECT_GT(plan->first_part, 0U);
  }
}

TEST(QueryPlan, TheLeastSamplesAreTheFewestWithAPlan) {
  for (const double target : {0.3, 0.1, 0.05, 0.01}) {
    const CertifyOptions options = certificates_for(target);
    const std::size_t least = least_samples(options);
    EXPECT_TRUE(plan_queries(least, options)) << target;
    EXPECT_FALSE(plan_queries(least - 1, options)) << target;
  }
}

// Three failures at a target of .01 need 1,302 samples at confidence .999, and more at the
// attempt's and the look's shares of the error.
TEST(QueryPlan, SmallTargetsNeedAboutTwoThousandSamples) {
  const std::size_t least = least_samples(certificates_for(0.01));
  EXPECT_GT(least, 1700U);
  EXPECT_LT(least, 2100U);
}

TEST(QueryPlan, FamiliesPayWithSamples) {
  CertifyOptions options = certificates_for(0.1);
  const std::size_t alone = least_samples(options);
  options.family = 1000;
  EXPECT_GT(least_samples(options), alone);
}

TEST(QueryPlan, ThePassingCountIsThatOfTheLastLook) {
  const CertifyOptions options = within_samples(certificates_for(0.1), 1355);
  ASSERT_TRUE(options.sequential);
  const auto looks = planned_looks(1355, options.first_look);
  EXPECT_EQ(looks.size(), 3U);
  EXPECT_EQ(looks.front().samples, 451U);
  const double confidence = look_confidence(0.999, 1, kCertifiedAttempts, 0, looks.back().share);
  const std::size_t most = passing_count(options).value();
  EXPECT_LE(clopper_pearson_upper(most, 1355, confidence), 0.1);
  EXPECT_GT(clopper_pearson_upper(most + 1, 1355, confidence), 0.1);
}

TEST(QueryPlan, FewSamplesAreLookedAtOnce) {
  EXPECT_FALSE(within_samples(certificates_for(0.1), 200).sequential);
}

TEST(QueryPlan, AttemptsOfDifferentLengthsShareNoSample) {
  CertifyOptions options = certificates_for(0.1);
  options.attempt_stride = 2000;
  options.samples = 1355;
  EXPECT_EQ(first_sample(options), 0U);
  options.attempt = 1;
  options.samples = 200;
  EXPECT_EQ(first_sample(options), 2000U);
  options.attempt_stride = 0;
  EXPECT_EQ(first_sample(options), 200U);
}

TEST(QueryPlan, AStrideBelowTheSamplesIsRefused) {
  CertifyOptions options = certificates_for(0.1);
  options.samples = 300;
  options.attempt_stride = 299;
  try {
    validate(options);
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(),
                 "attempt_stride is 299; attempts of up to 300 samples need at least as many each");
  }
}

}  // namespace
}  // namespace croco
