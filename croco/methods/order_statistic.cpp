// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/order_statistic.hpp>

#include <algorithm>

#include <croco/models/model.hpp>

namespace croco {
namespace {

/// The point itself must be inside by this much, in logits.
constexpr double kValidityMargin = 1e-3;
/// Draws within this share of the rank make up the gradient.
constexpr double kBand = 0.04;

}  // namespace

OrderStatistic::OrderStatistic(const Problem& problem, const NoiseBank& bank, View origin,
                               std::size_t count, std::size_t allowed)
    : problem_(problem), bank_(bank), origin_(origin), count_(count), allowed_(allowed) {}

Vector OrderStatistic::moved(View change) const {
  Vector point(origin_.begin(), origin_.end());
  for (std::size_t j = 0; j < point.size(); ++j) point[j] += change[j];
  return point;
}

std::size_t OrderStatistic::invalid(View change) const {
  Vector logits(count_);
  bank_.logits(origin_, moved(change), 0, logits);
  std::size_t invalid = 0;
  for (const double logit : logits) invalid += problem_.goal.reached(logit) ? 0U : 1U;
  return invalid;
}

double OrderStatistic::own_margin(double logit) const noexcept {
  return problem_.goal.margin(logit) - kValidityMargin;
}

Vector OrderStatistic::margins(View point) const {
  Vector out(count_);
  bank_.logits(origin_, point, 0, out);
  for (double& value : out) value = problem_.goal.margin(value);
  return out;
}

double OrderStatistic::value(View change) const {
  const Vector point = moved(change);
  Vector sorted = margins(point);
  const auto middle = sorted.begin() + std::ptrdiff_t(std::min(allowed_, count_ - 1));
  std::nth_element(sorted.begin(), middle, sorted.end());
  return std::min(own_margin(problem_.model.logit(point)), *middle);
}

ConstraintValue OrderStatistic::evaluate(View change) const {
  const Vector point = moved(change);
  ConstraintValue out{0.0, Vector(point.size())};
  const double own = own_margin(problem_.model.gradient()->logit_gradient(point, out.gradient));
  Vector weights = margins(point);
  Vector sorted = weights;
  const std::size_t rank = std::min(allowed_, count_ - 1);
  const auto at = [&](std::size_t r) { return sorted.begin() + std::ptrdiff_t(r); };
  std::nth_element(sorted.begin(), at(rank), sorted.end());
  const double quantile = *at(rank);
  if (own <= quantile) {
    out.value = own;
    for (double& value : out.gradient) value *= problem_.goal.sign();
    return out;
  }
  out.value = quantile;
  const auto half =
      std::max<std::size_t>(1, static_cast<std::size_t>(kBand * static_cast<double>(count_)));
  const std::size_t low = rank - std::min(rank, half);
  const std::size_t high = std::min(rank + half, count_ - 1);
  std::nth_element(sorted.begin(), at(low), at(rank));
  std::nth_element(at(rank), at(high), sorted.end());
  const double from = *at(low);
  const double to = *at(high);
  std::size_t members = 0;
  for (const double margin : weights) members += margin >= from && margin <= to ? 1U : 0U;
  const double weight = problem_.goal.sign() / static_cast<double>(members);
  for (double& margin : weights) margin = margin >= from && margin <= to ? weight : 0.0;
  std::ranges::fill(out.gradient, 0.0);
  bank_.add_gradient(origin_, point, 0, weights, out.gradient);
  return out;
}

}  // namespace croco
