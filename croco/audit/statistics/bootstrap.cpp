// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/statistics/bootstrap.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <croco/base/bounds.hpp>
#include <croco/base/normal.hpp>
#include <croco/base/random.hpp>

namespace croco {
namespace {

/// P(Poisson(1) <= k) in units of a word; what is beyond the last has a probability below 2^-32.
constexpr std::size_t kMostTimes = 12;
constexpr std::array<double, kMostTimes> kPoisson = [] {
  constexpr double kInverseOfE = 0.36787944117144233;
  std::array<double, kMostTimes> out{};
  double term = kInverseOfE;
  double sum = 0;
  for (std::size_t k = 0; k < kMostTimes; ++k) {
    sum += term;
    out[k] = sum;
    term /= static_cast<double>(k + 1);
  }
  return out;
}();

std::uint8_t poisson_of(double uniform) noexcept {
  std::uint8_t times = 0;
  while (times < kMostTimes && uniform > kPoisson[times]) ++times;
  return times;
}

}  // namespace

void resample_people(std::uint64_t seed, std::size_t replicate, std::span<std::uint8_t> times) {
  const Stream stream{seed, Purpose::resample, replicate};
  for (std::size_t i = 0; i < times.size(); i += 4) {
    const std::array<std::uint32_t, 4> words = random_words(stream, i / 4, 0);
    for (std::size_t k = 0; k < std::min<std::size_t>(4, times.size() - i); ++k) {
      times[i + k] = poisson_of(to_uniform(words[k]));
    }
  }
}

SimultaneousIntervals max_t_intervals(std::span<const double> estimates, const Matrix& replicates,
                                      std::span<const double> least_errors,
                                      std::span<const double> freedom, double confidence) {
  require_confidence(confidence);
  const std::size_t count = replicates.count();
  SimultaneousIntervals out;
  out.errors.assign(least_errors.begin(), least_errors.end());
  for (std::size_t j = 0; j < estimates.size(); ++j) {
    double mean = 0;
    for (std::size_t b = 0; b < count; ++b) mean += replicates[b][j];
    mean /= static_cast<double>(count);
    double square = 0;
    for (std::size_t b = 0; b < count; ++b) {
      square += (replicates[b][j] - mean) * (replicates[b][j] - mean);
    }
    const double error = count > 1 ? std::sqrt(square / static_cast<double>(count - 1)) : 0;
    out.errors[j] = std::max(out.errors[j], error);
  }
  Vector farthest(count);
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t j = 0; j < estimates.size(); ++j) {
      if (out.errors[j] == 0) continue;
      farthest[b] =
          std::max(farthest[b], std::abs(replicates[b][j] - estimates[j]) / out.errors[j]);
    }
  }
  std::ranges::sort(farthest);
  const auto resamples = static_cast<double>(count);
  const double off = normal_quantile(0.99) * std::sqrt(resamples * confidence * (1 - confidence));
  const auto rank = static_cast<std::size_t>(std::ceil(confidence * (resamples + 1) + off));
  if (count > 0) out.critical = farthest[std::min(std::max<std::size_t>(rank, 1), count) - 1];
  out.critical = std::max(out.critical, normal_quantile(0.5 + confidence / 2));
  const double q = out.critical;
  for (std::size_t j = 0; j < estimates.size(); ++j) {
    const double reach = (q + (q * q * q + q) / (4 * freedom[j])) * out.errors[j];
    out.intervals.push_back({estimates[j] - reach, estimates[j] + reach});
  }
  return out;
}

}  // namespace croco
