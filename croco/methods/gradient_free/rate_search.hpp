// SPDX-License-Identifier: Apache-2.0
/// The cheapest change of numbers that keeps a rate, from the model's answers alone, for one person
/// whose categories are settled: trust-region runs on `RateConstraint` from many starts, since the
/// boundary of a tree ensemble has many local optima. Runs begin at no change, at accepted points
/// pulled towards the person, and at single columns; a far search follows only where nothing was
/// found. The best two are polished on more samples. Every row that the model is queried for counts
/// against the person's budget.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/methods/gradient_free/rate_constraint.hpp>
#include <croco/methods/gradient_free/rate_starts.hpp>
#include <croco/methods/lowest_rate.hpp>
#include <croco/methods/noisy_margins.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// What the searches of all people share.
struct RateDraws {
  const Problem& problem;
  const NoisyMargins& margins;
  std::size_t few;       ///< samples that compare ways
  std::size_t some;      ///< samples of a run
  std::size_t all;       ///< samples that polish what runs found
  const Matrix* donors;  ///< accepted points, or none
  Vector scales;         ///< of the noise, by column
};

/// One person's search at an aim. What is given must outlive it.
struct RatePerson {
  View origin;
  double aim = 1.0;
  RowBudget& budget;
  const std::stop_token& stop;
};

/// Of a run's last steps, in cost; finer ones follow the error of its samples.
inline constexpr double kRatePrecision = 2e-4;

/// A change of which columns with coarse steps are fixed on one, and what may still change.
struct SteppedChange {
  PricedChange found;
  ChangeProblem changes;
};

/// Looks for changes of one person on one way; made anew for each.
class RateSearch {
 public:
  /// `changes` are what may change on this way, at the levels that it leads to.
  RateSearch(const RateDraws& shared, const RatePerson& person, const ChangeProblem& changes);

  /// From no change, from what donors have, and from single columns with narrow noise; what was
  /// found joins `found`.
  void look_near();
  /// From donors that keep the aim, and from single columns and pairs over their whole reach; only
  /// where nothing was found yet.
  void look_far();
  /// From a change of which it is known that it keeps a low rate, whatever it costs.
  void look_back_from(const Vector& start);
  /// From few starts on few samples: enough to compare ways. `near` are starts besides no change.
  void glance(double aim, std::span<const Vector> near);
  /// The two best once more on more samples, in small steps; those of the search's own samples stay
  /// behind them, in case they fail on other samples.
  void polish();

  /// The cheapest that was found, with columns whose steps are long against its cost on the steps
  /// around it, in all combinations, and the others solved again on `draws`: what is between such
  /// steps looks cheaper than anything that can be recommended. At most `columns` of them; none
  /// when no step of a column costs `share` of the change, or nothing on steps keeps the aim.
  [[nodiscard]] std::optional<SteppedChange> on_steps(std::size_t columns, double share,
                                                      std::size_t draws, double aim) const;

  /// Changes that keep the aim, the cheapest first once polished.
  [[nodiscard]] const std::vector<PricedChange>& found() const noexcept { return found_; }
  /// Where the run ended that came nearest to the aim, while nothing was found.
  [[nodiscard]] const TrustRegionResult& nearest() const noexcept { return nearest_; }

 private:
  void run(const Vector& start, double radius);
  /// What the cheapest change costs that was found.
  [[nodiscard]] double cheapest() const noexcept;
  void descend(const Vector& start, const TrustRegionOptions& options, std::size_t count,
               double aim);
  [[nodiscard]] bool known(View change) const;
  [[nodiscard]] RateStarts starts() const;

  const RateDraws& shared_;
  const RatePerson& person_;
  const ChangeProblem& changes_;
  std::vector<PricedChange> found_;
  TrustRegionResult nearest_;
};

/// The cheapest of many small moves of one column of `change` after which the point itself is
/// accepted and `holds` still does. Trees have small rejected islands inside of what they accept,
/// so a point may keep a low rate and yet be rejected itself.
[[nodiscard]] std::optional<Vector> repaired_answer(const Problem& problem, View origin,
                                                    const ChangeProblem& changes,
                                                    const Vector& change, RowBudget& budget,
                                                    const std::function<bool(View)>& holds);

}  // namespace croco
