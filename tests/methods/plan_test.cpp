// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/plan.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using ::testing::StartsWith;

std::string refusal(const PlanRequest& request) {
  return fixtures::message_of<InvalidArgument>([&] { return plan_bound(request); });
}

TEST(PlanBound, HasTheConfidencesOfSectionA2) {
  const auto confidence = [](double margin, std::size_t samples) {
    // A target and a confidence that refuse nothing.
    return plan_bound({.target = 0.9, .confidence = 0.01, .margin = margin, .samples = samples})
        .confidence;
  };
  EXPECT_NEAR(confidence(0.1, 100), 0.865, 5e-4);
  EXPECT_NEAR(confidence(0.1, 250), 0.993, 5e-4);
  EXPECT_GT(confidence(0.1, 500), 0.999);
  // The paper prints 0.09 here, which is a slip: 1 - exp(-2 * .0001 * 100) = .0198.
  EXPECT_NEAR(confidence(0.01, 100), 0.0198, 5e-5);
  EXPECT_NEAR(confidence(0.01, 10'000), 0.865, 5e-4);
  EXPECT_NEAR(confidence(0.01, 30'000), 0.9975, 5e-5);
}

TEST(PlanBound, RefusesTargetsBelowTheFloor) {
  EXPECT_THAT(refusal({.target = 0.2, .margin = 0.1, .samples = 500}),
              StartsWith("target is 0.2; with m = 0.1 and t = 0.5 the bound (m + soft rate) / "
                         "(1 - t) is never below 0.2, so no target of 0.2 or less is reachable "
                         "(m must be less than 0.1, which needs K of "));
  for (const double target : {0.19, 0.1, 0.05}) {
    EXPECT_THAT(refusal({.target = target, .margin = 0.1, .samples = 500}),
                StartsWith("target is " + std::to_string(target).substr(0, target == 0.1 ? 3 : 4) +
                           "; with m = 0.1 and t = 0.5 the bound"));
  }
  EXPECT_EQ(refusal({.target = 0.21, .margin = 0.1, .samples = 500}), "nothing was thrown");
  EXPECT_THAT(refusal({.target = 0.4, .threshold = 0.75, .margin = 0.1}),
              StartsWith("target is 0.4; with m = 0.1 and t = 0.75 the bound (m + soft rate) / "
                         "(1 - t) is never below 0.4"));
}

TEST(PlanBound, TheSamplesThatARefusalNamesAreTheBorder) {
  // ln(1000) / (2 * .1^2) = 345.4
  EXPECT_NE(refusal({.target = 0.2, .samples = 345}), "nothing was thrown");
  EXPECT_EQ(refusal({.target = 0.2, .samples = 346}), "nothing was thrown");
  EXPECT_THAT(refusal({.target = 0.2, .samples = 345}),
              ::testing::EndsWith("which needs K of at least 346)"));
}

TEST(PlanBound, DefaultsReachAnyTarget) {
  for (const double target : {0.001, 0.01, 0.05, 0.2, 0.3, 0.5, 0.9}) {
    for (const double threshold : {0.05, 0.3, 0.5, 0.7, 0.95}) {
      for (const double confidence : {0.5, 0.99, 0.999, 0.999999}) {
        const BoundPlan plan =
            plan_bound({.target = target, .confidence = confidence, .threshold = threshold});
        EXPECT_LT(plan.floor, target);
        EXPECT_GT(plan.soft_allowance, 0);
        EXPECT_GE(plan.confidence, confidence * (1 - 1e-12));
        EXPECT_EQ(plan.confidence, margin_confidence(plan.margin, plan.samples));
        // The allowance is what makes the bound the target.
        EXPECT_NEAR(soft_rate_bound(plan.soft_allowance, plan.margin, threshold), target, 1e-12);
        EXPECT_NEAR(plan.floor, soft_rate_bound(0, plan.margin, threshold), 1e-15);
      }
    }
  }
}

TEST(PlanBound, FillsInWhatIsNotFixed) {
  const BoundPlan from_margin = plan_bound({.target = 0.3, .margin = 0.1});
  EXPECT_EQ(from_margin.margin, 0.1);
  EXPECT_EQ(from_margin.samples, 346U);
  EXPECT_DOUBLE_EQ(from_margin.floor, 0.2);
  EXPECT_NEAR(from_margin.soft_allowance, 0.05, 1e-15);

  const BoundPlan from_samples = plan_bound({.target = 0.3, .samples = 500});
  EXPECT_EQ(from_samples.samples, 500U);
  EXPECT_EQ(from_samples.margin, margin_for_samples(500, 0.999));

  const BoundPlan free = plan_bound({.target = 0.2});
  EXPECT_DOUBLE_EQ(free.margin, kMarginShare * 0.1);
  EXPECT_EQ(free.samples, samples_for_margin(free.margin, 0.999));
}

TEST(PlanBound, RefusesAConfidenceThatIsNotHad) {
  EXPECT_EQ(refusal({.target = 0.5, .margin = 0.1, .samples = 100}),
            "confidence is 0.999; m = 0.1 and K = 100 give only 0.864665 (K must be at least 346)");
}

TEST(PlanBound, NamesImpossibleFields) {
  const std::string rule = "; it must be greater than 0 and less than 1";
  EXPECT_EQ(refusal({.target = 0}), "target is 0" + rule);
  EXPECT_EQ(refusal({.target = 1}), "target is 1" + rule);
  EXPECT_EQ(refusal({.threshold = 1}), "threshold is 1" + rule);
  EXPECT_EQ(refusal({.confidence = 0}), "confidence is 0" + rule);
  EXPECT_EQ(refusal({.margin = -0.1}), "margin is -0.1" + rule);
  EXPECT_EQ(refusal({.samples = 0}), "bound-samples is 0; the bound needs at least 1");
}

}  // namespace
}  // namespace croco
