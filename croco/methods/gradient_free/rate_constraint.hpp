// SPDX-License-Identifier: Apache-2.0
/// "The rate is at most aim" as a smooth constraint that needs the model's answers alone. Under
/// noise with a density the rate is smooth in the point even where the model is piecewise constant.
/// The constraint is on its normal quantile,
///
///     h(d) = Phi^-1(1 - rate(d)),    C(d) = h(d) - Phi^-1(1 - aim) - reserve >= 0,
///
/// which under Gaussian noise is exactly linear for a linear model and 1-Lipschitz in standard
/// deviations for any model (`smoothing_bound`), so that linear steps go far. Its gradient is
///
///     dh/dx = -(d rate/dx) / phi(h),    d rate/dx = E[1{invalid} s(e)],    s = -d log p(e) / de,
///
/// by Stein's identity: shifting the point is shifting the density p of the noise. For Gaussian
/// noise s = e / sd^2. The samples that measure the rate give its gradient too, at no further query
/// (`NoisyMargins::share_gradient`; differences in columns without such noise).
#pragma once

#include <cstddef>

#include <croco/base/types.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/methods/noisy_margins.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Rows that one person's search may query the model for.
struct RowBudget {
  std::size_t used = 0;
  std::size_t most = 0;
  std::size_t evaluations = 0;

  [[nodiscard]] bool spent() const noexcept { return used >= most; }
};

/// A change with its price.
struct PricedChange {
  Vector change;
  double cost = 0.0;
  double rate = 0.0;  ///< of the samples that it was seen on
};

/// The constraint on the first `count` samples. The reserve is what one sample more or less changes
/// in h, `1 / (count phi(h))`, and at least .004: without it, runs end on the wrong side. Where
/// more than 97 % or fewer than four samples fail, the rate has no usable slope; h is then
/// continued linearly by an order statistic of the margins over their spread. Remembers what it has
/// seen: one object per person and run.
class RateConstraint {
 public:
  RateConstraint(const Problem& problem, const NoisyMargins& margins, View origin,
                 const ChangeProblem& changes, std::size_t count, double aim, RowBudget& budget);

  /// A slope of 0 when the budget is spent, which ends every run.
  [[nodiscard]] ConstraintValue evaluate(View change);
  /// Without the gradient.
  [[nodiscard]] double value(View change);

  /// Among all changes evaluated: the cheapest that keeps the aim and has the wanted answer itself.
  [[nodiscard]] const PricedChange* cheapest() const noexcept {
    return cheapest_.change.empty() ? nullptr : &cheapest_;
  }
  /// The cheapest that keeps the aim, whatever the answer at the point itself.
  [[nodiscard]] const PricedChange* cheapest_unrepaired() const noexcept {
    return unrepaired_.change.empty() ? nullptr : &unrepaired_;
  }

 private:
  struct Seen {
    double h = 0.0;  ///< Phi^-1(1 - rate), extended beyond what the samples can resolve
    Vector point;
    std::size_t slope_rank = 0;  ///< the order statistic whose slope stands for h's, if any
    double spread = 0.0;         ///< 0: h has a slope of its own
  };
  [[nodiscard]] Seen look(View change);

  const Problem& problem_;
  const NoisyMargins& noisy_;
  View origin_;
  const ChangeProblem& changes_;
  double aim_;
  double level_;  ///< of h, with the little
  RowBudget& budget_;
  Vector margins_;
  PricedChange cheapest_;
  PricedChange unrepaired_;
};

}  // namespace croco
