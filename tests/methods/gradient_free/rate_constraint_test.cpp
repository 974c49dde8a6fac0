// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/gradient_free/rate_constraint.hpp>

#include <array>
#include <cmath>

#include <gmock/gmock.h>

#include <croco/base/normal.hpp>
#include <croco/methods/noisy_margins.hpp>
#include <croco/robustness/invalidation.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

/// The slope of the rate is known for a linear model: `-phi(h) w_j / (sd |w|)` for Gaussian noise;
/// for the others central differences on many other draws.
TEST(SlowNoisyMargins, SlopesOfTheRateAgreeWithDifferences) {
  const Mlp model = fixtures::logistic({1.0, -2.0, 0.5}, -0.2);
  const Space space = fixtures::free_space(3);
  const Vector point{0.3, 0.1, 0.2};
  for (const Noise& noise :
       {Noise{.scale = 0.2}, Noise{.shape = NoiseShape::laplace, .scale = 0.2},
        Noise{.shape = NoiseShape::student_t, .scale = 0.2, .degrees_of_freedom = 4},
        Noise{.shape = NoiseShape::uniform, .scale = 0.3}, Noise{.scale = 0.2, .falls_short = true},
        Noise{.column_scales = {0.2, 0.2, 0.0}}}) {
    const Problem problem{model, space, noise, Goal(), 3, true};
    const NoisyMargins noisy(problem, {3, Purpose::search, 0}, 320'000, Slopes::from_answers);
    Vector margins(noisy.count());
    const Vector origin(3, 0.0);
    noisy.margins(origin, point, margins);
    const Vector slope = noisy.share_gradient(origin, point, margins, 0.0);
    const auto rate = [&](View at) {
      const Advice advice{origin, at, 0};
      return tally(problem, {&advice, 1}, {.samples = 200'000})[0].rate();
    };
    const Vector expected = fixtures::central_difference(rate, point, 0.02);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(slope[j], expected[j], 0.06 + 0.03 * std::abs(expected[j]))
          << noise_text(noise) << " column " << j;
    }
  }
}

TEST(NoisyMargins, OrderStatisticsMoveAsTheAnswersSay) {
  const Mlp model = fixtures::random_mlp({4, 16}, Activation::relu, 8);
  const Space space = fixtures::free_space(4);
  const Problem problem{model, space, Noise{.scale = 0.2}, Goal(), 3, true};
  const Stream stream{3, Purpose::search, 0};
  const NoisyMargins by_model(problem, stream, 20'000, Slopes::from_model);
  const NoisyMargins by_answers(problem, stream, 20'000, Slopes::from_answers);
  const Vector point{0.3, -0.2, 0.1, 0.4};
  Vector margins(by_model.count());
  by_model.margins(point, point, margins);
  const ConstraintValue expected = by_model.order_statistic(point, point, margins, 2000);
  const ConstraintValue answered = by_answers.order_statistic(point, point, margins, 2000);
  EXPECT_EQ(answered.value, expected.value);
  double largest = 0;
  for (const double slope : expected.gradient) largest = std::max(largest, std::abs(slope));
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(answered.gradient[j], expected.gradient[j], 0.15 * largest) << j;
  }
}

TEST(RateConstraint, IsLinearForALinearModelEvenWhereNoDrawSeesIt) {
  const Mlp model = fixtures::logistic({2.0, -1.0}, -1.0);
  const Space space = fixtures::free_space(2);
  const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 3, true};
  const NoisyMargins noisy(problem, {3, Purpose::search, 0}, 8192, Slopes::from_answers);
  const ChangeProblem changes{{{-9, 9}, {-9, 9}}, {1, 1}};
  const Vector origin{0.0, 0.0};
  RowBudget budget{.most = 1'000'000'000};
  RateConstraint rate(problem, noisy, origin, changes, noisy.count(), 0.05, budget);
  const double deviation = 0.1 * std::sqrt(5.0);
  for (const double x : {-0.5, 0.0, 0.3, 0.5, 0.6, 1.0, 1.5}) {
    const ConstraintValue at = rate.evaluate(Vector{x, 0.0});
    const double h = (2 * x - 1) / deviation;
    EXPECT_NEAR(at.value, h - normal_quantile(0.95), 0.05 + 0.1 * std::abs(h)) << x;
    EXPECT_NEAR(at.gradient[0], 2 / deviation, 0.2 * 2 / deviation) << x;
    EXPECT_NEAR(at.gradient[1], -1 / deviation, 0.2 * 2 / deviation) << x;
  }
  ASSERT_NE(rate.cheapest(), nullptr);
  EXPECT_EQ(rate.cheapest()->change, (Vector{1.0, 0.0}));
}

TEST(RateConstraint, HasNoSlopeWhenTheBudgetIsSpent) {
  const Mlp model = fixtures::logistic({2.0, -1.0}, -1.0);
  const Space space = fixtures::free_space(2);
  const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 3, true};
  const NoisyMargins noisy(problem, {3, Purpose::search, 0}, 512, Slopes::from_answers);
  const ChangeProblem changes{{{-9, 9}, {-9, 9}}, {1, 1}};
  RowBudget budget{.most = 100};
  const Vector origin{0.0, 0.0};
  RateConstraint rate(problem, noisy, origin, changes, 512, 0.05, budget);
  EXPECT_NE(rate.evaluate(Vector{0.5, 0.0}).gradient, (Vector{0, 0}));
  EXPECT_EQ(rate.evaluate(Vector{0.5, 0.0}).gradient, (Vector{0, 0}));
}

}  // namespace
}  // namespace croco
