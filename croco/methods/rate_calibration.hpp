// SPDX-License-Identifier: Apache-2.0
/// Brings a change that was found on few draws to where fresh draws will certify it, from the
/// model's answers alone.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/change.hpp>
#include <croco/methods/method.hpp>
#include <croco/methods/noisy_margins.hpp>
#include <croco/methods/rate_constraint.hpp>
#include <croco/methods/search.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Immutable and thread-safe; made once for all people. Keeps a reference to the problem.
class RateCalibrator {
 public:
  RateCalibrator(const Problem& problem, const Certified& options);

  /// The rate that an attempt aims at: the most failures that certify the target, less a reserve.
  [[nodiscard]] double aim_of(std::size_t attempt) const noexcept { return aims_[attempt]; }
  /// What the draws say of any point.
  [[nodiscard]] Judgement judge(View origin, View point, std::size_t attempt) const;

  /// What one person's calibrations may ask for.
  [[nodiscard]] RowBudget budget() const noexcept;
  /// Scales a change to the aim of an attempt, lets other columns help where that ends, repairs the
  /// answer at the point itself, and puts columns with steps on them. `changes` are what may change
  /// on its way.
  [[nodiscard]] Counterfactual calibrated(View origin, const ChangeProblem& changes,
                                          const Vector& start, std::size_t attempt,
                                          RowBudget& budget) const;

 private:
  class Person;

  [[nodiscard]] std::vector<double> make_aims(const Certified& options) const;

  const Problem& problem_;
  NoisyMargins draws_;
  std::vector<double> aims_;
};

}  // namespace croco
