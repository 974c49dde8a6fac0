// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/activation.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/models/model.hpp>

namespace croco {
namespace {

constexpr std::array<std::string_view, 6> kNames{"relu",    "leaky_relu", "tanh",
                                                 "sigmoid", "elu",        "gelu"};

}  // namespace

std::string_view name_of(Activation activation) noexcept {
  return kNames[static_cast<std::size_t>(activation)];
}

Activation parse_activation(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) {
    throw InvalidArgument(fmt::format(
        "activation is '{}'; it must be relu, leaky_relu, tanh, sigmoid, elu or gelu", text));
  }
  return static_cast<Activation>(found - kNames.begin());
}

double activate(Activation activation, double x) noexcept {
  switch (activation) {
    case Activation::relu:
      return x <= 0 ? 0 : x;  // NaN stays NaN
    case Activation::leaky_relu:
      return x > 0 ? x : kLeakySlope * x;
    case Activation::tanh:
      return std::tanh(x);
    case Activation::sigmoid:
      return sigmoid(x);
    case Activation::elu:
      return x > 0 ? x : std::expm1(x);
    case Activation::gelu:
      return x * normal_cdf(x);
  }
  return x;
}

double activation_slope(Activation activation, double x) noexcept {
  switch (activation) {
    case Activation::relu:
      return x > 0 ? 1 : 0;
    case Activation::leaky_relu:
      return x > 0 ? 1 : kLeakySlope;
    case Activation::tanh: {
      const double y = std::tanh(x);
      return 1 - y * y;
    }
    case Activation::sigmoid: {
      const double y = sigmoid(x);
      return y * (1 - y);
    }
    case Activation::elu:
      return x > 0 ? 1 : std::exp(x);
    case Activation::gelu:
      return normal_cdf(x) + x * normal_pdf(x);
  }
  return 1;
}

}  // namespace croco
