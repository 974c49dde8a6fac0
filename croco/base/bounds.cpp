// SPDX-License-Identifier: Apache-2.0
#include <croco/base/bounds.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <boost/math/special_functions/beta.hpp>
#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>

namespace croco {
namespace {

constexpr std::array<std::pair<BoundKind, std::string_view>, 4> kNames{{
    {BoundKind::clopper_pearson, "clopper-pearson"},
    {BoundKind::hoeffding, "hoeffding"},
    {BoundKind::empirical_bernstein, "empirical-bernstein"},
    {BoundKind::exact, "exact"},
}};

/// Beyond a hundred times as many, the series of the incomplete beta function no longer converge.
constexpr std::size_t kMaxTrials = 10'000'000'000;

void require_trials(std::size_t trials) {
  if (trials == 0) throw InvalidArgument("a bound needs at least 1 sample; it was given 0");
  if (trials > kMaxTrials) {
    throw InvalidArgument(
        fmt::format("a bound takes at most {} samples; it was given {}", kMaxTrials, trials));
  }
}

void require_count(std::size_t events, std::size_t trials) {
  require_trials(trials);
  if (events > trials) {
    throw InvalidArgument(
        fmt::format("{} events in {} trials; they cannot be more", events, trials));
  }
}

/// The least of `0 .. end` for which `holds`, which holds for all above it too; `end` when none
/// below it does. Looks around a guess first: near a good one, a few looks are enough.
template <typename Holds>
std::size_t least_count(std::size_t end, double guess, const Holds& holds) {
  std::size_t low = 0;
  std::size_t high = end;
  std::size_t at = guess > 0 ? std::min(end, static_cast<std::size_t>(guess)) : 0;
  for (std::size_t step = 1; at >= low && at < high; step *= 4) {
    if (holds(at)) {
      high = at;
      if (at < step) break;
      at -= step;
    } else {
      low = at + 1;
      at += step;
    }
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

/// The count that a binomial one exceeds with about this probability.
double usual_count(std::size_t trials, double rate, double probability) {
  const auto n = static_cast<double>(trials);
  return n * rate - normal_quantile(probability) * std::sqrt(n * rate * (1 - rate));
}

}  // namespace

std::string_view name_of(BoundKind kind) noexcept {
  return kNames[static_cast<std::size_t>(kind)].second;
}

BoundKind parse_bound(std::string_view text) {
  for (const auto& [kind, name] : kNames) {
    if (text == name && kind != BoundKind::exact) return kind;
  }
  throw InvalidArgument(fmt::format(
      "bound is '{}'; it must be clopper-pearson, hoeffding or empirical-bernstein", text));
}

void require_open_unit(std::string_view field, double value) {
  if (!(value > 0 && value < 1)) {
    throw InvalidArgument(
        fmt::format("{} is {}; it must be greater than 0 and less than 1", field, value));
  }
}

void require_confidence(double confidence) { require_open_unit("confidence", confidence); }

double clopper_pearson_upper(std::size_t events, std::size_t trials, double confidence) {
  require_count(events, trials);
  require_confidence(confidence);
  if (events == trials) return 1.0;
  // P(Bin(n, p) <= k) is the complement of the incomplete beta function with (k + 1, n - k).
  return boost::math::ibetac_inv(static_cast<double>(events) + 1,
                                 static_cast<double>(trials - events), 1 - confidence);
}

double clopper_pearson_lower(std::size_t events, std::size_t trials, double confidence) {
  require_count(events, trials);
  require_confidence(confidence);
  if (events == 0) return 0.0;
  // P(Bin(n, p) >= k) is the incomplete beta function with (k, n - k + 1).
  return boost::math::ibeta_inv(static_cast<double>(events),
                                static_cast<double>(trials - events) + 1, 1 - confidence);
}

double hoeffding_upper(double mean, std::size_t trials, double confidence) {
  return std::min(1.0, mean + margin_for_samples(trials, confidence));
}

double empirical_bernstein_upper(double mean, double variance, std::size_t trials,
                                 double confidence) {
  require_trials(trials);
  require_confidence(confidence);
  if (trials == 1) return 1.0;
  const double log_term = std::log(2 / (1 - confidence));
  const auto n = static_cast<double>(trials);
  return std::min(1.0,
                  mean + std::sqrt(2 * variance * log_term / n) + 7 * log_term / (3 * (n - 1)));
}

double upper_bound(BoundKind kind, std::size_t events, std::size_t trials, double confidence) {
  require_trials(trials);
  const auto n = static_cast<double>(trials);
  const double mean = static_cast<double>(events) / n;
  switch (kind) {
    case BoundKind::clopper_pearson:
      return clopper_pearson_upper(events, trials, confidence);
    case BoundKind::hoeffding:
      return hoeffding_upper(mean, trials, confidence);
    case BoundKind::empirical_bernstein:
      return empirical_bernstein_upper(mean, trials > 1 ? mean * (1 - mean) * n / (n - 1) : 0,
                                       trials, confidence);
    case BoundKind::exact:
      break;
  }
  return 1.0;
}

std::optional<std::size_t> largest_passing_count(std::size_t trials, double target,
                                                 double confidence) {
  require_trials(trials);
  const auto fails = [&](std::size_t count) {
    return clopper_pearson_upper(count, trials, confidence) > target;
  };
  const bool usual = target > 0 && target < 1 && confidence > 0 && confidence < 1;
  const double guess = usual ? usual_count(trials, target, confidence) : 0;
  const std::size_t first = least_count(trials, guess, fails);
  if (first == 0) return std::nullopt;
  return first - 1;
}

std::size_t count_not_exceeded(std::size_t trials, double rate, double confidence) {
  require_trials(trials);
  require_open_unit("rate", rate);
  require_confidence(confidence);
  const auto exceeded = [&](std::size_t count) {  // P(Bin > count)
    return boost::math::ibeta(static_cast<double>(count) + 1, static_cast<double>(trials - count),
                              rate);
  };
  return least_count(trials, usual_count(trials, rate, 1 - confidence),
                     [&](std::size_t count) { return exceeded(count) <= 1 - confidence; });
}

double soft_rate_bound(double soft_rate, double margin, double threshold) noexcept {
  return (margin + soft_rate) / (1 - threshold);
}

double margin_confidence(double margin, std::size_t samples) noexcept {
  return -std::expm1(-2 * margin * margin * static_cast<double>(samples));
}

std::size_t samples_for_margin(double margin, double confidence) {
  require_confidence(confidence);
  if (!(margin > 0)) {
    throw InvalidArgument(fmt::format("margin is {}; it must be greater than 0", margin));
  }
  const double samples = std::ceil(-std::log1p(-confidence) / (2 * margin * margin));
  if (samples > 1e15) {
    throw InvalidArgument(fmt::format(
        "margin is {}; at confidence {} it needs {:.3g} samples, more than can be drawn", margin,
        confidence, samples));
  }
  return static_cast<std::size_t>(samples);
}

double margin_for_samples(std::size_t samples, double confidence) {
  require_trials(samples);
  require_confidence(confidence);
  return std::sqrt(-std::log1p(-confidence) / (2 * static_cast<double>(samples)));
}

}  // namespace croco
