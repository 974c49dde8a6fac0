// SPDX-License-Identifier: Apache-2.0
/// How far the library that a model comes from may be from croco's logit of the same row.
#pragma once

#include <algorithm>
#include <limits>

namespace croco {

struct RuntimeError {
  double logit = 0;        ///< of the sum or the network
  double probability = 0;  ///< of the probability that the library makes of it

  /// Both as an error of the logit, for answers near a threshold.
  [[nodiscard]] double at(double threshold) const noexcept {
    if (probability == 0) return logit;
    // The slope of the logit is largest at the end of the error that is nearer to 0 or 1.
    const double nearest = std::min(threshold, 1 - threshold) - probability;
    return nearest > 0 ? logit + probability / (nearest * (1 - nearest))
                       : std::numeric_limits<double>::infinity();
  }
};

/// Of a logistic function or a softmax in either precision.
inline constexpr double kSingleProbabilityError = 0x1p-21;
inline constexpr double kDoubleProbabilityError = 0x1p-48;

}  // namespace croco
