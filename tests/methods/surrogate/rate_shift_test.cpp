// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/surrogate/rate_shift.hpp>

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>

namespace croco {
namespace {

double rate_with_shift(double surrogate_rate, double shift) {
  return normal_cdf(normal_quantile(surrogate_rate) - shift);
}

TEST(RateShift, ObservationsMoveTheExpectedRateToWhatWasSeen) {
  RateShift shift({.mean = 0, .deviation = 0.5});
  EXPECT_NEAR(shift.expected_rate(0.06), 0.08, 0.03);
  shift.observe({.surrogate_rate = 0.06, .samples = 20'000, .invalid = 3000});
  EXPECT_NEAR(shift.expected_rate(0.06), 0.15, 0.01);
  // Elsewhere on the ray by as much on the normal quantile.
  const double moved = rate_with_shift(0.02, normal_quantile(0.06) - normal_quantile(0.15));
  EXPECT_NEAR(shift.expected_rate(0.02), moved, 0.01);
}

TEST(RateShift, NothingIsLearntFromNoSamples) {
  RateShift shift({.mean = 0.1, .deviation = 0.3});
  const double before = shift.expected_rate(0.05);
  shift.observe({.surrogate_rate = 0.05, .samples = 0, .invalid = 0});
  EXPECT_EQ(shift.expected_rate(0.05), before);
}

TEST(RateShift, PassingGetsLikelierAsTheRateFalls) {
  const RateShift shift({.mean = 0, .deviation = 0.2});
  double last = 0;
  for (const double rate : {0.2, 0.1, 0.07, 0.05, 0.02}) {
    const double now = shift.pass_probability(rate, 1000, 70);
    EXPECT_GT(now, last) << rate;
    last = now;
  }
  EXPECT_NEAR(shift.pass_probability(0.5, 100, 100), 1.0, 1e-4);
}

// A known shift leaves the binomial distribution alone: here at a rate of .06, by simulation.
TEST(RateShift, PassingProbabilityIsBinomialWhereTheShiftIsKnown) {
  RateShift shift({.mean = 0, .deviation = 0.5});
  shift.observe({.surrogate_rate = 0.06, .samples = 100'000'000, .invalid = 6'000'000});
  std::mt19937_64 random(7);
  std::binomial_distribution<int> count(1000, 0.06);
  int passed = 0;
  for (int i = 0; i < 20'000; ++i) passed += count(random) <= 65 ? 1 : 0;
  EXPECT_NEAR(shift.pass_probability(0.06, 1000, 65), passed / 20'000.0, 0.03);
}

TEST(RateShift, TheStepIsTheFirstThatPasses) {
  const RateShift shift({.mean = 0, .deviation = 0.1});
  const std::vector<double> rates{0.2, 0.1, 0.08, 0.06, 0.05, 0.04, 0.02};
  const std::size_t step = shift.step_to_pass(rates, 1000, 70, 0.9);
  EXPECT_GE(shift.pass_probability(rates[step], 1000, 70), 0.9);
  EXPECT_LT(shift.pass_probability(rates[step - 1], 1000, 70), 0.9);
  EXPECT_EQ(shift.step_to_pass(rates, 1000, 0, 0.9), rates.size() - 1);
}

TEST(RateShift, ThePriorIsThatOfTheSimulatedPeople) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> shifts(-0.4, 0.3);
  std::vector<RateObservation> people;
  for (int i = 0; i < 400; ++i) {
    const double rate = rate_with_shift(0.06, shifts(random));
    std::binomial_distribution<int> failures(200, rate);
    people.push_back({.surrogate_rate = 0.06,
                      .samples = 200,
                      .invalid = static_cast<std::size_t>(failures(random))});
  }
  const ShiftPrior prior = fitted_prior(people);
  EXPECT_NEAR(prior.mean, -0.4, 0.06);
  EXPECT_NEAR(prior.deviation, 0.3, 0.08);
}

TEST(RateShift, FewPeopleSayNothingOfOthers) {
  const std::vector<RateObservation> people(4,
                                            {.surrogate_rate = 0.1, .samples = 50, .invalid = 40});
  EXPECT_EQ(fitted_prior(people).mean, ShiftPrior{}.mean);
  EXPECT_EQ(fitted_prior(people).deviation, ShiftPrior{}.deviation);
}

}  // namespace
}  // namespace croco
