// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/activation.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

constexpr Activation kAll[] = {Activation::relu,    Activation::leaky_relu, Activation::tanh,
                               Activation::sigmoid, Activation::elu,        Activation::gelu};

TEST(Activation, NamesReadBack) {
  for (const Activation activation : kAll) {
    EXPECT_EQ(parse_activation(name_of(activation)), activation);
  }
  EXPECT_EQ(name_of(Activation::leaky_relu), "leaky_relu");
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([] { return parse_activation("swish"); }),
            "activation is 'swish'; it must be relu, leaky_relu, tanh, sigmoid, elu or gelu");
}

TEST(Activation, ValuesAreTheDefinitions) {
  EXPECT_EQ(activate(Activation::relu, 1.5), 1.5);
  EXPECT_EQ(activate(Activation::relu, -1.5), 0.0);
  EXPECT_EQ(activate(Activation::leaky_relu, 1.5), 1.5);
  EXPECT_DOUBLE_EQ(activate(Activation::leaky_relu, -1.5), -0.015);
  EXPECT_DOUBLE_EQ(activate(Activation::tanh, 0.5), std::tanh(0.5));
  EXPECT_DOUBLE_EQ(activate(Activation::sigmoid, std::log(3.0)), 0.75);
  EXPECT_EQ(activate(Activation::elu, 1.5), 1.5);
  EXPECT_DOUBLE_EQ(activate(Activation::elu, -1.0), std::exp(-1.0) - 1);
  // x Phi(x), not the tanh approximation, which differs in the fourth digit.
  EXPECT_NEAR(activate(Activation::gelu, 1.0), 0.841344746068543, 1e-14);
  EXPECT_NEAR(activate(Activation::gelu, -2.0), -0.0455002638963584, 1e-14);
}

TEST(Activation, SlopesAreTheDerivatives) {
  constexpr double kStep = 1e-6;
  for (const Activation activation : kAll) {
    for (double x = -5.05; x < 5; x += 0.3) {
      const double slope =
          (activate(activation, x + kStep) - activate(activation, x - kStep)) / (2 * kStep);
      EXPECT_NEAR(activation_slope(activation, x), slope, 1e-8) << name_of(activation) << " " << x;
    }
  }
}

TEST(Activation, SlopeAtTheKinkIsTheOneBelow) {
  EXPECT_EQ(activation_slope(Activation::relu, 0.0), 0.0);
  EXPECT_EQ(activation_slope(Activation::leaky_relu, 0.0), kLeakySlope);
  EXPECT_EQ(activation_slope(Activation::elu, 0.0), 1.0);
}

TEST(Activation, IsFiniteFarOut) {
  for (const Activation activation : kAll) {
    for (const double x : {-1e6, -800.0, 800.0, 1e6}) {
      EXPECT_TRUE(std::isfinite(activate(activation, x))) << name_of(activation) << " " << x;
      EXPECT_TRUE(std::isfinite(activation_slope(activation, x)))
          << name_of(activation) << " " << x;
    }
  }
}

}  // namespace
}  // namespace croco
