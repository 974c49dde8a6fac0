// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_functions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <croco/base/normal.hpp>
#include <croco/models/model.hpp>

namespace croco {
namespace {

constexpr double kGeluScale = 0.7978845608028654;  // sqrt(2 / pi)
constexpr double kGeluCubic = 0.044715;

double softplus(double x) noexcept { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double tanh_slope(double x) noexcept {
  const double y = std::tanh(x);
  return 1 - y * y;
}

double sigmoid_slope(double x) noexcept {
  const double y = sigmoid(x);
  return y * (1 - y);
}

/// LIBSVM couples the probabilities of pairs of classes by a few iterations, for two classes as
/// well (Wu, Lin and Weng, 2004, algorithm 2). It stops early: what is within .005 of 1/2 becomes
/// 1/2.
double coupled_logit(double logit) noexcept {
  const double least = 1e-7;
  const double pair = std::min(std::max(sigmoid(-logit), least), 1 - least);  // of the first class
  const double other = 1 - pair;
  const double q[2][2] = {{other * other, -other * pair}, {-other * pair, pair * pair}};
  double p[2] = {0.5, 0.5};
  for (int iteration = 0; iteration < 100; ++iteration) {
    double qp[2] = {q[0][0] * p[0] + q[0][1] * p[1], q[1][0] * p[0] + q[1][1] * p[1]};
    double pqp = p[0] * qp[0] + p[1] * qp[1];
    if (std::max(std::abs(qp[0] - pqp), std::abs(qp[1] - pqp)) < 0.005 / 2) break;
    for (int t = 0; t < 2; ++t) {
      const double change = (-qp[t] + pqp) / q[t][t];
      const double scale = 1 + change;
      p[t] += change;
      pqp = (pqp + change * (change * q[t][t] + 2 * qp[t])) / scale / scale;
      for (int j = 0; j < 2; ++j) {
        qp[j] = (qp[j] + change * q[t][j]) / scale;
        p[j] /= scale;
      }
    }
  }
  return std::log(p[1]) - std::log(p[0]);
}

/// Between its jumps the coupled logit is nearly the logit itself.
double coupled_slope(double logit) noexcept {
  constexpr double kStep = 1e-5;
  const double slope = (coupled_logit(logit + kStep) - coupled_logit(logit - kStep)) / (2 * kStep);
  return slope > 0.5 && slope < 2 ? slope : 1;
}

/// Limits that are upside down give the upper one, as the specification of Clip has it.
double clip(double x, double low, double high) noexcept { return std::min(std::max(x, low), high); }

}  // namespace

bool is_step(Unary function) noexcept {
  switch (function) {
    case Unary::truncate:
    case Unary::floor:
    case Unary::ceil:
    case Unary::round:
    case Unary::sign:
    case Unary::negation:
    case Unary::is_nan:
      return true;
    default:
      return false;
  }
}

bool has_jumps(Unary function) noexcept {
  return is_step(function) || function == Unary::thresholded_relu ||
         function == Unary::libsvm_logit || function == Unary::replace || function == Unary::single;
}

bool is_step(Binary function) noexcept { return function >= Binary::less; }

bool is_unclear(double x, double y) noexcept {
  // Written so that NaN is unclear, while equal infinities of one sign are not.
  if (x == y && std::isinf(x)) return false;
  return !(std::abs(x - y) > kUnclearShare * std::max(std::abs(x), std::abs(y)) + kUnclearGap);
}

double apply(Unary function, double x, double a, double b) noexcept {
  switch (function) {
    case Unary::relu:
      return x <= 0 ? 0 : x;  // NaN stays NaN, here and below
    case Unary::leaky_relu:
      return x > 0 ? x : a * x;
    case Unary::elu:
      return x > 0 ? x : a * std::expm1(x);
    case Unary::selu:
      return b * (x > 0 ? x : a * std::expm1(x));
    case Unary::celu:
      return x > 0 ? x : a * std::expm1(x / a);
    case Unary::gelu:
      return x * normal_cdf(x);
    case Unary::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(kGeluScale * (x + kGeluCubic * x * x * x)));
    case Unary::tanh:
      return std::tanh(x);
    case Unary::sigmoid:
      return sigmoid(x);
    case Unary::softplus:
      return softplus(x);
    case Unary::softsign:
      return x / (1 + std::abs(x));
    case Unary::mish:
      return x * std::tanh(softplus(x));
    case Unary::hard_sigmoid:
      return clip(a * x + b, 0, 1);
    case Unary::hard_swish:
      return x * clip(x / 6 + 0.5, 0, 1);
    case Unary::thresholded_relu:
      return x <= a ? 0 : x;
    case Unary::clip:
      return clip(x, a, b);
    case Unary::exp:
      return std::exp(x);
    case Unary::log:
      return std::log(x);
    case Unary::sqrt:
      return std::sqrt(x);
    case Unary::square:
      return x * x;
    case Unary::abs:
      return std::abs(x);
    case Unary::reciprocal:
      return 1 / x;
    case Unary::erf:
      return std::erf(x);
    case Unary::power:
      return std::pow(x, a);
    case Unary::logit:
      return logit_of(clip(x, a, 1 - a));
    case Unary::truncate:
      return std::trunc(x);
    case Unary::floor:
      return std::floor(x);
    case Unary::ceil:
      return std::ceil(x);
    case Unary::round:
      return std::nearbyint(x);
    case Unary::sign:
      return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;
    case Unary::negation:
      return x == 0 ? 1 : 0;
    case Unary::is_nan:
      return std::isnan(x) ? 1 : 0;
    case Unary::libsvm_logit:
      return coupled_logit(x);
    case Unary::replace:
      return x == a || (std::isnan(a) && std::isnan(x)) ? b : x;
    case Unary::single:
      return static_cast<double>(static_cast<float>(x));
    case Unary::to_double:
      return x;
  }
  return x;
}

double slope(Unary function, double x, double a, double b) noexcept {
  switch (function) {
    case Unary::relu:
      return x > 0 ? 1 : 0;
    case Unary::leaky_relu:
      return x > 0 ? 1 : a;
    case Unary::elu:
      return x > 0 ? 1 : a * std::exp(x);
    case Unary::selu:
      return x > 0 ? b : b * a * std::exp(x);
    case Unary::celu:
      return x > 0 ? 1 : std::exp(x / a);
    case Unary::gelu:
      return normal_cdf(x) + x * normal_pdf(x);
    case Unary::gelu_tanh: {
      const double inner = kGeluScale * (x + kGeluCubic * x * x * x);
      return 0.5 * (1 + std::tanh(inner)) +
             0.5 * x * tanh_slope(inner) * kGeluScale * (1 + 3 * kGeluCubic * x * x);
    }
    case Unary::tanh:
      return tanh_slope(x);
    case Unary::sigmoid:
      return sigmoid_slope(x);
    case Unary::softplus:
      return sigmoid(x);
    case Unary::softsign:
      return 1 / ((1 + std::abs(x)) * (1 + std::abs(x)));
    case Unary::mish:
      return std::tanh(softplus(x)) + x * tanh_slope(softplus(x)) * sigmoid(x);
    case Unary::hard_sigmoid:
      return a * x + b > 0 && a * x + b < 1 ? a : 0;
    case Unary::hard_swish:
      return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5;
    case Unary::thresholded_relu:
      return x > a ? 1 : 0;
    case Unary::clip:
      return x >= a && x <= b ? 1 : 0;
    case Unary::exp:
      return std::exp(x);
    case Unary::log:
      return 1 / x;
    case Unary::sqrt:
      return 0.5 / std::sqrt(x);
    case Unary::square:
      return 2 * x;
    case Unary::abs:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Unary::reciprocal:
      return -1 / (x * x);
    case Unary::erf:
      return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    case Unary::power:
      return a == 0 ? 0 : a * std::pow(x, a - 1);
    case Unary::logit:
      return x > a && x < 1 - a ? 1 / (x * (1 - x)) : 0;
    case Unary::libsvm_logit:
      return coupled_slope(x);
    case Unary::replace:
      return x == a ? 0 : 1;
    case Unary::single:
    case Unary::to_double:
      return 1;
    default:
      return 0;
  }
}

double apply(Binary function, double x, double y) noexcept {
  switch (function) {
    case Binary::add:
      return x + y;
    case Binary::subtract:
      return x - y;
    case Binary::multiply:
      return x * y;
    case Binary::divide:
      return x / y;
    case Binary::power:
      return std::pow(x, y);
    case Binary::minimum:
      return x <= y || std::isnan(x) ? x : y;
    case Binary::maximum:
      return x >= y || std::isnan(x) ? x : y;
    case Binary::less:
      return x < y ? 1 : 0;
    case Binary::less_equal:
      return x <= y ? 1 : 0;
    case Binary::greater:
      return x > y ? 1 : 0;
    case Binary::greater_equal:
      return x >= y ? 1 : 0;
    case Binary::equal:
      return x == y ? 1 : 0;
    case Binary::both:
      return x != 0 && y != 0 ? 1 : 0;
    case Binary::either:
      return x != 0 || y != 0 ? 1 : 0;
    case Binary::unclear:
      return is_unclear(x, y) ? std::numeric_limits<double>::quiet_NaN() : 0;
  }
  return x;
}

template <typename Number>
void apply_all(Unary function, double a, double b, const Number* in, std::size_t count,
               Number* out) noexcept {
  // In loops that vectorise.
  switch (function) {
    case Unary::relu:
      for (std::size_t k = 0; k < count; ++k) out[k] = in[k] <= 0 ? 0 : in[k];
      return;
    case Unary::abs:
      for (std::size_t k = 0; k < count; ++k) out[k] = std::abs(in[k]);
      return;
    case Unary::square:
      for (std::size_t k = 0; k < count; ++k) out[k] = in[k] * in[k];
      return;
    case Unary::single:
      for (std::size_t k = 0; k < count; ++k) {
        out[k] = static_cast<Number>(static_cast<float>(in[k]));
      }
      return;
    default:
      for (std::size_t k = 0; k < count; ++k) {
        out[k] = static_cast<Number>(apply(function, double{in[k]}, a, b));
      }
      return;
  }
}

template <typename Number>
void apply_all(Binary function, const Number* left, const Number* right, std::size_t count,
               Number* out) noexcept {
  switch (function) {
    case Binary::add:
      for (std::size_t k = 0; k < count; ++k) out[k] = left[k] + right[k];
      return;
    case Binary::subtract:
      for (std::size_t k = 0; k < count; ++k) out[k] = left[k] - right[k];
      return;
    case Binary::multiply:
      for (std::size_t k = 0; k < count; ++k) out[k] = left[k] * right[k];
      return;
    case Binary::divide:
      for (std::size_t k = 0; k < count; ++k) out[k] = left[k] / right[k];
      return;
    default:
      for (std::size_t k = 0; k < count; ++k) {
        out[k] = static_cast<Number>(apply(function, double{left[k]}, double{right[k]}));
      }
      return;
  }
}

template void apply_all(Unary, double, double, const double*, std::size_t, double*) noexcept;
template void apply_all(Unary, double, double, const float*, std::size_t, float*) noexcept;
template void apply_all(Binary, const double*, const double*, std::size_t, double*) noexcept;
template void apply_all(Binary, const float*, const float*, std::size_t, float*) noexcept;

BinarySlopes slopes(Binary function, double x, double y) noexcept {
  switch (function) {
    case Binary::add:
      return {1, 1};
    case Binary::subtract:
      return {1, -1};
    case Binary::multiply:
      return {y, x};
    case Binary::divide:
      return {1 / y, -x / (y * y)};
    case Binary::power:
      return {y == 0 ? 0 : y * std::pow(x, y - 1), x > 0 ? std::pow(x, y) * std::log(x) : 0};
    case Binary::minimum:
      return x <= y ? BinarySlopes{1, 0} : BinarySlopes{0, 1};
    case Binary::maximum:
      return x >= y ? BinarySlopes{1, 0} : BinarySlopes{0, 1};
    default:
      return {};
  }
}

}  // namespace croco
