// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/summary.hpp>

#include <gtest/gtest.h>

#include <tests/fixtures.hpp>

namespace croco {
namespace {

Explanation advice(double l1, double rate, double upper, Status status = Status::found) {
  Explanation out;
  out.status = status;
  out.valid = true;
  out.distance = {.l0 = 2, .l1 = l1, .l2 = l1 / 2, .linf = l1 / 4, .cost = 3 * l1};
  out.features_changed = 2;
  out.certificate = Certificate{.rate = rate, .upper = upper};
  return out;
}

Explanation without_advice(Status status) {
  Explanation out;
  out.status = status;
  // Left over from a search that failed; no mean may see it.
  out.distance.l1 = 1e9;
  return out;
}

TEST(Summarize, MeansAreOverThePeopleWithAdvice) {
  const std::vector<Explanation> answers{
      advice(1, 0.01, 0.02),
      without_advice(Status::already),
      advice(2, 0.04, 0.06, Status::unmet),
      without_advice(Status::infeasible),
      without_advice(Status::error),
      advice(6, 0.07, 0.10),
  };
  const Summary summary = summarize("croco", answers, 0.05, 8.0);
  EXPECT_EQ(summary.name, "croco");
  EXPECT_EQ(summary.people, 6);
  EXPECT_EQ(summary.already, 1);
  EXPECT_EQ(summary.errors, 1);
  EXPECT_EQ(summary.infeasible, 1);
  EXPECT_EQ(summary.advised, 3);
  EXPECT_EQ(summary.rule_met, 2);
  EXPECT_DOUBLE_EQ(summary.validity, 3.0 / 4) << "of the people who asked: not already, no error";
  EXPECT_DOUBLE_EQ(summary.l0, 2);
  EXPECT_DOUBLE_EQ(summary.l1, 3);
  EXPECT_DOUBLE_EQ(summary.l1_median, 2);
  EXPECT_DOUBLE_EQ(summary.l2, 1.5);
  EXPECT_DOUBLE_EQ(summary.linf, 0.75);
  EXPECT_DOUBLE_EQ(summary.cost, 9.0);
  EXPECT_DOUBLE_EQ(summary.rate, 0.04);
  EXPECT_DOUBLE_EQ(summary.upper, 0.06);
  EXPECT_DOUBLE_EQ(summary.rate_above_target.value(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(summary.bound_above_target.value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(summary.seconds_per_person.value(), 2);
}

TEST(Summarize, TheMedianOfAnEvenNumberLiesBetween) {
  const std::vector<Explanation> answers{advice(9, 0, 0), advice(1, 0, 0), advice(2, 0, 0),
                                         advice(4, 0, 0)};
  EXPECT_DOUBLE_EQ(summarize("", answers, {}, {}).l1_median, 3);
}

TEST(Summarize, ARateAtTheTargetMeetsIt) {
  const std::vector<Explanation> answers{advice(1, 0.05, 0.05)};
  const Summary summary = summarize("", answers, 0.05, {});
  EXPECT_EQ(summary.rate_above_target, 0.0);
  EXPECT_EQ(summary.bound_above_target, 0.0);
}

TEST(Summarize, AdviceThatIsNotValidCountsAsAdviceOnly) {
  Explanation refused = advice(1, 0.9, 0.95, Status::unmet);
  refused.valid = false;
  const std::vector<Explanation> answers{refused, advice(1, 0, 0.01)};
  const Summary summary = summarize("", answers, 0.05, {});
  EXPECT_EQ(summary.advised, 2);
  EXPECT_DOUBLE_EQ(summary.validity, 0.5);
}

TEST(Summarize, LeavesOutWhatWasNotAsked) {
  const std::vector<Explanation> answers{advice(1, 0.5, 0.6)};
  const Summary summary = summarize("", answers, std::nullopt, std::nullopt);
  EXPECT_FALSE(summary.rate_above_target);
  EXPECT_FALSE(summary.bound_above_target);
  EXPECT_FALSE(summary.seconds_per_person);
}

TEST(Summarize, NobodyDividesByZero) {
  const Summary empty = summarize("", {}, 0.05, 1.0);
  EXPECT_EQ(empty.people, 0);
  EXPECT_EQ(empty.l1, 0);
  EXPECT_EQ(empty.l1_median, 0);
  EXPECT_EQ(empty.validity, 0);
  EXPECT_EQ(empty.rate_above_target, 0.0);
  EXPECT_FALSE(empty.seconds_per_person);
  const std::vector<Explanation> answers{without_advice(Status::already)};
  EXPECT_EQ(summarize("", answers, 0.05, 1.0).validity, 0);
}

}  // namespace
}  // namespace croco
