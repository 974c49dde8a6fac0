// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/surrogate/rate_shift.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <croco/base/normal.hpp>

namespace croco {
namespace {

/// Rates beyond are not told apart by the samples that measure them.
constexpr double kLeastRate = 1e-5;
constexpr std::size_t kGrid = 241;
/// Few people may be like none of those whom the prior was learnt from: their share, and how much
/// wider their shifts are.
constexpr double kOutliers = 0.05;
constexpr double kWider = 4.0;
constexpr std::size_t kFewestPeople = 5;

double score_of(double rate) {
  return -normal_quantile(std::clamp(rate, kLeastRate, 1 - kLeastRate));
}

double shifted_rate(double score, double shift) {
  return std::clamp(normal_cdf(-(score + shift)), kLeastRate, 1 - kLeastRate);
}

double log_likelihood(const RateObservation& seen, double score, double shift) {
  const double rate = shifted_rate(score, shift);
  return static_cast<double>(seen.invalid) * std::log(rate) +
         static_cast<double>(seen.samples - seen.invalid) * std::log1p(-rate);
}

/// P(Bin(samples, rate) <= most).
double count_probability(std::size_t samples, std::size_t most, double rate) {
  if (most >= samples) return 1;
  const auto n = static_cast<double>(samples);
  const double odds = rate / (1 - rate);
  double log_term = n * std::log1p(-rate);
  double sum = std::exp(log_term);
  for (std::size_t k = 1; k <= most; ++k) {
    const auto count = static_cast<double>(k);
    log_term += std::log((n - count + 1) / count * odds);
    sum += std::exp(log_term);
  }
  return std::min(sum, 1.0);
}

/// The log of the mean likelihood of a person over a normal distribution of shifts.
double marginal(const RateObservation& seen, double score, const ShiftPrior& prior) {
  constexpr int kPoints = 12;  // on either side, up to 3 deviations
  double sum = 0;
  double largest = -std::numeric_limits<double>::infinity();
  double total = 0;
  double logs[2 * kPoints + 1];
  for (int i = -kPoints; i <= kPoints; ++i) {
    const double z = 3.0 * i / kPoints;
    const double value =
        log_likelihood(seen, score, prior.mean + z * prior.deviation) - 0.5 * z * z;
    logs[i + kPoints] = value;
    largest = std::max(largest, value);
    total += std::exp(-0.5 * z * z);
  }
  for (const double value : logs) sum += std::exp(value - largest);
  return largest + std::log(sum / total);
}

}  // namespace

ShiftPrior fitted_prior(std::span<const RateObservation> people) {
  ShiftPrior best;
  if (people.size() < kFewestPeople) return best;
  Vector scores;
  for (const RateObservation& one : people) scores.push_back(score_of(one.surrogate_rate));
  double most_likely = -std::numeric_limits<double>::infinity();
  for (int d = 0; d < 16; ++d) {
    const double deviation = 0.05 * std::pow(1.25, d);
    for (int m = -40; m <= 40; ++m) {
      const ShiftPrior prior{0.05 * m, deviation};
      double sum = 0;
      for (std::size_t i = 0; i < people.size(); ++i) sum += marginal(people[i], scores[i], prior);
      if (sum <= most_likely) continue;
      most_likely = sum;
      best = prior;
    }
  }
  return best;
}

RateShift::RateShift(const ShiftPrior& prior) : shifts_(kGrid), weights_(kGrid) {
  const double reach = std::max(1.5, 5 * prior.deviation);
  double sum = 0;
  for (std::size_t i = 0; i < kGrid; ++i) {
    const double place = 2 * static_cast<double>(i) / (kGrid - 1) - 1;
    shifts_[i] = prior.mean + reach * place;
    const double z = reach * place / prior.deviation;
    weights_[i] = (1 - kOutliers) * normal_pdf(z) + kOutliers * normal_pdf(z / kWider) / kWider;
    sum += weights_[i];
  }
  for (double& weight : weights_) weight /= sum;
}

void RateShift::observe(const RateObservation& seen) {
  if (seen.samples == 0) return;
  const double score = score_of(seen.surrogate_rate);
  Vector logs(kGrid);
  for (std::size_t i = 0; i < kGrid; ++i) logs[i] = log_likelihood(seen, score, shifts_[i]);
  const double largest = *std::ranges::max_element(logs);
  double sum = 0;
  for (std::size_t i = 0; i < kGrid; ++i) {
    weights_[i] *= std::exp(logs[i] - largest);
    sum += weights_[i];
  }
  for (double& weight : weights_) weight /= sum;
}

double RateShift::pass_probability(double surrogate_rate, std::size_t samples,
                                   std::size_t most) const {
  const double score = score_of(surrogate_rate);
  double sum = 0;
  for (std::size_t i = 0; i < kGrid; ++i) {
    if (weights_[i] < 1e-7) continue;
    sum += weights_[i] * count_probability(samples, most, shifted_rate(score, shifts_[i]));
  }
  return sum;
}

std::size_t RateShift::step_to_pass(std::span<const double> rates, std::size_t samples,
                                    std::size_t most, double probability) const {
  const auto step = std::ranges::partition_point(
      rates, [&](double rate) { return pass_probability(rate, samples, most) < probability; });
  const auto place = static_cast<std::size_t>(step - rates.begin());
  return std::min(place, rates.size() - 1);
}

double RateShift::expected_rate(double surrogate_rate) const {
  const double score = score_of(surrogate_rate);
  double sum = 0;
  for (std::size_t i = 0; i < kGrid; ++i) sum += weights_[i] * shifted_rate(score, shifts_[i]);
  return sum;
}

}  // namespace croco
