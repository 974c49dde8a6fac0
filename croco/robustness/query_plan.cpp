// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/query_plan.hpp>

#include <algorithm>

#include <croco/base/bounds.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/looks.hpp>

namespace croco {
namespace {

constexpr double kPilotShare = 0.25;
constexpr double kFirstPart = 0.07;
constexpr double kSecondPart = 0.11;
constexpr double kReserveShare = 0.15;
/// Failures that a first certificate must allow before it leaves a reserve.
constexpr std::size_t kEasilyAllowed = 10;
/// Fewer samples are looked at once: an early look would cost more than it saves.
constexpr std::size_t kFewSamples = 300;
constexpr std::size_t kMostSamples = std::size_t{1} << 40;

std::size_t part_of(double share, std::size_t samples) {
  return static_cast<std::size_t>(share * static_cast<double>(samples));
}

/// The least count in 1 .. kMostSamples that holds, where all above it do.
template <typename Holds>
std::size_t least_holding(const Holds& holds) {
  std::size_t low = 0;
  std::size_t high = 1;
  while (high < kMostSamples && !holds(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

std::size_t allowed(CertifyOptions options, std::size_t samples) {
  if (samples == 0) return 0;
  options.attempt = 0;
  return passing_count(within_samples(options, samples)).value_or(0);
}

QueryPlan planned(std::size_t samples, const CertifyOptions& options) {
  QueryPlan out;
  out.pilot = part_of(kPilotShare, samples);
  out.first_part = part_of(kFirstPart, samples);
  out.second_part = part_of(kSecondPart, samples);
  const std::size_t reserve = part_of(kReserveShare, samples);
  const bool enough = allowed(options, samples - out.pilot - reserve) >= kEasilyAllowed;
  out.reserve = enough ? reserve : 0;
  out.certificate = samples - out.pilot - out.reserve;
  out.first_look = within_samples(options, out.certificate).first_look;
  return out;
}

}  // namespace

CertifyOptions within_samples(CertifyOptions options, std::size_t samples) {
  options.samples = samples;
  options.sequential = samples >= kFewSamples;
  options.first_look = std::max<std::size_t>(1, samples / 3);
  return options;
}

std::optional<std::size_t> passing_count(const CertifyOptions& options) {
  std::vector<Look> looks{{options.samples, 1.0}};
  if (options.sequential) looks = planned_looks(options.samples, options.first_look);
  const double confidence = look_confidence(options.confidence, options.family, options.attempts,
                                            options.attempt, options.share * looks.back().share);
  return largest_passing_count(options.samples, options.target.value_or(0.5), confidence);
}

std::optional<QueryPlan> plan_queries(std::size_t samples, const CertifyOptions& options) {
  const QueryPlan plan = planned(samples, options);
  if (plan.certificate == 0 || allowed(options, plan.certificate) < kLeastAllowed) {
    return std::nullopt;
  }
  return plan;
}

std::size_t least_samples(const CertifyOptions& options) {
  return least_holding(
      [&](std::size_t samples) { return plan_queries(samples, options).has_value(); });
}

}  // namespace croco
