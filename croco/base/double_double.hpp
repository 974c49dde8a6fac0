// SPDX-License-Identifier: Apache-2.0
/// Numbers with twice the digits of a double, as sums of two (Dekker, 1971): relative rounding
/// errors below 2^-100, on every machine the same. For short computations where doubles cancel.
#pragma once

#include <cmath>

namespace croco {

struct DoubleDouble {
  double high = 0;
  double low = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : high(value) {}  // NOLINT(google-explicit-constructor): widening
  DoubleDouble(double head, double tail) : high(head + tail), low(tail - (high - head)) {}

  [[nodiscard]] double value() const noexcept { return high + low; }
};

[[nodiscard]] inline DoubleDouble operator-(const DoubleDouble& x) { return {-x.high, -x.low}; }

[[nodiscard]] inline DoubleDouble operator+(const DoubleDouble& x, const DoubleDouble& y) {
  const auto exact_sum = [](double a, double b, double& rest) {
    const double sum = a + b;
    const double part = sum - a;
    rest = (a - (sum - part)) + (b - part);
    return sum;
  };
  double rest = 0;
  double low_rest = 0;
  const double sum = exact_sum(x.high, y.high, rest);
  const double low = exact_sum(x.low, y.low, low_rest);
  const DoubleDouble first(sum, rest + low);
  return {first.high, first.low + low_rest};
}

[[nodiscard]] inline DoubleDouble operator-(const DoubleDouble& x, const DoubleDouble& y) {
  return x + (-y);
}

[[nodiscard]] inline DoubleDouble operator*(const DoubleDouble& x, const DoubleDouble& y) {
  const double product = x.high * y.high;
  const double rest = std::fma(x.high, y.high, -product);
  return {product, rest + (x.high * y.low + x.low * y.high)};
}

[[nodiscard]] inline DoubleDouble operator/(const DoubleDouble& x, const DoubleDouble& y) {
  const double first = x.high / y.high;
  const DoubleDouble rest = x - DoubleDouble(first) * y;
  const double second = rest.high / y.high;
  const DoubleDouble left = rest - DoubleDouble(second) * y;
  return DoubleDouble(first, second) + DoubleDouble(left.high / y.high);
}

/// Of a number above 0.
[[nodiscard]] inline DoubleDouble square_root(const DoubleDouble& x) {
  const double first = std::sqrt(x.high);
  const DoubleDouble rest = x - DoubleDouble(first) * DoubleDouble(first);
  return {first, rest.high / (2 * first)};
}

}  // namespace croco
