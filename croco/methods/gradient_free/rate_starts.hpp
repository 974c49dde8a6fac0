// SPDX-License-Identifier: Apache-2.0
/// Where a search without gradients begins.
#pragma once

#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/methods/gradient_free/rate_constraint.hpp>
#include <croco/methods/noisy_margins.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Starts for one person on one way, as changes: what `changes` fixes stays there. Keeps references
/// to all it is given.
class RateStarts {
 public:
  RateStarts(const Problem& problem, const NoisyMargins& margins, View origin,
             const ChangeProblem& changes, double aim, RowBudget& budget)
      : problem_(problem),
        margins_(margins),
        origin_(origin),
        changes_(changes),
        aim_(aim),
        budget_(budget) {}

  /// Accepted points whose movable columns this person might take over, six of the nearest and the
  /// most accepted: far inside is where demanding targets are met. Points are made up when there
  /// are no donors.
  [[nodiscard]] std::vector<Vector> donors(const Matrix* donors) const;
  /// Among the same points those that keep the aim: the cheapest and the safest of the most
  /// accepted ones, two each.
  [[nodiscard]] std::vector<Vector> safe_donors(const Matrix* donors) const;
  /// Changes of single columns whose noise (`scales`) is narrow against their reach, so that slopes
  /// tell of the next jump alone: the cheapest that keep the aim, at most three, and of as
  /// many columns the one that comes nearest to it for its price. None costs `most` or more.
  [[nodiscard]] std::vector<Vector> singles(View scales, double most) const;
  /// Single columns over their whole reach, then pairs that begin with the most useful of these.
  [[nodiscard]] std::vector<Vector> sweeps(const std::stop_token& stop) const;
  /// A start that is deep inside, drawn back along its ray to where the rate has a slope.
  [[nodiscard]] Vector pulled(const Vector& start) const;

 private:
  struct Candidate {
    Vector change;
    double cost = 0.0;
    double margin = 0.0;
  };
  /// Accepted points, as this person might take them over.
  [[nodiscard]] std::vector<Candidate> candidates(const Matrix* donors) const;
  [[nodiscard]] Matrix made_up() const;
  [[nodiscard]] Interval reach_of(std::size_t column) const;

  const Problem& problem_;
  const NoisyMargins& margins_;
  View origin_;
  const ChangeProblem& changes_;
  double aim_;
  RowBudget& budget_;
};

}  // namespace croco
