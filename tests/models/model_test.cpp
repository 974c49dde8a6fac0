// SPDX-License-Identifier: Apache-2.0
#include <croco/models/model.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::PlainModel;
using fixtures::random_mlp;
using fixtures::random_vector;

TEST(Sigmoid, DoesNotOverflow) {
  EXPECT_EQ(sigmoid(0.0), 0.5);
  EXPECT_EQ(sigmoid(1000.0), 1.0);
  EXPECT_EQ(sigmoid(-1000.0), 0.0);
  EXPECT_EQ(sigmoid(std::numeric_limits<double>::infinity()), 1.0);
  EXPECT_NEAR(sigmoid(-40.0), std::exp(-40.0), 1e-30);
}

TEST(LogitOf, InvertsTheSigmoid) {
  for (const double p : {1e-12, 0.01, 0.3, 0.5, 0.9, 0.999}) {
    EXPECT_NEAR(sigmoid(logit_of(p)), p, 1e-15) << p;
  }
}

TEST(Model, BindsDrawsByAddingThem) {
  const Mlp network = random_mlp({3, 4}, Activation::tanh, 1);
  const PlainModel model(network, true);
  // More draws than one internal block, and a width of its own.
  const Vector draws = random_vector(600 * 3, 2);
  const auto bound = model.bind({draws, 3});
  ASSERT_EQ(bound->count(), 600U);
  const Vector point{0.1, -0.4, 0.7};
  std::vector<float> found(590);
  bound->logits(point, 10, found);
  for (std::size_t k = 0; k < found.size(); ++k) {
    Vector moved = point;
    for (std::size_t j = 0; j < 3; ++j) moved[j] += draws[(10 + k) * 3 + j];
    ASSERT_EQ(found[k], static_cast<float>(network.logit(moved))) << k;
  }
}

TEST(Model, AddsTheWeightedGradientsOfBoundDraws) {
  const Mlp network = random_mlp({3, 4}, Activation::tanh, 1);
  const Vector draws = random_vector(50 * 3, 3);
  const std::vector<float> weights = fixtures::floats(random_vector(40, 4));
  const Vector point{0.1, -0.4, 0.7};
  Vector plain{1, 2, 3};
  Vector own{1, 2, 3};
  PlainModel(network, true).bind({draws, 3})->add_gradient(point, 5, weights, plain);
  network.bind({draws, 3})->add_gradient(point, 5, weights, own);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(plain[j], own[j], 1e-5);
}

TEST(Model, SaysThatItHasNoGradient) {
  const Mlp network = random_mlp({2}, Activation::relu, 1);
  const PlainModel model(network, false);
  EXPECT_EQ(model.gradient(), nullptr);
  const auto bound = model.bind({Vector{0, 0}, 2});
  EXPECT_EQ(fixtures::message_of<ModelError>([&] {
              Vector gradient(2);
              bound->add_gradient(Vector{0, 0}, 0, std::vector<float>{1}, gradient);
              return 0;
            }),
            "this model has no gradient");
}

}  // namespace
}  // namespace croco
