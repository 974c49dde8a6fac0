// SPDX-License-Identifier: Apache-2.0
/// The activation functions of hidden layers.
#pragma once

#include <cstdint>
#include <string_view>

namespace croco {

enum class Activation : std::uint8_t { relu, leaky_relu, tanh, sigmoid, elu, gelu };

/// The slope of leaky ReLU below zero.
inline constexpr double kLeakySlope = 0.01;

/// `relu`, `leaky_relu`, ...
[[nodiscard]] std::string_view name_of(Activation activation) noexcept;
/// Throws InvalidArgument naming the text and the activations there are.
[[nodiscard]] Activation parse_activation(std::string_view text);

/// The value at a pre-activation. GELU is the exact form, `x Phi(x)`.
[[nodiscard]] double activate(Activation activation, double x) noexcept;
/// The derivative; 0 at the kink of ReLU, as PyTorch has it.
[[nodiscard]] double activation_slope(Activation activation, double x) noexcept;

}  // namespace croco
