// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/exact_rate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <croco/base/normal.hpp>
#include <croco/models/mlp.hpp>

namespace croco {
namespace {

const Mlp* linear_model(const Model& model) noexcept {
  const auto* network = dynamic_cast<const Mlp*>(&model);
  return network != nullptr && network->layers().size() == 1 ? network : nullptr;
}

}  // namespace

double LinearMargin::at(View point) const noexcept {
  double sum = offset;
  for (std::size_t j = 0; j < point.size(); ++j) sum += slope[j] * point[j];
  return sum;
}

bool has_exact_rate(const Problem& problem) noexcept {
  const Noise& noise = problem.noise;
  return (noise.shape == NoiseShape::gaussian || noise.shape == NoiseShape::correlated) &&
         noise.flips.empty() && !depends_on_point(noise) && linear_model(problem.model) != nullptr;
}

LinearMargin linear_margin(const Problem& problem) {
  const DenseLayer& layer = linear_model(problem.model)->layers().front();
  const Vector scales = scoped_scales(problem.noise, problem.space);
  const double sign = problem.goal.sign();
  LinearMargin out;
  // The margin of a logit of 0 is the threshold's own part.
  out.offset = sign * layer.bias[0] + problem.goal.margin(0);
  out.largest = std::abs(layer.bias[0]) + std::abs(problem.goal.margin(0));
  double square = 0;
  for (std::size_t j = 0; j < layer.inputs; ++j) {
    out.slope.push_back(sign * layer.weight[j]);
    if (problem.noise.shape == NoiseShape::correlated) continue;
    const double part = scales[j] * layer.weight[j];
    square += part * part;
  }
  if (problem.noise.shape == NoiseShape::correlated) {
    // The weights through the root, as the draws go: each normal of its own moves the margin.
    const Covariance& covariance = problem.noise.covariance;
    for (std::size_t m = 0; m < covariance.columns().size(); ++m) {
      double part = 0;
      for (std::size_t i = 0; i < covariance.columns().size(); ++i) {
        const std::size_t j = covariance.columns()[i];
        if (scales[j] != 0) part += covariance.root()[i][m] * layer.weight[j];
      }
      square += part * part;
    }
  }
  out.spread = std::sqrt(square);
  return out;
}

ExactRate exact_rate(const Problem& problem, const LinearMargin& margin, View point) {
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  if (margin.spread == 0) {
    const double rate = problem.goal.reached(problem.model.logit(point)) ? 0.0 : 1.0;
    return {rate, rate};
  }
  const double value = margin.at(point);
  double magnitude = margin.largest;
  for (std::size_t j = 0; j < point.size(); ++j) {
    magnitude += std::abs(margin.slope[j] * point[j]);
  }
  // A sum of n products is off by at most about n/2 epsilon of the sum of their magnitudes.
  const double terms = static_cast<double>(point.size()) + 4;
  const double error = terms * kUnit * magnitude;
  const double low = (value - error) / margin.spread;
  const double cautious = low - terms * kUnit * std::abs(low);
  return {normal_cdf(-value / margin.spread),
          std::min(1.0, normal_cdf(-cautious) * (1 + 1e-12) + std::numeric_limits<double>::min())};
}

}  // namespace croco
