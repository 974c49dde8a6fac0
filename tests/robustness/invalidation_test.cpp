// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/invalidation.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

constexpr std::size_t kManySamples = 200'000;

void expect_rate(const Tally& found, double rate) {
  const auto n = static_cast<double>(found.samples);
  EXPECT_NEAR(found.rate(), rate, 4.5 * std::sqrt(rate * (1 - rate) / n));
}

bool same(const Tally& a, const Tally& b) {
  return a.samples == b.samples && a.invalid == b.invalid && a.soft_sum == b.soft_sum;
}

/// A linear model, whose rates have closed forms.
class LinearInvalidation : public ::testing::Test {
 protected:
  [[nodiscard]] Tally tally_of(const Noise& noise, const Goal& goal, View origin,
                               View point) const {
    const Advice advice{origin, point, 0};
    return tally({model_, space_, noise, goal, 4}, {&advice, 1}, {.samples = kManySamples})[0];
  }

  Mlp model_ = fixtures::logistic({2.0, -1.0, 0.5}, 0.3);
  Space space_ = fixtures::free_space(3);
  const Vector origin_{0.0, 0.0, 0.0};
  const Vector point_{0.4, 0.0, -0.2};  // logit 1
};

TEST_F(LinearInvalidation, RateIsTheClosedForm) {
  const double spread = 0.5 * std::sqrt(4 + 1 + 0.25);
  for (const double threshold : {0.3, 0.5, 0.7}) {
    const double margin = 1 - logit_of(threshold);
    expect_rate(tally_of({.scale = 0.5}, Goal(threshold, 1), origin_, point_),
                normal_cdf(-margin / spread));
    expect_rate(tally_of({.scale = 0.5}, Goal(threshold, 0), origin_, point_),
                normal_cdf(margin / spread));
  }
}

TEST_F(LinearInvalidation, ColumnScalesAndScopesEnterTheSpread) {
  space_.columns[0].movement = Movement::fixed;
  space_.columns[0].continuous = false;
  space_.columns[1].movement = Movement::fixed;
  Noise noise{.column_scales = {0.3, 0.6, 0.9}};
  const auto expect_spread = [&](NoiseScope scope, double square) {
    noise.scope = scope;
    expect_rate(tally_of(noise, Goal(), origin_, point_), normal_cdf(-1 / std::sqrt(square)));
  };
  const double first = 0.6 * 0.6;
  const double second = 0.6 * 0.6;
  const double third = 0.45 * 0.45;
  expect_spread(NoiseScope::all, first + second + third);
  expect_spread(NoiseScope::continuous, second + third);
  expect_spread(NoiseScope::movable, third);
}

TEST_F(LinearInvalidation, ScopeChangedIsNoisyWhereTheAdviceChangesSomething) {
  const Noise noise{.scale = 0.5, .scope = NoiseScope::changed};
  expect_rate(tally_of(noise, Goal(), origin_, point_), normal_cdf(-1 / (0.5 * std::sqrt(4.25))));
  // The same point as the advice of another person, who changes the first column only.
  expect_rate(tally_of(noise, Goal(), Vector{0.0, 0.0, -0.2}, point_), normal_cdf(-1.0));
  EXPECT_EQ(tally_of(noise, Goal(), point_, point_).invalid, 0U);
}

TEST_F(LinearInvalidation, OneSidedNoiseOnlyFallsShort) {
  const Noise noise{.scale = 0.5, .scope = NoiseScope::changed, .falls_short = true};
  // Raised: 2 (0.4 - |e|) + ... <= 0 needs |e| >= 1/2, one standard deviation.
  const Vector raised{0.0, 0.0, -0.2};
  expect_rate(tally_of(noise, Goal(), raised, point_), 2 * normal_cdf(-1.0));
  // Lowered: falling short raises the value, and with it this model's logit.
  const Vector lowered{0.9, 0.0, -0.2};
  EXPECT_EQ(tally_of(noise, Goal(), lowered, point_).invalid, 0U);
  expect_rate(tally_of(noise, Goal(0.5, 0), lowered, Vector{-0.6, 0.0, -0.2}),
              2 * normal_cdf(-1.0));
}

TEST_F(LinearInvalidation, WithoutNoiseEveryDrawIsThePoint) {
  EXPECT_EQ(tally_of({.scale = 0}, Goal(), origin_, point_).invalid, 0U);
  EXPECT_EQ(tally_of({.scale = 0}, Goal(0.5, 0), origin_, point_).invalid, kManySamples);
}

/// People of a small network, with draws that they share or have of their own.
class People : public ::testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  People() {
    for (std::size_t i = 0; i < 9; ++i) {
      origins_.push_back(fixtures::random_vector(4, 80 + i));
      points_.push_back(fixtures::random_vector(4, 90 + i));
      points_.back()[2] = origins_.back()[2];
    }
    for (std::size_t i = 0; i < 9; ++i) advice_.push_back({origins_[i], points_[i], 100 + i});
  }

  [[nodiscard]] std::vector<Tally> run(std::span<const Advice> advice, unsigned threads,
                                       std::size_t samples = 10'007) const {
    return tally(
        problem_, advice,
        {.purpose = Purpose::certify, .samples = samples, .soft = true, .threads = threads});
  }

  Mlp model_ = fixtures::random_mlp({4, 10}, Activation::relu, 81);
  Space space_ = fixtures::free_space(4);
  Problem problem_{
      model_,
      space_,
      {.scale = 0.4, .scope = std::get<1>(GetParam()) ? NoiseScope::changed : NoiseScope::all},
      Goal(0.4),
      8,
      std::get<0>(GetParam())};
  std::vector<Vector> origins_, points_;
  std::vector<Advice> advice_;
};

TEST_P(People, TalliesDoNotDependOnTheThreads) {
  const auto one = run(advice_, 1);
  const auto four = run(advice_, 4);
  ASSERT_EQ(one.size(), 9U);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].samples, 10'007U);
    EXPECT_TRUE(same(one[i], four[i])) << i;
  }
}

TEST_P(People, TalliesDoNotDependOnTheOthers) {
  const auto all = run(advice_, 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(same(run({&advice_[i], 1}, 1)[0], all[i])) << i;
  }
}

TEST_P(People, OwnDrawsBelongToThePerson) {
  const auto all = run(advice_, 1);
  std::vector<Advice> renamed = advice_;
  for (Advice& advice : renamed) advice.person += 1000;
  const auto others = run(renamed, 1);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < all.size(); ++i) equal += same(all[i], others[i]) ? 1U : 0U;
  EXPECT_EQ(equal, problem_.shared_draws ? 9U : 0U);
}

TEST_P(People, TalliesAddUpDrawByDraw) {
  for (const std::size_t samples : {1U, 64U, 65U, 1000U}) {
    const auto found = run(advice_, 1, samples);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const NoiseBank bank(problem_, problem_.stream(Purpose::certify, advice_[i].person), 0,
                           samples);
      std::vector<float> logits(samples);
      bank.logits(origins_[i], points_[i], 0, logits);
      std::size_t invalid = 0;
      double soft = 0;
      for (const float value : logits) {
        const auto logit = static_cast<double>(value);
        invalid += problem_.goal.reached(logit) ? 0U : 1U;
        soft += 1 - sigmoid(logit);
      }
      EXPECT_EQ(found[i].samples, samples);
      EXPECT_EQ(found[i].invalid, invalid);
      EXPECT_NEAR(found[i].soft_sum, soft, 1e-6 * static_cast<double>(samples));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SharedAndChanged, People,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool()));

TEST(Tally, OfNobodyIsEmpty) {
  const Mlp model = fixtures::logistic({1.0}, 0.0);
  const Space space = fixtures::free_space(1);
  EXPECT_TRUE(tally({model, space, {}, Goal()}, {}, {.samples = 100}).empty());
}

TEST(Tally, SumsTheSoftRateOnlyWhenAsked) {
  const Mlp model = fixtures::logistic({1.0}, 0.0);
  const Space space = fixtures::free_space(1);
  const Vector point{1.0};
  const Advice advice{point, point, 0};
  const Problem problem{model, space, {}, Goal()};
  EXPECT_EQ(tally(problem, {&advice, 1}, {.samples = 100})[0].soft_sum, 0.0);
  EXPECT_GT(tally(problem, {&advice, 1}, {.samples = 100, .soft = true})[0].soft_sum, 20.0);
}

TEST(Tally, MeetsOtherDrawsForAnotherPurposeOrSeed) {
  const Mlp model = fixtures::logistic({1.0}, 0.0);
  const Space space = fixtures::free_space(1);
  const Vector point{0.05};
  const Advice advice{point, point, 0};
  const auto soft = [&](Purpose purpose, std::uint64_t seed) {
    return tally({model, space, {}, Goal(), seed}, {&advice, 1},
                 {.purpose = purpose, .samples = 100, .soft = true})[0]
        .soft_sum;
  };
  EXPECT_EQ(soft(Purpose::check, 1), soft(Purpose::check, 1));
  EXPECT_NE(soft(Purpose::check, 1), soft(Purpose::certify, 1));
  EXPECT_NE(soft(Purpose::check, 1), soft(Purpose::check, 2));
}

}  // namespace
}  // namespace croco
