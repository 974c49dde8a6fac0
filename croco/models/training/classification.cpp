// SPDX-License-Identifier: Apache-2.0
#include <croco/models/training/classification.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace croco {

ClassificationMetrics classification_metrics(View logits, std::span<const std::uint8_t> labels,
                                             double logit_threshold) {
  ClassificationMetrics metrics;
  metrics.count = logits.size();
  for (std::size_t k = 0; k < logits.size(); ++k) {
    const std::size_t predicted = logits[k] > logit_threshold ? 1 : 0;
    ++metrics.confusion[labels[k]][std::isnan(logits[k]) ? 1U - labels[k] : predicted];
  }
  const std::size_t right = metrics.confusion[0][0] + metrics.confusion[1][1];
  metrics.accuracy = static_cast<double>(right) / static_cast<double>(metrics.count);

  // Mann-Whitney: the sum of the ranks of class 1, ties sharing their mean rank.
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto score = [&](std::size_t k) {
    return std::isnan(logits[k]) ? -std::numeric_limits<double>::infinity() : logits[k];
  };
  std::ranges::sort(order, {}, score);
  double rank_sum = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    std::size_t positives = 0;
    while (end < order.size() && score(order[end]) == score(order[begin])) {
      positives += labels[order[end++]];
    }
    rank_sum += static_cast<double>(positives) * (static_cast<double>(begin + end + 1) / 2);
    begin = end;
  }
  const auto positives = static_cast<double>(metrics.confusion[1][0] + metrics.confusion[1][1]);
  const double negatives = static_cast<double>(metrics.count) - positives;
  metrics.auc = positives == 0 || negatives == 0
                    ? std::numeric_limits<double>::quiet_NaN()
                    : (rank_sum - positives * (positives + 1) / 2) / (positives * negatives);
  return metrics;
}

}  // namespace croco
