// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/noise_bank.hpp>

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

constexpr std::size_t kDraws = 100;
constexpr std::uint64_t kFirst = 37;
constexpr Stream kStream{3, Purpose::search, 1};

struct Kind {
  std::string name;
  Noise noise;
};

class NoiseBankTest : public ::testing::TestWithParam<Kind> {
 protected:
  NoiseBankTest() {
    space_.columns[3].movement = Movement::fixed;
    space_.columns[3].continuous = false;
  }

  /// Draw k of the bank as noise around `point`, from the parts that the bank is made of.
  [[nodiscard]] Vector around(View point, std::size_t k) const {
    Matrix draw(1, 4);
    sample(problem_.noise, scoped_scales(problem_.noise, space_), kStream, kFirst + k, draw);
    fit_to_point(problem_.noise, origin_, point, draw[0]);
    Vector out(point.begin(), point.end());
    for (std::size_t j = 0; j < 4; ++j) out[j] += draw[0][j];
    return out;
  }

  Mlp model_ = fixtures::random_mlp({4, 6}, Activation::tanh, 50);
  Space space_ = fixtures::free_space(4);
  Problem problem_{model_, space_, GetParam().noise, Goal()};
  const Vector origin_{0.1, 0.2, 0.3, 1.0};
  const Vector point_{0.6, -0.4, 0.3, 1.0};  // up, down, stays, fixed
};

TEST_P(NoiseBankTest, LaysItsDrawsAroundThePoint) {
  const NoiseBank bank(problem_, kStream, kFirst, kDraws);
  ASSERT_EQ(bank.count(), kDraws);
  for (const auto& [first, count] :
       {std::pair<std::size_t, std::size_t>{0, kDraws}, {60, 40}, {99, 1}}) {
    std::vector<float> found(count);
    bank.logits(origin_, point_, first, found);
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_NEAR(found[k], model_.logit(around(point_, first + k)), 1e-6) << first + k;
    }
  }
}

TEST_P(NoiseBankTest, GradientIsTheCentralDifference) {
  const NoiseBank bank(problem_, kStream, kFirst, kDraws);
  const Vector weights = fixtures::random_vector(30, 51);
  // The draws are those of the point itself: the difference must not turn a column that stays into
  // one that changes.
  const auto weighted = [&](View at) {
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      Vector moved = around(point_, 20 + k);
      for (std::size_t j = 0; j < 4; ++j) moved[j] += at[j] - point_[j];
      sum += weights[k] * model_.logit(moved);
    }
    return sum;
  };
  const Vector expected = fixtures::central_difference(weighted, point_);
  Vector found(4, 1.0);
  bank.add_gradient(origin_, point_, 20, fixtures::floats(weights), found);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(found[j], 1 + expected[j], 1e-5) << j;
}

INSTANTIATE_TEST_SUITE_P(
    Noises, NoiseBankTest,
    ::testing::Values(Kind{"all", {.scale = 0.3}},
                      Kind{"movable", {.scale = 0.3, .scope = NoiseScope::movable}},
                      Kind{"changed", {.scale = 0.3, .scope = NoiseScope::changed}},
                      Kind{"one_sided", {.scale = 0.3, .falls_short = true}},
                      Kind{"changed_one_sided",
                           {.shape = NoiseShape::laplace,
                            .column_scales = {0.1, 0.2, 0.3, 0.4},
                            .scope = NoiseScope::changed,
                            .falls_short = true}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace croco
