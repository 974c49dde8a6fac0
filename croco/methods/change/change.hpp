// SPDX-License-Identifier: Apache-2.0
/// Changes of a person's point: what is admissible, what they cost.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/relation.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// What a change of one column costs where the price of a unit depends on the value.
struct ColumnCurve {
  const PriceCurve* curve = nullptr;  ///< of the space, which must outlive it; none: linear
  double origin = 0.0;                ///< the present value
  double cost = 1.0;                  ///< of a level
};

/// `min sum_j cost_j |d_j|` subject to `C(d) >= 0`, `lower_j <= d_j <= upper_j` and linear rows;
/// with curves the price of column j is `cost |level(origin + d_j) - level(origin)|`.
struct ChangeProblem {
  std::vector<Interval> intervals;  ///< of the change, around 0
  /// > 0. With a curve: the mean price of a unit near the present value, for what needs one number.
  Vector costs;
  std::vector<LinearRow> rows = {};      ///< relations, as rows on the change; 0 may break them
  std::vector<ColumnCurve> curves = {};  ///< none, or one per column
  Vector spans = {};                     ///< `Column::span` by column; none: 1

  /// The radius of a trust region in a column: regions are as wide in each, counted in ranges.
  [[nodiscard]] double radius_in(std::size_t column, double radius) const noexcept {
    return spans.empty() ? radius : radius * spans[column];
  }
  [[nodiscard]] bool has_curve(std::size_t column) const noexcept {
    return !curves.empty() && curves[column].curve != nullptr;
  }

  /// Whether a change satisfies all rows.
  [[nodiscard]] bool keeps_rows(View change) const noexcept;
};

/// What a person at `origin` may change, at which prices.
[[nodiscard]] ChangeProblem change_problem(const Space& space, View origin);
/// What the change of one column costs.
[[nodiscard]] double price_of(const ChangeProblem& problem, std::size_t column,
                              double change) noexcept;
/// How far a column may go, up or down, for a price.
[[nodiscard]] double reach_of(const ChangeProblem& problem, std::size_t column, bool up,
                              double price) noexcept;
/// What one step further out costs from a change; from 0: the mean of both directions.
[[nodiscard]] double step_price(const ChangeProblem& problem, std::size_t column, double change,
                                double step) noexcept;
/// The sum of the columns' prices.
[[nodiscard]] double cost_of(const ChangeProblem& problem, View change) noexcept;
/// The admissible change at the least weighted L1 distance from `change`, which it is if it is
/// admissible itself; none when the rows contradict each other and the intervals. For a change of
/// 0: the cheapest repair of a present point that breaks a relation.
[[nodiscard]] std::optional<Vector> nearest_change(const ChangeProblem& problem, View change);
/// The admissible change nearest to `factor * change`, or with curves to the change whose columns
/// have `factor` times their prices, first into the intervals, then to the rows.
/// Only inside the intervals when no change satisfies the rows.
[[nodiscard]] Vector scaled_change(const ChangeProblem& problem, View change, double factor);
/// The admissible change in the trust region of `radius` around `change`, which must keep the rows,
/// with the largest `slopes . d`; slopes below a millionth of the largest do not count.
[[nodiscard]] Vector steepest_change(const ChangeProblem& problem, View change, View slopes,
                                     double radius);
/// `origin + change`.
[[nodiscard]] Vector moved(View origin, View change);

}  // namespace croco
