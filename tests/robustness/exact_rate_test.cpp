// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/exact_rate.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <croco/base/bounds.hpp>
#include <croco/robustness/certify.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

struct Setting {
  double threshold;
  int wanted;
  Noise noise;
};

class ExactRateOf : public testing::TestWithParam<Setting> {};

/// A million draws exclude a rate that is wrong by more than about five of their standard errors.
TEST_P(ExactRateOf, IsWhatDrawsShow) {
  const Mlp model = fixtures::logistic({1.5, -0.75, 2.0}, -0.4);
  Space space = fixtures::free_space(3);
  space.columns[2].continuous = false;
  space.columns[1].movement = Movement::fixed;
  const Problem problem{model, space, GetParam().noise,
                        Goal(GetParam().threshold, GetParam().wanted), 5};
  ASSERT_TRUE(has_exact_rate(problem));
  const LinearMargin margin = linear_margin(problem);
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const Vector point = fixtures::random_vector(3, seed);
    const ExactRate exact = exact_rate(problem, margin, point);
    const Advice advice{point, point, 0};
    const Tally seen = tally(problem, {&advice, 1},
                             {.purpose = Purpose::evaluate, .samples = 1'000'000, .threads = 2})[0];
    EXPECT_GE(exact.rate, clopper_pearson_lower(seen.invalid, seen.samples, 1 - 1e-7));
    EXPECT_LE(exact.rate, clopper_pearson_upper(seen.invalid, seen.samples, 1 - 1e-7));
    EXPECT_GT(seen.invalid, 0U) << "a rate that says something";
    EXPECT_LT(seen.invalid, seen.samples);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, ExactRateOf,
    testing::Values(Setting{0.5, 1, {.scale = 0.4}}, Setting{0.5, 0, {.scale = 0.4}},
                    Setting{0.3, 1, {.scale = 0.5, .scope = NoiseScope::continuous}},
                    Setting{0.6, 0, {.scale = 0.5, .scope = NoiseScope::movable}},
                    Setting{0.5, 1, {.column_scales = {0.1, 2.0, 0.3}}}));

TEST(ExactRate, HasAnUpperEndThatCoversRounding) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Vector weights = fixtures::random_vector(30, seed, -1e3, 1e3);
    const Vector point = fixtures::random_vector(30, seed + 1000);
    // Terms of 1e3 that cancel to about 1: hard for a sum of doubles.
    long double sum = 0;
    for (std::size_t j = 0; j < 30; ++j) {
      sum += static_cast<long double>(weights[j]) * static_cast<long double>(point[j]);
    }
    const auto bias = static_cast<double>(1 - sum);
    const Mlp model = fixtures::logistic(weights, bias);
    const Space space = fixtures::free_space(30);
    const Problem problem{model, space, {.scale = 1e-4}, Goal(), 0};
    const LinearMargin margin = linear_margin(problem);
    const long double standardised =
        (sum + static_cast<long double>(bias)) / static_cast<long double>(margin.spread);
    const long double truth = std::erfc(standardised / std::sqrt(2.0L)) / 2;
    const ExactRate exact = exact_rate(problem, margin, point);
    EXPECT_GE(static_cast<long double>(exact.upper), truth);
    EXPECT_LE(exact.upper, static_cast<double>(truth) * (1 + 1e-7));
    EXPECT_GE(exact.upper, exact.rate);
  }
}

/// Squares of such weights are 0: the spread must not be.
TEST(ExactRate, DoesNotLoseTinyWeights) {
  for (const double size : {1e-150, 1e-170, 1e-250}) {
    const Mlp model = fixtures::logistic({3 * size, -4 * size}, 5 * size);
    const Space space = fixtures::free_space(2);
    const Problem problem{model, space, {.scale = 2.0}, Goal(), 0};
    ASSERT_TRUE(has_exact_rate(problem));
    const ExactRate exact = exact_rate(problem, linear_margin(problem), Vector{0, 0});
    EXPECT_NEAR(exact.rate, std::erfc(0.5 / std::sqrt(2.0)) / 2, 1e-14) << size;
    EXPECT_GE(exact.upper, exact.rate);
  }
}

/// Beyond the range of doubles draws are counted instead.
TEST(ExactRate, IsNotForWhatDoublesCannotHold) {
  const Space space = fixtures::free_space(1);
  for (const auto& [weight, scale] :
       {std::pair(1e-290, 1.0), {1e-200, 1e-200}, {1e-300, 1e-20}, {1e285, 1e50}}) {
    const Mlp model = fixtures::logistic({weight}, 0.0);
    const Problem problem{model, space, {.scale = scale}, Goal(), 0};
    EXPECT_FALSE(has_exact_rate(problem)) << weight;
  }
}

/// Columns that all but repeat each other, and weights that look at the difference.
TEST(ExactRate, KeepsTheRemainderOfACovariance) {
  const Space space = fixtures::free_space(2);
  for (const double left : {1e-8, 1e-10, 1e-12, 1e-14, 0x1p-52}) {
    const double rho = 1 - left;
    Matrix matrix(2, 2);
    matrix.data = {1, rho, rho, 1};
    const double spread = std::sqrt(2 * (1 - rho));
    // The difference is off by 0.18 of its standard deviation: 43 % fail.
    const Mlp model = fixtures::logistic({1 / spread, -1 / spread}, 0.18);
    const Problem problem{
        model, space,
        Noise{.shape = NoiseShape::correlated, .covariance = Covariance({0, 1}, matrix)}, Goal(),
        0};
    ASSERT_TRUE(has_exact_rate(problem));
    const LinearMargin margin = linear_margin(problem);
    const ExactRate exact = exact_rate(problem, margin, Vector{0, 0});
    const double truth = std::erfc(0.18 / std::sqrt(2.0)) / 2;
    EXPECT_GE(exact.upper, truth) << left;
    EXPECT_NEAR(exact.rate, truth, 1e-6) << left;
    if (left > 1e-13) {
      EXPECT_NEAR(exact.upper, truth, 0.01) << left;
    }
    // Draws say the same.
    const Vector point{0, 0};
    const Advice advice{point, point, 0};
    const Tally seen =
        tally(problem, {&advice, 1}, {.purpose = Purpose::evaluate, .samples = 20'000})[0];
    EXPECT_GE(truth, clopper_pearson_lower(seen.invalid, seen.samples, 1 - 1e-7)) << left;
    EXPECT_LE(truth, clopper_pearson_upper(seen.invalid, seen.samples, 1 - 1e-7)) << left;
  }
}

TEST(ExactRate, WithoutNoiseIsTheAnswerItself) {
  const Mlp model = fixtures::logistic({1.0}, 0.0);
  const Space space = fixtures::free_space(1);
  for (const int wanted : {0, 1}) {
    const Problem problem{model, space, {.scale = 0}, Goal(0.5, wanted), 0};
    const LinearMargin margin = linear_margin(problem);
    for (const double x : {-1.0, 0.0, 1.0}) {
      const bool reached = problem.goal.reached(x);
      EXPECT_EQ(exact_rate(problem, margin, Vector{x}).upper, reached ? 0.0 : 1.0);
      EXPECT_EQ(exact_rate(problem, margin, Vector{x}).rate, reached ? 0.0 : 1.0);
    }
  }
}

TEST(ExactRate, AppliesToLinearModelsUnderTwoSidedGaussianNoiseOnly) {
  const Mlp linear = fixtures::logistic({1.0, 2.0}, 0.0);
  const Mlp hidden = fixtures::random_mlp({2, 3}, Activation::relu, 1);
  const fixtures::PlainModel unknown(linear, true);
  const Space space = fixtures::free_space(2);
  const auto applies = [&](const Model& model, const Noise& noise) {
    return has_exact_rate(Problem{model, space, noise, Goal(), 0});
  };
  EXPECT_TRUE(applies(linear, {}));
  EXPECT_FALSE(applies(hidden, {}));
  EXPECT_FALSE(applies(unknown, {})) << "what it does inside is not known";
  EXPECT_FALSE(applies(linear, {.shape = NoiseShape::uniform}));
  EXPECT_FALSE(applies(linear, {.shape = NoiseShape::laplace}));
  EXPECT_FALSE(applies(linear, {.shape = NoiseShape::student_t}));
  EXPECT_FALSE(applies(linear, {.scope = NoiseScope::changed}));
  EXPECT_FALSE(applies(linear, {.falls_short = true}));
}

}  // namespace
}  // namespace croco
