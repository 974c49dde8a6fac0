// SPDX-License-Identifier: Apache-2.0
#include <croco/data/distribution.hpp>

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/statistics.hpp>

namespace croco {
namespace {

double absolute_deviation(const Vector& values) {
  const double median = median_of(values);
  Vector deviations;
  for (const double value : values) deviations.push_back(std::abs(value - median));
  const double middle = median_of(deviations);
  return middle > 0 ? middle : mean_of(deviations);
}

/// Knots `first` and `last`, and the one between them that a straight line misses most.
struct Stretch {
  std::size_t first;
  std::size_t last;
  std::size_t worst = 0;
  double error = 0.0;

  Stretch(const Distribution& all, std::size_t begin, std::size_t end) : first(begin), last(end) {
    const double slope =
        (all.shares[last] - all.shares[first]) / (all.values[last] - all.values[first]);
    for (std::size_t i = first + 1; i < last; ++i) {
      const double line = all.shares[first] + slope * (all.values[i] - all.values[first]);
      const double missed = std::abs(all.shares[i] - line);
      if (missed <= error) continue;
      error = missed;
      worst = i;
    }
  }
  /// The larger error first; of equal ones the lower values, so that the order is the data's alone.
  bool operator<(const Stretch& other) const {
    return error != other.error ? error < other.error : first > other.first;
  }
};

Distribution thinned(const Distribution& all) {
  std::set<std::size_t> kept{0, all.values.size() - 1};
  std::priority_queue<Stretch> open;
  open.emplace(all, 0, all.values.size() - 1);
  while (kept.size() < kMostKnots && open.top().error > 0) {
    const Stretch at = open.top();
    open.pop();
    kept.insert(at.worst);
    open.emplace(all, at.first, at.worst);
    open.emplace(all, at.worst, at.last);
  }
  Distribution out{.deviation = all.deviation};
  for (const std::size_t i : kept) {
    out.values.push_back(all.values[i]);
    out.shares.push_back(all.shares[i]);
  }
  return out;
}

}  // namespace

Distribution distribution_of(Vector values) {
  std::ranges::sort(values);
  Distribution all{.deviation = absolute_deviation(values)};
  const auto count = static_cast<double>(values.size());
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin + 1;
    while (end < values.size() && values[end] == values[begin]) ++end;
    all.values.push_back(values[begin]);
    all.shares.push_back(static_cast<double>(begin + end) / (2 * count));
    begin = end;
  }
  return all.values.size() > kMostKnots ? thinned(all) : all;
}

void validate(const Distribution& distribution, const std::string& where) {
  const auto fail = [&](const std::string& rule) {
    throw DataError(fmt::format("{}: distribution: {}", where, rule));
  };
  const auto require_rising = [&](std::string_view name, View numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(numbers[i]) && (i == 0 || numbers[i - 1] < numbers[i])) continue;
      fail(fmt::format("{} {} is {}; they must be finite and rise", name, i + 1,
                       format_number(numbers[i])));
    }
  };
  if (distribution.values.size() != distribution.shares.size() || distribution.values.empty() ||
      distribution.values.size() > kMostKnots) {
    fail(fmt::format("has {} values and {} shares; it needs as many of both, from 1 to {}",
                     distribution.values.size(), distribution.shares.size(), kMostKnots));
  }
  require_rising("value", distribution.values);
  require_rising("share", distribution.shares);
  if (!(distribution.shares.front() > 0 && distribution.shares.back() < 1)) {
    fail(fmt::format("the shares run from {} to {}; they must be above 0 and below 1",
                     format_number(distribution.shares.front()),
                     format_number(distribution.shares.back())));
  }
  if (!(distribution.deviation >= 0) || !std::isfinite(distribution.deviation)) {
    fail(fmt::format("the deviation is {}; it must be a finite number of at least 0",
                     format_number(distribution.deviation)));
  }
}

}  // namespace croco
