// SPDX-License-Identifier: Apache-2.0
/// Upper confidence bounds on a mean of independent numbers in [0, 1]. Each holds with probability
/// at least `confidence`, whatever the distribution, for draws that had no part in choosing what is
/// measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace croco {

enum class BoundKind : std::uint8_t {
  clopper_pearson,
  hoeffding,
  empirical_bernstein,
  exact,  ///< no bound from draws: the rate itself, computed
};

[[nodiscard]] std::string_view name_of(BoundKind kind) noexcept;
/// A bound from draws. Throws InvalidArgument naming the text and the bounds there are.
[[nodiscard]] BoundKind parse_bound(std::string_view text);

/// Throws InvalidArgument naming `field` unless 0 < value < 1.
void require_open_unit(std::string_view field, double value);
/// The same for a confidence.
void require_confidence(double confidence);

/// Exact for counts: the p with `P(Bin(trials, p) <= events) = 1 - confidence`; 1 when
/// events == trials. Requires 0 < trials and events <= trials.
[[nodiscard]] double clopper_pearson_upper(std::size_t events, std::size_t trials,
                                           double confidence);
/// The mirror image, a limit from below: the p with `P(Bin(trials, p) >= events) = 1 - confidence`;
/// 0 when events == 0.
[[nodiscard]] double clopper_pearson_lower(std::size_t events, std::size_t trials,
                                           double confidence);
/// `mean + sqrt(ln(1/alpha) / (2 trials))`, at most 1.
[[nodiscard]] double hoeffding_upper(double mean, std::size_t trials, double confidence);
/// Maurer and Pontil (2009), theorem 4, for the unbiased sample variance:
/// `mean + sqrt(2 variance ln(2/alpha) / trials) + 7 ln(2/alpha) / (3 (trials - 1))`, at most 1.
[[nodiscard]] double empirical_bernstein_upper(double mean, double variance, std::size_t trials,
                                               double confidence);
/// Any bound from draws for a count; 1 for `exact`, which has none.
[[nodiscard]] double upper_bound(BoundKind kind, std::size_t events, std::size_t trials,
                                 double confidence);

/// The most events with which `trials` draws bound the rate by `target` (Clopper-Pearson); none
/// when even 0 events do not.
[[nodiscard]] std::optional<std::size_t> largest_passing_count(std::size_t trials, double target,
                                                               double confidence);

/// The fewest events that `trials` draws of a rate of at most `rate` exceed with a probability of
/// at most `1 - confidence`: the least j with `P(Bin(trials, rate) > j) <= 1 - confidence`.
[[nodiscard]] std::size_t count_not_exceeded(std::size_t trials, double rate, double confidence);

/// Proposition 2 of the paper: `(margin + soft_rate) / (1 - threshold)` bounds the invalidation
/// rate with confidence `1 - exp(-2 margin^2 samples)`.
[[nodiscard]] double soft_rate_bound(double soft_rate, double margin, double threshold) noexcept;
/// `1 - exp(-2 margin^2 samples)`.
[[nodiscard]] double margin_confidence(double margin, std::size_t samples) noexcept;
/// The fewest samples whose margin has at least this confidence.
[[nodiscard]] std::size_t samples_for_margin(double margin, double confidence);
/// The smallest margin that `samples` allow at this confidence.
[[nodiscard]] double margin_for_samples(std::size_t samples, double confidence);

}  // namespace croco
