// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/statistics/intervals.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <croco/base/bounds.hpp>
#include <croco/base/normal.hpp>

namespace croco {
namespace {

double two_sided_quantile(double confidence) {
  require_confidence(confidence);
  return normal_quantile(0.5 + confidence / 2);
}

double share_of(std::size_t successes, std::size_t trials) noexcept {
  return static_cast<double>(successes) / static_cast<double>(trials);
}

}  // namespace

ConfidenceInterval wilson_interval(std::size_t successes, std::size_t trials, double confidence) {
  const double z = two_sided_quantile(confidence);
  if (trials == 0) return {0.0, 1.0};
  const auto n = static_cast<double>(trials);
  const double share = share_of(successes, trials);
  const double middle = share + z * z / (2 * n);
  const double reach = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  const double scale = 1 + z * z / n;
  return {successes == 0 ? 0.0 : std::max(0.0, (middle - reach) / scale),
          successes == trials ? 1.0 : std::min(1.0, (middle + reach) / scale)};
}

ConfidenceInterval newcombe_interval(std::size_t successes1, std::size_t trials1,
                                     std::size_t successes2, std::size_t trials2,
                                     double confidence) {
  const double first = share_of(successes1, trials1);
  const double second = share_of(successes2, trials2);
  const ConfidenceInterval around1 = wilson_interval(successes1, trials1, confidence);
  const ConfidenceInterval around2 = wilson_interval(successes2, trials2, confidence);
  const double difference = first - second;
  return {difference - std::hypot(first - around1.lower, around2.upper - second),
          difference + std::hypot(around1.upper - first, second - around2.lower)};
}

double agresti_caffo_error(std::size_t successes1, std::size_t trials1, std::size_t successes2,
                           std::size_t trials2) noexcept {
  const auto variance = [](std::size_t successes, std::size_t trials) {
    const double share = share_of(successes + 1, trials + 2);
    return share * (1 - share) / static_cast<double>(trials + 2);
  };
  return std::sqrt(variance(successes1, trials1) + variance(successes2, trials2));
}

double agresti_min_error(std::size_t first, std::size_t second, std::size_t pairs) noexcept {
  const auto b = static_cast<double>(first) + 0.5;
  const auto c = static_cast<double>(second) + 0.5;
  const auto n = static_cast<double>(pairs) + 2;
  return std::sqrt(b + c - (b - c) * (b - c) / n) / n;
}

double distribution_band(std::size_t count, double confidence) {
  require_confidence(confidence);
  if (count == 0) return 1.0;
  return std::min(1.0,
                  std::sqrt(std::log(2 / (1 - confidence)) / (2 * static_cast<double>(count))));
}

ConfidenceInterval percentile_interval(std::span<const double> replicates, double confidence) {
  require_confidence(confidence);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> low(replicates.begin(), replicates.end());
  std::vector<double> high = low;
  std::ranges::replace_if(low, [](double value) { return std::isnan(value); }, -kInfinity);
  std::ranges::replace_if(high, [](double value) { return std::isnan(value); }, kInfinity);
  const double tail = (1 - confidence) / 2 * static_cast<double>(replicates.size() + 1);
  const auto outside = static_cast<std::size_t>(tail);  // replicates beyond either end, and the end
  if (outside == 0) return {-kInfinity, kInfinity};     // too few of them for this confidence
  const auto lower = low.begin() + static_cast<std::ptrdiff_t>(outside - 1);
  const auto upper = high.end() - static_cast<std::ptrdiff_t>(outside);
  std::ranges::nth_element(low, lower);
  std::ranges::nth_element(high, upper);
  return {*lower, *upper};
}

}  // namespace croco
