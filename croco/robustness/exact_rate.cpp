// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/exact_rate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <croco/base/normal.hpp>
#include <croco/models/model.hpp>

namespace croco {
namespace {

/// Spreads that are known to all digits of a double, as are margins of their size.
constexpr double kLeastSpread = 1e-280;
constexpr double kMostSpread = 1e280;

bool has_closed_form(const Problem& problem) noexcept {
  const Noise& noise = problem.noise;
  return !problem.pool &&
         (noise.shape == NoiseShape::gaussian || noise.shape == NoiseShape::correlated) &&
         noise.flips.empty() && !depends_on_point(noise) && problem.model.linear_form() != nullptr;
}

/// The power of two near the largest number: divided by it, squares neither vanish nor overflow.
int exponent_of(const Vector& parts) noexcept {
  double largest = 0;
  for (const double part : parts) largest = std::max(largest, std::abs(part));
  return largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
}

double sum_of_squares(const Vector& parts, int exponent) noexcept {
  double sum = 0;
  for (const double part : parts) {
    const double scaled = std::ldexp(part, -exponent);
    sum += scaled * scaled;
  }
  return sum;
}

/// The weights through the root, as the draws go: each normal of its own moves the margin. Where
/// columns all but repeat each other, weights may cancel: what rounding does to a part is relative
/// to the sum of sizes, and what the root itself is off by counts with the sizes of the weights.
void set_correlated_spread(const Covariance& covariance, const Vector& scales,
                           const Vector& weights, LinearMargin& out) {
  const std::size_t n = covariance.columns().size();
  const double unit = static_cast<double>(n + 4) * std::numeric_limits<double>::epsilon();
  Vector parts(n);
  Vector least(n);
  Vector most(n);
  Vector sizes(n);
  for (std::size_t m = 0; m < n; ++m) {
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = covariance.columns()[i];
      if (scales[j] == 0) continue;
      parts[m] += covariance.root()[i][m] * weights[j];
      size += std::abs(covariance.root()[i][m] * weights[j]);
      sizes[i] = std::abs(scales[j] * weights[j]);
    }
    least[m] = std::max(0.0, std::abs(parts[m]) - unit * size);
    most[m] = std::abs(parts[m]) + unit * size;
  }
  const int exponent = exponent_of(most);
  double off = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      off += std::ldexp(sizes[i], -exponent) * std::ldexp(sizes[j], -exponent) *
             covariance.error()[i][j];
    }
  }
  const auto spread = [&](double square) { return std::ldexp(std::sqrt(square), exponent); };
  out.spread = spread(sum_of_squares(parts, exponent));
  out.least_spread = spread(std::max(0.0, sum_of_squares(least, exponent) - off));
  out.most_spread = spread(sum_of_squares(most, exponent) + off);
}

}  // namespace

double LinearMargin::at(View point) const noexcept {
  double sum = offset;
  for (std::size_t j = 0; j < point.size(); ++j) sum += slope[j] * point[j];
  return sum;
}

bool has_exact_rate(const Problem& problem) {
  if (!has_closed_form(problem)) return false;
  const LinearMargin margin = linear_margin(problem);
  const bool no_noise = margin.most_spread == 0;
  return no_noise || (margin.most_spread >= kLeastSpread && margin.most_spread <= kMostSpread);
}

LinearMargin linear_margin(const Problem& problem) {
  const LinearForm& form = *problem.model.linear_form();
  const Vector scales = scoped_scales(problem.noise, problem.space);
  const double sign = problem.goal.sign();
  LinearMargin out;
  // The margin of a logit of 0 is the threshold's own part.
  out.offset = sign * form.bias + problem.goal.margin(0);
  out.largest = std::abs(form.bias) + std::abs(problem.goal.margin(0));
  for (const double weight : form.weights) out.slope.push_back(sign * weight);
  if (problem.noise.shape == NoiseShape::correlated) {
    set_correlated_spread(problem.noise.covariance, scales, form.weights, out);
    return out;
  }
  Vector parts;
  for (std::size_t j = 0; j < form.weights.size(); ++j) {
    const double part = scales[j] * form.weights[j];
    // Too small for a number, but not nothing.
    const bool lost = part == 0 && scales[j] != 0 && form.weights[j] != 0;
    parts.push_back(lost ? std::numeric_limits<double>::denorm_min() : part);
  }
  const int exponent = exponent_of(parts);
  out.spread = std::ldexp(std::sqrt(sum_of_squares(parts, exponent)), exponent);
  out.least_spread = out.most_spread = out.spread;
  return out;
}

ExactRate exact_rate(const Problem& problem, const LinearMargin& margin, View point) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto plain = [&] { return problem.goal.reached(problem.model.logit(point)) ? 0.0 : 1.0; };
  if (margin.most_spread == 0) return {plain(), plain()};
  const double value = margin.at(point);
  double magnitude = margin.largest;
  for (std::size_t j = 0; j < point.size(); ++j) {
    magnitude += std::abs(margin.slope[j] * point[j]);
  }
  const double rate = margin.spread == 0 ? plain() : normal_cdf(-value / margin.spread);
  // A sum of n products is off by at most about n/2 epsilon of the sum of their magnitudes.
  const double terms = static_cast<double>(point.size()) + 4;
  const double error = terms * kUnit * magnitude;
  // More spread makes a margin worse, less of it a lack.
  const double low = value - error;
  const double deviations = low > 0                   ? low / margin.most_spread
                            : margin.least_spread > 0 ? low / margin.least_spread
                                                      : -kInfinity;
  if (!std::isfinite(deviations)) {
    // NaN where the margin itself is none.
    return deviations == kInfinity ? ExactRate{rate, std::numeric_limits<double>::min()}
                                   : ExactRate{std::isnan(rate) ? 1.0 : rate, 1.0};
  }
  const double cautious = deviations - terms * kUnit * std::abs(deviations);
  return {rate,
          std::min(1.0, normal_cdf(-cautious) * (1 + 1e-12) + std::numeric_limits<double>::min())};
}

}  // namespace croco
