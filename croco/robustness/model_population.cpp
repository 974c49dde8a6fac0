// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/model_population.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>

namespace croco {
namespace {

constexpr std::array kBets{1.0, 0.5, 0.2};
constexpr std::size_t kMostModels = 10'000'000;

/// A rate, and how many models have it: counts of failures are few different numbers.
struct Occurrence {
  double rate = 0;
  double models = 0;
};

std::vector<Occurrence> occurrences(View rates) {
  Vector sorted(rates.begin(), rates.end());
  std::ranges::sort(sorted);
  std::vector<Occurrence> out;
  for (const double rate : sorted) {
    if (out.empty() || out.back().rate != rate) out.push_back({rate, 0});
    out.back().models += 1;
  }
  return out;
}

/// The logarithm of the mean wealth.
double log_wealth(std::span<const Occurrence> rates, double m) {
  std::array<double, kBets.size()> logs{};
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < kBets.size(); ++b) {
    double sum = 0;
    for (const Occurrence& one : rates) {
      sum += one.models * std::log1p(kBets[b] * (m - one.rate) / (1 - m));
    }
    logs[b] = sum;
    largest = std::max(largest, logs[b]);
  }
  if (!std::isfinite(largest)) return largest;
  double sum = 0;
  for (const double log : logs) sum += std::exp(log - largest);
  return largest + std::log(sum / static_cast<double>(kBets.size()));
}

/// The least m with enough wealth, from above.
double least_mean(std::span<const Occurrence> rates, double confidence) {
  const double needed = -std::log1p(-confidence);
  double low = 0;
  double high = 1;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (log_wealth(rates, middle) >= needed ? high : low) = middle;
  }
  return high;
}

/// The bound when all of `models` fail at `rate`.
double constant_upper(double rate, std::size_t models, double confidence) {
  const Occurrence all{rate, static_cast<double>(models)};
  return least_mean({&all, 1}, confidence);
}

}  // namespace

double joint_upper(View rates, double confidence) {
  require_confidence(confidence);
  if (rates.empty()) throw InvalidArgument("models is 0; it must be at least 1");
  return least_mean(occurrences(rates), confidence);
}

double joint_lower(View rates, double confidence) {
  Vector successes(rates.size());
  std::ranges::transform(rates, successes.begin(), [](double rate) { return 1 - rate; });
  return 1 - joint_upper(successes, confidence);
}

std::optional<double> passing_joint_rate(std::size_t models, double target, double confidence) {
  const auto passes = [&](double rate) {
    return constant_upper(rate, models, confidence) <= target;
  };
  if (!passes(0)) return std::nullopt;
  double low = 0;
  double high = target;
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (passes(middle) ? low : high) = middle;
  }
  return low;
}

std::optional<double> passing_share(std::size_t models, double target, double confidence) {
  if (constant_upper(0, models, confidence) > target) return std::nullopt;
  const auto passes = [&](std::size_t failing) {
    const std::array<Occurrence, 2> all{Occurrence{0, static_cast<double>(models - failing)},
                                        Occurrence{1, static_cast<double>(failing)}};
    return least_mean(all, confidence) <= target;
  };
  std::size_t low = 0;
  std::size_t high = models;  // all of them: the bound is 1
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (passes(middle) ? low : high) = middle;
  }
  return static_cast<double>(low) / static_cast<double>(models);
}

std::optional<std::size_t> models_for_joint(double rate, double target, double confidence) {
  if (!(rate < target)) return std::nullopt;
  std::size_t low = 0;
  std::size_t high = kMostModels;
  if (constant_upper(rate, high, confidence) > target) return std::nullopt;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (constant_upper(rate, middle, confidence) <= target ? high : low) = middle;
  }
  return high;
}

std::optional<std::size_t> most_within_limit(std::size_t samples, double limit) {
  return largest_passing_count(samples, limit, 1 - kShareMiss);
}

double share_upper(std::size_t exceeding, std::size_t models, double confidence) {
  return std::min(1.0, clopper_pearson_upper(exceeding, models, confidence) / (1 - kShareMiss));
}

std::size_t models_for_share(std::size_t exceeding, double share, double confidence) {
  std::size_t low = exceeding;
  std::size_t high = kMostModels;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (share_upper(exceeding, middle, confidence) <= share ? high : low) = middle;
  }
  return high;
}

}  // namespace croco
