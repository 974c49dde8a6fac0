// SPDX-License-Identifier: Apache-2.0
/// Upper confidence bounds on a mean of independent numbers in [0, 1]. Each holds with probability
/// at least `confidence` = 1 - alpha, whatever the distribution, for samples that had no part in
/// choosing what is measured. Counts of failures use Clopper-Pearson, which is exact for them;
/// Hoeffding and empirical Bernstein also bound means that are no counts, such as the soft rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <croco/base/bound_kind.hpp>

namespace croco {

/// Throws InvalidArgument naming `field` unless 0 < value < 1.
void require_open_unit(std::string_view field, double value);
/// The same for a confidence.
void require_confidence(double confidence);

/// Clopper and Pearson (1934), one-sided. Exact for counts: the p with
///
///     P(Bin(trials, p) <= events) = 1 - confidence,
///
/// and 1 when events == trials. For any larger rate so few events have a probability below
/// 1 - confidence, so the statement "the rate is at most p" is wrong with at most that. The other
/// tail is a regularised incomplete beta function, `P(Bin > events) = I_p(events + 1, trials -
/// events)`, which is inverted. Requires 0 < trials <= 10^10 and events <= trials.
[[nodiscard]] double clopper_pearson_upper(std::size_t events, std::size_t trials,
                                           double confidence);
/// The mirror image, a limit from below: the p with `P(Bin(trials, p) >= events) = 1 - confidence`;
/// 0 when events == 0.
[[nodiscard]] double clopper_pearson_lower(std::size_t events, std::size_t trials,
                                           double confidence);
/// Hoeffding (1963): `mean + sqrt(ln(1/alpha) / (2 trials))`, at most 1. It knows nothing of the
/// variance, so for rates far from 1/2 it is much wider than the others.
[[nodiscard]] double hoeffding_upper(double mean, std::size_t trials, double confidence);
/// Empirical Bernstein (Maurer and Pontil 2009, theorem 4), for the unbiased sample variance:
/// `mean + sqrt(2 variance ln(2/alpha) / trials) + 7 ln(2/alpha) / (3 (trials - 1))`, at most 1.
/// The first deviation shrinks with the variance; the last term is the price of estimating it.
[[nodiscard]] double empirical_bernstein_upper(double mean, double variance, std::size_t trials,
                                               double confidence);
/// Any bound from samples for a count; 1 for `exact`, which has none.
[[nodiscard]] double upper_bound(BoundKind kind, std::size_t events, std::size_t trials,
                                 double confidence);

/// What a certificate allows: the most events with which `trials` samples bound the rate by
/// `target`, by bisection since the bound grows with the events,
///
///     max{k : clopper_pearson_upper(k) <= target} = max{k : P(Bin(trials, target) <= k) <= alpha},
///
/// and none when even 0 events do not. A search aims a few standard errors below it.
[[nodiscard]] std::optional<std::size_t> largest_passing_count(std::size_t trials, double target,
                                                               double confidence);

/// What a proof allows: the least j with `P(Bin(trials, rate) > j) <= 1 - confidence`. A point
/// whose rate is at most `rate` fails more than j of the samples with no more than that
/// probability, so whatever fails more cannot be such a point.
[[nodiscard]] std::size_t count_not_exceeded(std::size_t trials, double rate, double confidence);

/// Proposition 2 of the paper: with m = margin and t = threshold of the wanted class,
///
///     P(rate <= (m + soft_rate) / (1 - t)) >= 1 - exp(-2 m^2 samples).
///
/// An invalid sample has f <= t, so 1 - f >= 1 - t there: rate (1 - t) <= E[1 - f] (Markov,
/// proposition 1). The mean of 1 - f over the samples is below its expectation by more than m with
/// probability at most exp(-2 m^2 samples) (Hoeffding).
[[nodiscard]] double soft_rate_bound(double soft_rate, double margin, double threshold) noexcept;
/// `1 - exp(-2 margin^2 samples)`.
[[nodiscard]] double margin_confidence(double margin, std::size_t samples) noexcept;
/// The fewest samples whose margin has at least this confidence: `ln(1/alpha) / (2 margin^2)`,
/// rounded up.
[[nodiscard]] std::size_t samples_for_margin(double margin, double confidence);
/// The smallest margin that `samples` allow at this confidence: `sqrt(ln(1/alpha) / (2 samples))`.
[[nodiscard]] double margin_for_samples(std::size_t samples, double confidence);

}  // namespace croco
