// SPDX-License-Identifier: Apache-2.0
/// From a surrogate's failure rate to the model's. On the scale of the normal quantile the two
/// differ by about a constant near a person,
///
///     Phi^-1(1 - rate) = Phi^-1(1 - surrogate's rate) + shift,
///
/// since both move alike as a change grows. The shift is unknown; its distribution over people is
/// learnt once for everybody, and few samples of the model narrow it for one person (Bayes' rule on
/// a grid). This decides only where a certificate is tried. No statement rests on it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <croco/base/types.hpp>

namespace croco {

/// What samples of the model showed at a point with this rate under the surrogate.
struct RateObservation {
  double surrogate_rate = 0.0;
  std::size_t samples = 0;
  std::size_t invalid = 0;
};

/// A normal distribution of shifts over people.
struct ShiftPrior {
  double mean = 0.0;
  double deviation = 0.5;
};

/// The most likely prior for one observation of each of several people; the default when there are
/// fewer than 5.
[[nodiscard]] ShiftPrior fitted_prior(std::span<const RateObservation> people);

/// The shift of one person, with what is known of it.
class RateShift {
 public:
  explicit RateShift(const ShiftPrior& prior);

  void observe(const RateObservation& seen);
  /// P(at most `most` of `samples` fail) at a point with this rate under the surrogate.
  [[nodiscard]] double pass_probability(double surrogate_rate, std::size_t samples,
                                        std::size_t most) const;
  /// The largest rate under the surrogate, among `rates` in falling order, at which a certificate
  /// passes with this probability: its place, or that of the last when none does.
  [[nodiscard]] std::size_t step_to_pass(std::span<const double> rates, std::size_t samples,
                                         std::size_t most, double probability) const;
  /// The expected rate of the model.
  [[nodiscard]] double expected_rate(double surrogate_rate) const;

 private:
  Vector shifts_;
  Vector weights_;  ///< sum to 1
};

}  // namespace croco
