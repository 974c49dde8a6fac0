// SPDX-License-Identifier: Apache-2.0
/// Which logits are the wanted answer.
#pragma once

namespace croco {

/// A model that gives no clear answer, NaN, has given neither: it never clears.
struct Cut {
  double threshold = 0;
  bool above = true;  ///< whether a wanted logit is above the threshold, or at most the threshold

  [[nodiscard]] constexpr bool clears(double logit) const noexcept {
    return above ? logit > threshold : logit <= threshold;
  }
};

}  // namespace croco
