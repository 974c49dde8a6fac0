// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/mlp.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"
#include "tests/golden.hpp"

namespace croco {
namespace {

using fixtures::message_of;

TEST(Mlp, GivesTheGoldenLogits) {
  for (const auto& entry : golden::list("models", "cases")) {
    const ModelFile file = golden::model(entry.at("model"));
    const Matrix points = golden::matrix(entry.at("points"));
    const Vector expected = golden::vector(entry.at("logits"));
    Vector found(points.count());
    file.model->logits(points.rows(), found);
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k], expected[k], 1e-12 * std::max(1.0, std::abs(expected[k])))
          << file.name << ", point " << k;
    }
  }
}

TEST(Mlp, GivesTheGoldenGradients) {
  const auto golden_file = golden::read("models");
  const double tolerance = golden_file.at("gradient_tolerance");
  for (const auto& entry : golden_file.at("cases")) {
    const ModelFile file = golden::model(entry.at("model"));
    const Matrix points = golden::matrix(entry.at("points"));
    const Vector logits = golden::vector(entry.at("logits"));
    for (std::size_t k = 0; k < points.count(); ++k) {
      const Vector expected = golden::vector(entry.at("gradients")[k]);
      Vector found(expected.size(), 99.0);
      const double logit = file.model->gradient()->logit_gradient(points[k], found);
      EXPECT_NEAR(logit, logits[k], 1e-12 * std::max(1.0, std::abs(logits[k])));
      for (std::size_t j = 0; j < found.size(); ++j) {
        EXPECT_NEAR(found[j], expected[j], tolerance * std::max(1.0, std::abs(expected[j])))
            << file.name << ", point " << k << ", column " << j;
      }
    }
  }
}

TEST(Mlp, AnswersDoNotDependOnTheBatch) {
  const Mlp model = fixtures::random_mlp({5, 9, 3}, Activation::gelu, 1);
  Matrix points(0, 5);
  points.append(fixtures::random_vector(5 * 200, 2));
  Vector whole(200);
  model.logits(points.rows(), whole);
  for (std::size_t k = 0; k < 200; ++k) EXPECT_EQ(model.logit(points[k]), whole[k]) << k;
  Vector part(70);
  model.logits(points.rows().slice(31, 70), part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 31));
}

TEST(Mlp, CountsItsParameters) {
  const Mlp model = fixtures::random_mlp({5, 9, 3}, Activation::relu, 1);
  EXPECT_EQ(model.width(), 5U);
  EXPECT_EQ(model.parameter_count(), 5U * 9 + 9 + 9 * 3 + 3 + 3 + 1);
  EXPECT_EQ(model.evaluator_bytes_per_draw(), 9 * sizeof(float));
}

std::string error_of(std::vector<DenseLayer> layers) {
  return message_of<ModelError>([&] { return Mlp(std::move(layers), Activation::relu); });
}

TEST(MlpErrors, NameTheLayer) {
  EXPECT_EQ(error_of({}), "the network has no layers; it needs at least 1");
  EXPECT_EQ(error_of({{2, 1, {1, 2, 3}, {0}}}),
            "layer 0: 3 weights and 1 biases do not make 1 outputs of 2 inputs");
  EXPECT_EQ(error_of({{2, 1, {1, 2}, {}}}),
            "layer 0: 2 weights and 0 biases do not make 1 outputs of 2 inputs");
  EXPECT_EQ(error_of({{0, 1, {}, {0}}}),
            "layer 0: 0 weights and 1 biases do not make 1 outputs of 0 inputs");
  EXPECT_EQ(error_of({{1, 2, {1, 2}, {0, 0}}, {3, 1, {1, 2, 3}, {0}}}),
            "layer 1 has 3 inputs; layer 0 has 2 outputs");
  EXPECT_EQ(error_of({{1, 2, {1, 2}, {0, 0}}}), "the last layer has 2 outputs; it must have 1");
  EXPECT_EQ(error_of({{1, 1, {std::numeric_limits<double>::quiet_NaN()}, {0}}}),
            "layer 0 has a weight that is not a finite number");
  EXPECT_EQ(error_of({{1, 1, {1}, {std::numeric_limits<double>::infinity()}}}),
            "layer 0 has a weight that is not a finite number");
}

TEST(Mlp, WeightsBeyondSinglePrecisionAreCountedInDouble) {
  // Two units of 1e45 that nearly cancel: infinity less infinity in single precision.
  const Mlp model({{1, 2, {1e20, 1e20}, {0, 1e10}}, {2, 1, {1e25, -1e25}, {5e34}}},
                  Activation::relu);
  Matrix draws(70, 1);
  draws.data = fixtures::random_vector(70, 5);
  const auto bound = model.bind(draws.rows());
  const Vector point{0.1};
  std::size_t exact = 0;
  for (const double draw : draws.data) exact += model.logit(Vector{0.1 + draw}) <= 0 ? 1U : 0U;
  ASSERT_GT(exact, 0U);
  ASSERT_LT(exact, 70U);
  std::size_t count = 0;
  std::vector<PointDraw> undecided;
  bound->count_failures({point, 1}, Cut{0}, {&count, 1}, &undecided);
  for (const PointDraw& one : undecided) {
    count += model.logit(Vector{0.1 + draws.data[one.draw]}) <= 0 ? 1U : 0U;
  }
  EXPECT_EQ(count, exact);
}

TEST(MlpErrors, SumsMustBeNumbers) {
  EXPECT_EQ(
      error_of({{1, 1, {1e295}, {0}}}),
      "the weights of the network are so large that its sums reach 1e+304; at most 1e+300 are "
      "allowed for inputs up to 1000000000");
}

}  // namespace
}  // namespace croco
