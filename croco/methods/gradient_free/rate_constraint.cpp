// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/gradient_free/rate_constraint.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <croco/base/normal.hpp>
#include <croco/models/model.hpp>

namespace croco {
namespace {

/// Beyond this share of failures, and below this many of them, the rate has no usable slope: there
/// h is carried on by an order statistic of the margins.
constexpr double kManyFail = 0.97;
constexpr std::size_t kFewFail = 4;
/// The order statistic whose slope serves where few fail.
constexpr double kFewSlope = 0.02;
/// The value of what the budget does not let it see: below every other.
constexpr double kUnseen = -1e9;

/// The value that would have this rank, from 0, if they were sorted; reorders them.
double ranked_value(Vector& values, std::size_t rank) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

RateConstraint::RateConstraint(const Problem& problem, const NoisyMargins& margins, View origin,
                               const ChangeProblem& changes, std::size_t count, double aim,
                               RowBudget& budget)
    : problem_(problem),
      noisy_(margins),
      origin_(origin),
      changes_(changes),
      aim_(aim),
      budget_(budget),
      margins_(std::min(count, margins.count())) {
  const auto samples = static_cast<double>(margins_.size());
  const double least = 0.5 / samples;
  const double h = normal_quantile(1 - std::clamp(aim, least, 1 - least));
  // One draw more or less must not decide, or the runs end on the wrong side.
  level_ = h + std::max(0.004, 1 / (samples * std::max(normal_pdf(h), 1e-3)));
  if (aim * samples < 1) level_ = h;
}

RateConstraint::Seen RateConstraint::look(View change) {
  Seen seen;
  seen.point = moved(origin_, change);
  const std::optional<double> own = noisy_.margins_and_own(origin_, seen.point, margins_);
  budget_.used += margins_.size() + 1;
  ++budget_.evaluations;
  const std::size_t count = margins_.size();
  const auto samples = static_cast<double>(count);
  const std::size_t invalid = NoisyMargins::invalid(margins_);
  const double rate = static_cast<double>(invalid) / samples;
  seen.h = normal_quantile(1 - std::clamp(rate, 0.5 / samples, 1 - 0.5 / samples));

  if (rate <= aim_ && changes_.keeps_rows(change)) {
    const double cost = cost_of(changes_, change);
    const auto keep = [&](PricedChange& best) {
      if (!best.change.empty() && cost >= best.cost) return;
      best = {Vector(change.begin(), change.end()), cost, rate};
    };
    keep(unrepaired_);
    if (problem_.goal.reached(own ? *own : problem_.model.logit(seen.point))) keep(cheapest_);
  }

  const bool many = rate > kManyFail;
  if (!many && invalid >= kFewFail) return seen;
  const auto rank_of = [&](double share) { return static_cast<std::size_t>(share * samples); };
  const std::size_t anchor = many ? rank_of(kManyFail) : kFewFail;
  const std::size_t slope = many ? anchor : std::max(anchor, rank_of(kFewSlope));
  if (slope + 1 >= count) return seen;
  const double share = (static_cast<double>(slope) + 0.5) / samples;
  const double deviations = std::abs(normal_quantile(share));
  Vector ranked = margins_;
  const double at_slope = ranked_value(ranked, slope);
  const double at_anchor = ranked_value(ranked, anchor);
  const double spread = std::abs(ranked_value(ranked, count / 2) - at_slope) / deviations;
  if (!(spread > 0) || !std::isfinite(spread) || !std::isfinite(at_anchor)) return seen;
  seen.spread = spread;
  seen.slope_rank = slope;
  seen.h = -normal_quantile((static_cast<double>(anchor) + 0.5) / samples) + at_anchor / spread;
  return seen;
}

double RateConstraint::value(View change) { return look(change).h - level_; }

ConstraintValue RateConstraint::evaluate(View change) {
  if (budget_.spent()) return {kUnseen, Vector(change.size())};
  const Seen seen = look(change);
  ConstraintValue out{seen.h - level_, {}};
  budget_.used += noisy_.extra_rows(margins_.size());
  if (seen.spread > 0) {
    out.gradient = noisy_.order_statistic(origin_, seen.point, margins_, seen.slope_rank).gradient;
    for (double& slope : out.gradient) slope /= seen.spread;
    keep_finite(out);
    return out;
  }
  out.gradient = noisy_.share_gradient(origin_, seen.point, margins_, 0.0);
  const double density = std::max(normal_pdf(seen.h), 1e-6);
  for (double& slope : out.gradient) slope = -slope / density;
  keep_finite(out);
  return out;
}

}  // namespace croco
