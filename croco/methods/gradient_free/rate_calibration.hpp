// SPDX-License-Identifier: Apache-2.0
/// Brings a change that was found on few samples to where fresh samples will certify it, from the
/// model's answers alone. Attempt i aims at the rate
///
///     aim = kmax / N - u_i sqrt(target (1 - target) (1 / N + 1 / Kc)),    u = 1.5, 2.5, 4,
///
/// where kmax failures are the most that pass among the N samples of the certificate
/// (`largest_passing_count`) and Kc are the samples of this calibration, whose own error counts
/// because there are few of them. The change is scaled along its ray by secants on h, which is
/// nearly linear in the factor; first on a quarter of the samples, then on all.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/certified_settings.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/methods/gradient_free/rate_constraint.hpp>
#include <croco/methods/method.hpp>
#include <croco/methods/noisy_margins.hpp>
#include <croco/methods/search.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Immutable and thread-safe; made once for all people. Keeps a reference to the problem.
class RateCalibrator {
 public:
  RateCalibrator(const Problem& problem, const CertifiedSettings& options);

  /// The rate that an attempt aims at: the most failures that certify the target, less a reserve.
  [[nodiscard]] double aim_of(std::size_t attempt) const noexcept { return aims_[attempt]; }
  /// What the calibration samples say of any point.
  [[nodiscard]] Judgement judge(View origin, View point, std::size_t attempt) const;

  /// The rows that one person's calibrations may query.
  [[nodiscard]] RowBudget budget() const noexcept;
  /// Scales a change to the aim of an attempt, lets other columns help where that ends, repairs the
  /// answer at the point itself, and puts columns with steps on them. `changes` are what may change
  /// on its way.
  [[nodiscard]] Counterfactual calibrated(View origin, const ChangeProblem& changes,
                                          const Vector& start, std::size_t attempt,
                                          RowBudget& budget) const;

 private:
  class Person;

  [[nodiscard]] std::vector<double> make_aims(const CertifiedSettings& options) const;

  const Problem& problem_;
  NoisyMargins draws_;
  std::vector<double> aims_;
};

}  // namespace croco
