// SPDX-License-Identifier: Apache-2.0
#include <croco/optim/adam.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

/// The formula of the paper for one number, with explicit powers and in long double.
class Reference {
 public:
  explicit Reference(const AdamOptions& options) : options_(options) {}

  void step(double gradient, long double& x) {
    const long double b1 = options_.beta1;
    const long double b2 = options_.beta2;
    ++count_;
    m_ = b1 * m_ + (1 - b1) * gradient;
    v_ = b2 * v_ + (1 - b2) * gradient * gradient;
    largest_ = std::max(largest_, v_);
    const long double m_hat = m_ / (1 - std::pow(b1, count_));
    const long double v_hat = (options_.amsgrad ? largest_ : v_) / (1 - std::pow(b2, count_));
    x -= options_.learning_rate * m_hat / (std::sqrt(v_hat) + options_.epsilon);
  }

 private:
  AdamOptions options_;
  int count_ = 0;
  long double m_ = 0;
  long double v_ = 0;
  long double largest_ = 0;
};

TEST(Adam, FollowsTheFormula) {
  for (const bool amsgrad : {false, true}) {
    const AdamOptions options{
        .learning_rate = 0.03, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6, .amsgrad = amsgrad};
    Adam adam(2, options);
    Reference first(options);
    Reference second(options);
    Vector point{1.0, -2.0};
    long double x = 1.0;
    long double y = -2.0;
    for (std::uint64_t k = 0; k < 200; ++k) {
      // Gradients that shrink by much, so that the largest square is not the last.
      Vector gradient = fixtures::random_vector(2, k);
      for (double& value : gradient) value *= k < 20 ? 10.0 : 0.1;
      adam.step(gradient, point);
      first.step(gradient[0], x);
      second.step(gradient[1], y);
      ASSERT_NEAR(point[0], static_cast<double>(x), 1e-13) << k;
      ASSERT_NEAR(point[1], static_cast<double>(y), 1e-13) << k;
    }
  }
}

TEST(Adam, TakesAFirstStepOfTheLearningRate) {
  Adam adam(3, {.learning_rate = 0.01});
  Vector point{0, 0, 0};
  adam.step(Vector{5.0, -1e-3, 0.0}, point);
  EXPECT_NEAR(point[0], -0.01, 1e-10);
  EXPECT_NEAR(point[1], 0.01, 1e-6);
  EXPECT_EQ(point[2], 0.0);
}

TEST(Adam, AmsgradRemembersTheLargestGradient) {
  const auto moved_after_a_large_gradient = [](bool amsgrad) {
    Adam adam(1, {.learning_rate = 0.01, .beta2 = 0.9, .amsgrad = amsgrad});
    Vector point{0};
    adam.step(Vector{100.0}, point);
    for (int k = 0; k < 200; ++k) adam.step(Vector{0.0}, point);
    const double before = point[0];
    for (int k = 0; k < 50; ++k) adam.step(Vector{1.0}, point);
    return before - point[0];
  };
  EXPECT_GT(moved_after_a_large_gradient(false), 0.2);
  EXPECT_LT(moved_after_a_large_gradient(true), 0.02);
}

TEST(Adam, FindsTheBottomOfABowl) {
  for (const bool amsgrad : {false, true}) {
    Adam adam(2, {.learning_rate = 0.05, .amsgrad = amsgrad});
    Vector point{3, -4};
    for (int k = 0; k < 2000; ++k) {
      adam.step(Vector{2 * (point[0] - 1), 20 * (point[1] - 2)}, point);
    }
    EXPECT_NEAR(point[0], 1, 1e-3);
    EXPECT_NEAR(point[1], 2, 1e-3);
  }
}

}  // namespace
}  // namespace croco
