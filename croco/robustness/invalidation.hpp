// SPDX-License-Identifier: Apache-2.0
/// The recourse invalidation rate (definition 1 of the paper): how often noise undoes a point,
///
///     Gamma(x') = P(the model's answer at x' + e is not the wanted one).
///
/// It is measured by counting (eq. 3): the failures among K independent samples are binomial with
/// Gamma, whatever the model is, which is all that a certificate relies on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// What samples around a point showed.
struct Tally {
  std::size_t samples = 0;
  std::size_t invalid = 0;  ///< samples whose answer is not the wanted one
  double soft_sum = 0.0;    ///< sum of the unwanted probabilities; 0 unless asked for

  /// The Monte-Carlo estimate of eq. 3.
  [[nodiscard]] double rate() const noexcept {
    return static_cast<double>(invalid) / static_cast<double>(samples);
  }
  [[nodiscard]] double soft_rate() const noexcept {
    return soft_sum / static_cast<double>(samples);
  }
};

struct TallyOptions {
  Purpose purpose = Purpose::evaluate;
  std::size_t samples = 100'000;
  std::uint64_t first = 0;  ///< samples first .. first + samples - 1 of the purpose's stream
  bool soft = false;        ///< sum the soft rate as well, at the price of an exp per sample
  unsigned threads = 1;
  std::stop_token stop = {};  ///< when requested, no tallies are returned
};

/// Lays the samples around every point. Blocks of samples meet all points while they are in the
/// cache; the counts are exactly those of the model in double precision, and the tallies do not
/// depend on the threads, nor on which other points are there.
[[nodiscard]] std::vector<Tally> tally(const Problem& problem, std::span<const Advice> advice,
                                       const TallyOptions& options);

/// The samples of a bank around every point; counts may be off by the few samples that single
/// precision cannot decide. A tally does not depend on the other points.
[[nodiscard]] std::vector<Tally> tally(const Problem& problem, const NoiseBank& bank,
                                       std::span<const Advice> advice, bool soft);
[[nodiscard]] Tally tally(const Problem& problem, const NoiseBank& bank, const Advice& advice,
                          bool soft);

}  // namespace croco
