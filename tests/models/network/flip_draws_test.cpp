// SPDX-License-Identifier: Apache-2.0
// Draws with flips, bound to models of every kind, against re-encoded copies of the point.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <croco/models/network/mlp.hpp>
#include <croco/noise/sample.hpp>

#include "tests/fixtures.hpp"
#include "tests/flips.hpp"

namespace croco {
namespace {

constexpr Stream kStream{8, Purpose::evaluate, 3};

struct Kind {
  std::string name;
  std::vector<std::size_t> hidden;
  Activation activation = Activation::relu;
  bool plain = false;        ///< through the interface alone
  double flip = 0.05;        ///< how often each category is got wrong
  std::size_t draws = 3000;  ///< large enough for groups of their own, and for loose draws
};

class FlipDraws : public ::testing::TestWithParam<Kind> {
 protected:
  FlipDraws() {
    Matrix draws(GetParam().draws, space_.width());
    sample(noise_, scoped_scales(noise_, space_), kStream, 0, draws);
    bound_ = model().bind_flips(draws.rows(), sample_flips(noise_, kStream, 0, draws.count()));
  }

  [[nodiscard]] const Model& model() const {
    return GetParam().plain ? static_cast<const Model&>(plain_) : network_;
  }
  [[nodiscard]] std::vector<std::size_t> units() const {
    std::vector<std::size_t> out{space_.width()};
    out.insert(out.end(), GetParam().hidden.begin(), GetParam().hidden.end());
    return out;
  }
  [[nodiscard]] Vector copy(View point, std::size_t draw) const {
    return fixtures::noisy_copy(noise_, space_, kStream, draw, point);
  }

  Space space_ = fixtures::mixed_space(4, {2, 4, 3, 5, 3});
  Noise noise_{.scale = 0.2,
               .scope = NoiseScope::continuous,
               .flips = fixtures::random_flips(space_, GetParam().flip, 2)};
  Mlp network_ = fixtures::random_mlp(units(), GetParam().activation, 30);
  fixtures::PlainModel plain_{network_, true};
  std::unique_ptr<DrawEvaluator> bound_;
};

TEST_P(FlipDraws, LogitsAreThoseOfReencodedCopies) {
  ASSERT_EQ(bound_->count(), GetParam().draws);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Vector point = fixtures::random_person(space_, seed);
    std::vector<float> found(GetParam().draws);
    bound_->logits(point, 0, found);
    for (std::size_t k = 0; k < found.size(); ++k) {
      ASSERT_NEAR(found[k], network_.logit(copy(point, k)), 2e-5) << k;
    }
    std::vector<float> window(77);
    bound_->logits(point, 130, window);
    EXPECT_TRUE(std::equal(window.begin(), window.end(), found.begin() + 130));
  }
}

TEST_P(FlipDraws, SettledFlipsAreTheSameDraws) {
  const Vector point = fixtures::random_person(space_, 9);
  const auto fixed = bound_->fixed_at(point);
  ASSERT_NE(fixed, nullptr);
  EXPECT_EQ(fixed->fixed_at(point), nullptr);
  Vector moved = point;
  for (std::size_t j = 0; j < 4; ++j) moved[j] += 0.1;  // other numbers, the same levels
  std::vector<float> found(GetParam().draws);
  std::vector<float> expected(GetParam().draws);
  fixed->logits(moved, 0, found);
  bound_->logits(moved, 0, expected);
  for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], expected[k], 2e-5) << k;
  const std::vector<float> weights = fixtures::floats(fixtures::random_vector(300, 4));
  Vector one(space_.width());
  Vector other(space_.width());
  fixed->add_gradient(moved, 40, weights, one);
  bound_->add_gradient(moved, 40, weights, other);
  for (std::size_t j = 0; j < one.size(); ++j) EXPECT_NEAR(one[j], other[j], 1e-3) << j;
}

TEST_P(FlipDraws, GradientIsTheSumOverCopies) {
  const Vector point = fixtures::random_person(space_, 5);
  const Vector weights = fixtures::random_vector(400, 6);
  Vector expected(space_.width());
  Vector slope(space_.width());
  for (std::size_t k = 0; k < weights.size(); ++k) {
    network_.gradient()->logit_gradient(copy(point, 50 + k), slope);
    for (std::size_t j = 0; j < slope.size(); ++j) expected[j] += weights[k] * slope[j];
  }
  Vector found(space_.width(), 1.0);
  bound_->add_gradient(point, 50, fixtures::floats(weights), found);
  for (std::size_t j = 0; j < found.size(); ++j) EXPECT_NEAR(found[j], 1 + expected[j], 2e-3) << j;
}

TEST_P(FlipDraws, CountsWithWhatIsUndecidedAreExact) {
  Matrix points(0, space_.width());
  for (std::uint64_t seed = 20; seed < 29; ++seed) {
    points.append(fixtures::random_person(space_, seed));
  }
  // A threshold that a copy has to the bit, where the tie must be decided in double, and one
  // beside.
  for (const auto& [shift, above] : {std::pair(0.0, true), {1e-3, true}, {0.0, false}}) {
    const Cut cut{network_.logit(copy(points[3], 17)) + shift, above};
    std::vector<std::size_t> counts(points.count());
    std::vector<PointDraw> undecided;
    bound_->count_failures(points.rows(), cut, counts, &undecided);
    EXPECT_TRUE(std::ranges::is_sorted(undecided));
    for (const PointDraw& one : undecided) {
      if (!cut.clears(network_.logit(copy(points[one.point], one.draw)))) ++counts[one.point];
    }
    std::vector<std::size_t> quick(points.count());
    bound_->count_failures(points.rows(), cut, quick, nullptr);
    for (std::size_t p = 0; p < points.count(); ++p) {
      std::size_t expected = 0;
      for (std::size_t k = 0; k < GetParam().draws; ++k) {
        if (!cut.clears(network_.logit(copy(points[p], k)))) ++expected;
      }
      EXPECT_EQ(counts[p], expected) << p;
      if (shift == 0) continue;
      EXPECT_NEAR(static_cast<double>(quick[p]), static_cast<double>(expected), 3) << p;
    }
    if (shift == 0) continue;
    EXPECT_LT(undecided.size(), points.count() * GetParam().draws / 100);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, FlipDraws,
    ::testing::Values(
        Kind{"shallow", {30}}, Kind{"shallow_often", {30}, Activation::relu, false, 0.4},
        Kind{"shallow_rare", {13}, Activation::relu, false, 0.001}, Kind{"one_unit", {1}},
        Kind{"few_draws", {9}, Activation::relu, false, 0.05, 450}, Kind{"linear", {}},
        Kind{"deep", {20, 10}}, Kind{"tanh", {12}, Activation::tanh},
        Kind{"interface", {10}, Activation::relu, true}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace croco
