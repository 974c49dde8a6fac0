// SPDX-License-Identifier: Apache-2.0
#include <croco/base/normal.hpp>

#include <cmath>
#include <numbers>

namespace croco {

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
  // ln 2 in two parts, the first with trailing zeros so that its multiples are exact.
  constexpr double kLn2High = 0x1.62e42fefa3800p-1;
  constexpr double kLn2Low = 0x1.ef35793c76730p-45;
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
  static constexpr double kA[] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                  1.9715909503065514427e3, 1.3731693765509461125e4,
                                  4.5921953931549871457e4, 6.7265770927008700853e4,
                                  3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr double kB[] = {1.0,
                                  4.2313330701600911252e1,
                                  6.8718700749205790830e2,
                                  5.3941960214247511077e3,
                                  2.1213794301586595867e4,
                                  3.9307895800092710610e4,
                                  2.8729085735721942674e4,
                                  5.2264952788528545610e3};
  static constexpr double kC[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                  5.76949722146069140550e0,  3.64784832476320460504e0,
                                  1.27045825245236838258e0,  2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double kD[] = {1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
  static constexpr double kE[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                  1.78482653991729133580e0,  2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double kF[] = {1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};
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
