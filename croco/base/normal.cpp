// SPDX-License-Identifier: Apache-2.0
#include <croco/base/normal.hpp>

#include <cmath>
#include <numbers>

#include <croco/base/normal_coefficients.hpp>

namespace croco {

using namespace normal_coefficients;  // NOLINT(google-build-using-namespace): its only contents

double normal_pdf(double x) noexcept {
  return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
}

double normal_cdf(double x) noexcept { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double portable_log(double x) noexcept {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [0.5, 1)
  if (mantissa < std::numbers::sqrt2 / 2) {
    mantissa *= 2;
    --exponent;
  }
  // log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.1716: 11 terms leave less than 1e-18.
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double sum = 0;
  for (int odd = 21; odd >= 3; odd -= 2) sum = (sum + 1.0 / odd) * square;
  return exponent * kLn2High + (2 * s + (2 * s * sum + exponent * kLn2Low));
}

namespace {

template <std::size_t N>
double polynomial(const double (&coefficients)[N], double x) noexcept {
  double value = 0;
  for (std::size_t i = N; i-- > 0;) value = value * x + coefficients[i];
  return value;
}

}  // namespace

double normal_quantile(double p) noexcept {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kA, r) / polynomial(kB, r);
  }
  const double tail = q < 0 ? p : 1 - p;
  double r = std::sqrt(-portable_log(tail));
  double x = 0;
  if (r <= 5) {
    r -= 1.6;
    x = polynomial(kC, r) / polynomial(kD, r);
  } else {
    r -= 5;
    x = polynomial(kE, r) / polynomial(kF, r);
  }
  return q < 0 ? -x : x;
}

}  // namespace croco
