// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/certified/order_statistic.hpp>

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
    : problem_(problem),
      bank_(bank),
      origin_(origin),
      count_(count),
      allowed_(allowed),
      point_(origin.size()),
      margins_(count),
      weights_(count) {}

void OrderStatistic::move_to(View change) {
  for (std::size_t j = 0; j < point_.size(); ++j) point_[j] = origin_[j] + change[j];
}

void OrderStatistic::find_margins() {
  bank_.logits(origin_, point_, 0, margins_);
  margins_of(margins_, static_cast<float>(problem_.goal.sign()),
             static_cast<float>(problem_.goal.logit_threshold()));
}

std::size_t OrderStatistic::invalid(View change) {
  move_to(change);
  find_margins();
  return count_at_most(margins_, 0.0F);
}

bool OrderStatistic::reached(View change) {
  move_to(change);
  return problem_.goal.reached(problem_.model.logit(point_));
}

/// The margins, that of the point itself with its gradient in `out`, and the band of the rank.
OrderStatistic::Seen OrderStatistic::look(View change, ConstraintValue& out) {
  move_to(change);
  find_margins();
  out.gradient.resize(point_.size());
  const double logit = problem_.model.gradient()->logit_gradient(point_, out.gradient);
  const double own = problem_.goal.margin(logit) - kValidityMargin;
  const std::size_t rank = std::min(allowed_, count_ - 1);
  const auto half =
      std::max<std::size_t>(1, static_cast<std::size_t>(kBand * static_cast<double>(count_)));
  const SelectedBand band = select_band(margins_, rank - std::min(rank, half), rank,
                                        std::min(rank + half, count_ - 1), scratch_);
  const auto quantile = static_cast<double>(band.value);
  const bool is_own = own <= quantile;
  out.value = is_own ? own : quantile;
  return {band, is_own};
}

double OrderStatistic::value(View change) {
  ConstraintValue out;
  static_cast<void>(look(change, out));
  keep_finite(out);
  return out.value;
}

ConstraintValue OrderStatistic::evaluate(View change) {
  ConstraintValue out;
  const auto [band, is_own] = look(change, out);
  if (is_own) {
    for (double& value : out.gradient) value *= problem_.goal.sign();
    keep_finite(out);
    return out;
  }
  const std::size_t members = band_weights(margins_, band.low, band.high, weights_.data());
  std::ranges::fill(out.gradient, 0.0);
  bank_.add_gradient(origin_, point_, 0, weights_, out.gradient);
  const double factor = problem_.goal.sign() / static_cast<double>(members);
  for (double& value : out.gradient) value *= factor;
  keep_finite(out);
  return out;
}

}  // namespace croco
