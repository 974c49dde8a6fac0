// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <croco/models/network/mlp.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::random_vector;

constexpr std::size_t kWidth = 5;
constexpr std::size_t kDraws = 150;  // two full blocks and a part of one

class MlpDraws : public ::testing::TestWithParam<std::tuple<Activation, std::size_t>> {
 protected:
  MlpDraws() {
    draws_.append(random_vector(kDraws * kWidth, 21));
    bound_ = model_.bind(draws_.rows());
  }

  static std::vector<std::size_t> units() {
    const std::vector<std::size_t> all{kWidth, 7, 6, 4};
    return {all.begin(), all.begin() + 1 + static_cast<int>(std::get<1>(GetParam()))};
  }

  [[nodiscard]] Vector moved(View point, std::size_t draw) const {
    Vector out(point.begin(), point.end());
    for (std::size_t j = 0; j < kWidth; ++j) out[j] += draws_[draw][j];
    return out;
  }

  Mlp model_ = fixtures::random_mlp(units(), std::get<0>(GetParam()), 20);
  Matrix draws_ = Matrix(0, kWidth);
  std::unique_ptr<DrawEvaluator> bound_;
  const Vector point_ = random_vector(kWidth, 22);
};

TEST_P(MlpDraws, LogitsAreThoseOfPointPlusDraw) {
  ASSERT_EQ(bound_->count(), kDraws);
  for (const double scale : {1.0, 40.0}) {
    Vector point = point_;
    for (double& value : point) value *= scale;
    std::vector<float> found(kDraws);
    bound_->logits(point, 0, found);
    for (std::size_t k = 0; k < kDraws; ++k) {
      const double expected = model_.logit(moved(point, k));
      ASSERT_NEAR(found[k], expected, 1e-5 * scale) << k;
    }
  }
}

TEST_P(MlpDraws, SlicesGiveTheBitsOfTheWhole) {
  std::vector<float> whole(kDraws);
  bound_->logits(point_, 0, whole);
  for (const std::size_t first : {0U, 1U, 63U, 64U, 65U, 100U, 128U, 149U}) {
    for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 65U, 129U}) {
      if (first + count > kDraws) continue;
      std::vector<float> part(count);
      bound_->logits(point_, first, part);
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_EQ(part[k], whole[first + k]) << first << " + " << k;
      }
    }
  }
}

TEST_P(MlpDraws, FewerDrawsBoundGiveTheSameBits) {
  std::vector<float> whole(kDraws);
  bound_->logits(point_, 0, whole);
  const auto part = model_.bind(draws_.rows().slice(30, 77));
  std::vector<float> found(77);
  part->logits(point_, 0, found);
  for (std::size_t k = 0; k < found.size(); ++k) ASSERT_EQ(found[k], whole[30 + k]) << k;
}

TEST_P(MlpDraws, GradientIsTheCentralDifference) {
  for (const auto& [first, count] :
       {std::pair<std::size_t, std::size_t>{0, kDraws}, {60, 10}, {149, 1}, {5, 128}}) {
    const Vector weights = random_vector(count, 23);
    const auto weighted = [&, begin = first](View point) {
      double sum = 0;
      for (std::size_t k = 0; k < weights.size(); ++k) {
        sum += weights[k] * model_.logit(moved(point, begin + k));
      }
      return sum;
    };
    // A small step keeps draws from crossing a kink between the two sides of the difference.
    const Vector expected = fixtures::central_difference(weighted, point_, 1e-7);
    Vector found(kWidth, 0.0);
    bound_->add_gradient(point_, first, fixtures::floats(weights), found);
    for (std::size_t j = 0; j < kWidth; ++j) {
      EXPECT_NEAR(found[j], expected[j], 1e-5 * std::max(1.0, std::abs(expected[j]))) << first;
    }
  }
}

TEST_P(MlpDraws, GradientIsTheSumOfTheModelsGradients) {
  const Vector weights = random_vector(kDraws, 24);
  Vector expected{1, 2, 3, 4, 5};
  Vector found = expected;  // it is added to
  Vector gradient(kWidth);
  for (std::size_t k = 0; k < kDraws; ++k) {
    model_.gradient()->logit_gradient(moved(point_, k), gradient);
    for (std::size_t j = 0; j < kWidth; ++j) expected[j] += weights[k] * gradient[j];
  }
  bound_->add_gradient(point_, 0, fixtures::floats(weights), found);
  for (std::size_t j = 0; j < kWidth; ++j) EXPECT_NEAR(found[j], expected[j], 1e-4);
}

TEST_P(MlpDraws, CountsExactlyOnceTheUndecidedAreEvaluated) {
  Matrix points(0, kWidth);
  for (std::uint64_t seed = 0; seed < 11; ++seed) points.append(random_vector(kWidth, 40 + seed));
  // Thresholds in the middle of the logits, one of them the very logit of a draw.
  const double tie = model_.logit(moved(points[0], 70));
  for (const Cut cut : {Cut{0.0}, Cut{0.3}, Cut{tie}, Cut{0.3, false}, Cut{tie, false}}) {
    std::vector<std::size_t> quick(points.count());
    std::vector<std::size_t> exact(points.count());
    std::vector<PointDraw> undecided;
    bound_->count_failures(points.rows(), cut, quick, nullptr);
    bound_->count_failures(points.rows(), cut, exact, &undecided);
    EXPECT_TRUE(std::ranges::is_sorted(undecided));
    EXPECT_LE(undecided.size(), points.count() * kDraws / 50);
    for (const PointDraw& one : undecided) {
      if (!cut.clears(model_.logit(moved(points[one.point], one.draw)))) ++exact[one.point];
    }
    for (std::size_t p = 0; p < points.count(); ++p) {
      std::size_t expected = 0;
      for (std::size_t k = 0; k < kDraws; ++k) {
        expected += cut.clears(model_.logit(moved(points[p], k))) ? 0U : 1U;
      }
      EXPECT_EQ(exact[p], expected) << p;
      EXPECT_NEAR(static_cast<double>(quick[p]), static_cast<double>(expected), 1) << p;
    }
  }
}

TEST_P(MlpDraws, CountsOfAPointDoNotDependOnTheOthers) {
  Matrix points(0, kWidth);
  for (std::uint64_t seed = 0; seed < 7; ++seed) points.append(random_vector(kWidth, 60 + seed));
  std::vector<std::size_t> together(points.count());
  bound_->count_failures(points.rows(), Cut{0.1}, together, nullptr);
  for (std::size_t p = 0; p < points.count(); ++p) {
    std::size_t alone = 0;
    bound_->count_failures(points.rows().slice(p, 1), Cut{0.1}, {&alone, 1}, nullptr);
    EXPECT_EQ(alone, together[p]) << p;
  }
}

TEST_P(MlpDraws, WithoutDrawsNothingHappens) {
  const auto none = model_.bind(Rows{{}, kWidth});
  EXPECT_EQ(none->count(), 0U);
  Vector gradient(kWidth, 1.0);
  none->logits(point_, 0, {});
  none->add_gradient(point_, 0, {}, gradient);
  EXPECT_EQ(gradient, Vector(kWidth, 1.0));
  std::size_t count = 3;
  none->count_failures({point_, kWidth}, Cut{0}, {&count, 1}, nullptr);
  EXPECT_EQ(count, 3U);
}

/// Units that are off for every draw, and a point at which all of them are.
TEST_P(MlpDraws, DeadUnitsChangeNothing) {
  std::vector<DenseLayer> layers = model_.layers();
  for (const double off : {-50.0, -1e6}) {
    for (std::size_t u = 0; u < layers[0].outputs; ++u) {
      if (layers.size() > 1 && (off < -100 || u % 2 == 0)) layers[0].bias[u] = off;
    }
    const Mlp model(layers, std::get<0>(GetParam()));
    const auto bound = model.bind(draws_.rows());
    std::vector<float> found(kDraws);
    bound->logits(point_, 0, found);
    std::size_t count = 0;
    std::vector<PointDraw> undecided;
    bound->count_failures({point_, kWidth}, Cut{0.05}, {&count, 1}, &undecided);
    std::size_t expected = 0;
    for (std::size_t k = 0; k < kDraws; ++k) {
      const double logit = model.logit(moved(point_, k));
      ASSERT_NEAR(found[k], logit, 1e-4 * std::max(1.0, std::abs(logit))) << off;
      expected += logit <= 0.05 ? 1U : 0U;
    }
    for (const PointDraw& one : undecided) {
      count += model.logit(moved(point_, one.draw)) <= 0.05 ? 1U : 0U;
    }
    EXPECT_EQ(count, expected) << off;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, MlpDraws,
    ::testing::Combine(::testing::Values(Activation::relu, Activation::leaky_relu, Activation::tanh,
                                         Activation::sigmoid, Activation::elu, Activation::gelu),
                       ::testing::Values(0U, 1U, 2U, 3U)),
    [](const auto& test) {
      return std::string(name_of(std::get<0>(test.param))) + "_depth_" +
             std::to_string(std::get<1>(test.param));
    });

}  // namespace
}  // namespace croco
