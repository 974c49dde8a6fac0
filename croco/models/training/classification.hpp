// SPDX-License-Identifier: Apache-2.0
/// How good a classifier is: accuracy, the area under the ROC curve, the confusion matrix.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <croco/base/types.hpp>

namespace croco {

struct ClassificationMetrics {
  std::size_t count = 0;
  double accuracy = 0.0;
  double auc = 0.0;  ///< ties count one half; NaN when one class is absent
  std::array<std::array<std::size_t, 2>, 2> confusion{};  ///< [actual class][predicted class]
};

/// `logits[k]` is the score of item k; class 1 is predicted above `logit_threshold`. No clear
/// answer (NaN) is a wrong one, and ranks below all others.
[[nodiscard]] ClassificationMetrics classification_metrics(View logits,
                                                           std::span<const std::uint8_t> labels,
                                                           double logit_threshold = 0.0);

}  // namespace croco
