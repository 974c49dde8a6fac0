// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/stopped_rate.hpp>

#include <algorithm>
#include <utility>

namespace croco {

StoppedRate::StoppedRate(std::vector<std::size_t> looks,
                         std::function<GoingOn(std::size_t)> goes_on, double around)
    : looks_(std::move(looks)),
      goes_on_(std::move(goes_on)),
      odds_(around / (1 - around)),
      around_(around) {}

double StoppedRate::at(std::size_t look, std::size_t invalid) {
  const double quotient = static_cast<double>(invalid) / static_cast<double>(looks_[look]);
  if (look == 0 || looks_[look] > kMostExact) return quotient;
  while (stages_.size() < look) add_stage();
  const Stage& last = stages_[look - 1];
  const std::size_t samples = looks_[look] - looks_[look - 1];
  // Counts before this run of samples that can lead to `invalid`.
  const std::size_t low = std::max(last.lowest, invalid - std::min(invalid, samples));
  const std::size_t end = std::min(last.lowest + last.ways.size(), invalid + 1);
  if (low >= end) return quotient;
  const Vector step = steps(samples, invalid + 1 - end, invalid - low);
  double ways = 0;
  double failed = 0;
  for (std::size_t before = low; before < end; ++before) {
    const double weight = step[end - 1 - before];
    ways += weight * last.ways[before - last.lowest];
    failed += weight * last.failed[before - last.lowest];
  }
  return ways > 0 ? failed / ways : quotient;
}

/// Ways to `least` .. `most` failures of `samples`, each times `odds_` to the number of failures,
/// relative to the largest. Products alone, so that they are the same on every machine.
Vector StoppedRate::steps(std::size_t samples, std::size_t least, std::size_t most) const {
  Vector out(most - least + 1);
  const auto usual = static_cast<std::size_t>(around_ * static_cast<double>(samples));
  const std::size_t middle = std::clamp(usual, least, most);
  out[middle - least] = 1;
  for (std::size_t count = middle; count < most; ++count) {
    out[count + 1 - least] = out[count - least] * odds_ * static_cast<double>(samples - count) /
                             static_cast<double>(count + 1);
  }
  for (std::size_t count = middle; count > least; --count) {
    out[count - 1 - least] = out[count - least] / odds_ * static_cast<double>(count) /
                             static_cast<double>(samples - count + 1);
  }
  return out;
}

void StoppedRate::add_stage() {
  const std::size_t look = stages_.size();
  const std::size_t samples = looks_[look];
  const GoingOn counts = goes_on_(look);
  std::size_t end = std::min(counts.end, samples + 1);
  Stage next;
  next.lowest = counts.lowest;
  if (look == 0) {
    if (next.lowest < end) next.ways = steps(samples, next.lowest, end - 1);
    for (std::size_t i = 0; i < next.ways.size(); ++i) {
      next.failed.push_back(next.ways[i] * static_cast<double>(next.lowest + i) /
                            static_cast<double>(samples));
    }
    stages_.push_back(std::move(next));
    return;
  }
  const Stage& last = stages_.back();
  const std::size_t made = samples - looks_[look - 1];
  next.lowest = std::max(next.lowest, last.lowest);
  end = std::min(end, last.lowest + last.ways.size() + made);
  if (last.ways.empty() || next.lowest >= end) {
    stages_.push_back({});
    return;
  }
  next.ways.resize(end - next.lowest);
  next.failed.resize(end - next.lowest);
  const std::size_t highest = last.lowest + last.ways.size() - 1;
  const std::size_t least = next.lowest - std::min(next.lowest, highest);
  const std::size_t most = std::min(made, end - 1 - last.lowest);
  const Vector step = steps(made, least, most);
  for (std::size_t i = 0; i < last.ways.size(); ++i) {
    const std::size_t before = last.lowest + i;
    const std::size_t first = std::max(next.lowest, before + least);
    const std::size_t stop = std::min(end, before + most + 1);
    for (std::size_t after = first; after < stop; ++after) {
      const double weight = step[after - before - least];
      next.ways[after - next.lowest] += weight * last.ways[i];
      next.failed[after - next.lowest] += weight * last.failed[i];
    }
  }
  const double scale = *std::ranges::max_element(next.ways);
  if (!(scale > 0)) next.ways.clear();
  for (Vector* numbers : {&next.ways, &next.failed}) {
    for (double& number : *numbers) number /= scale;
  }
  stages_.push_back(std::move(next));
}

}  // namespace croco
