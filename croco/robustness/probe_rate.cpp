// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/probe_rate.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>

namespace croco {
namespace {

constexpr double kLeastSquare = 1e-280;

}  // namespace

ProbeRate probe_rate(const Problem& problem, View scales, View point, MutableView slope,
                     MutableView logit_slope) {
  const double logit = problem.model.gradient()->logit_gradient(point, logit_slope);
  double square = 0;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    square += scales[j] * scales[j] * logit_slope[j] * logit_slope[j];
  }
  double spread = std::sqrt(square);
  if (!(square > kLeastSquare && square < 1 / kLeastSquare)) {
    // Squares that are too small or too large for numbers: relative to the largest part.
    double largest = 0;
    for (std::size_t j = 0; j < scales.size(); ++j) {
      largest = std::max(largest, std::abs(scales[j] * logit_slope[j]));
    }
    square = 0;
    for (std::size_t j = 0; j < scales.size() && largest > 0; ++j) {
      const double part = scales[j] * logit_slope[j] / largest;
      square += part * part;
    }
    spread = largest * std::sqrt(square);
  }
  if (spread == 0) {
    std::ranges::fill(slope, 0.0);
    return {problem.goal.reached(logit) ? 0.0 : 1.0, logit};
  }
  const double standardised = problem.goal.margin(logit) / spread;
  const double factor = -normal_pdf(standardised) / spread * problem.goal.sign();
  for (std::size_t j = 0; j < slope.size(); ++j) slope[j] = factor * logit_slope[j];
  return {normal_cdf(-standardised), logit};
}

void require_probe_applies(const Problem& problem) {
  if (problem.noise.shape != NoiseShape::gaussian || depends_on_point(problem.noise)) {
    throw InvalidArgument(fmt::format(
        "method probe with noise {} on {} columns{}: PROBE's closed form holds for two-sided "
        "gaussian noise on all, continuous or movable columns; use method croco",
        noise_text(problem.noise), name_of(problem.noise.scope),
        problem.noise.falls_short ? ", one-sided" : ""));
  }
  if (problem.model.gradient() == nullptr) {
    throw InvalidArgument("method probe needs a model with a gradient; this one has none");
  }
}

}  // namespace croco
