// SPDX-License-Identifier: Apache-2.0
/// The answer that is wanted of a model.
///
///     croco::Goal goal(0.3);     // class 1, when its probability is above .3
///     croco::Goal other(0.5, 0); // class 0
#pragma once

#include <cmath>
#include <limits>

#include <croco/base/export.hpp>
#include <croco/models/model.hpp>

namespace croco {

/// The answer that is wanted. The model predicts class 1 when `f > threshold`. Everything below
/// works on the *wanted* class: its logit is `sign * z`, its threshold `t` or `1 - t`.
class CROCO_EXPORT Goal {
 public:
  /// Throws InvalidArgument unless 0 < threshold < 1 and wanted is 0 or 1.
  explicit Goal(double threshold = 0.5, int wanted = 1);

  /// The same goal, but only logits that are farther than `tolerance` on the wanted side of the
  /// threshold reach it.
  [[nodiscard]] Goal clear_of(double tolerance) const;

  [[nodiscard]] double threshold() const noexcept { return threshold_; }
  [[nodiscard]] int wanted() const noexcept { return wanted_; }
  /// Where the wanted side begins: the threshold as a logit, and the tolerance.
  [[nodiscard]] double logit_threshold() const noexcept { return logit_threshold_; }
  /// +1 for class 1, -1 for class 0.
  [[nodiscard]] double sign() const noexcept { return wanted_ == 1 ? 1.0 : -1.0; }
  /// The threshold on the probability of the wanted class.
  [[nodiscard]] double wanted_threshold() const noexcept {
    return wanted_ == 1 ? threshold_ : 1 - threshold_;
  }
  /// The logits that are the wanted answer.
  [[nodiscard]] Cut cut() const noexcept { return {logit_threshold_, wanted_ == 1}; }
  /// How far a logit is on the wanted side: > 0 inside. No clear answer (NaN) is infinitely far
  /// out.
  [[nodiscard]] double margin(double logit) const noexcept {
    return std::isnan(logit) ? -std::numeric_limits<double>::infinity()
                             : sign() * (logit - logit_threshold_);
  }
  /// Whether the model gives the wanted answer: `f > t` for class 1, `f <= t` for class 0. No clear
  /// answer (NaN) is neither.
  [[nodiscard]] bool reached(double logit) const noexcept { return cut().clears(logit); }
  /// Whether a logit is within the tolerance of the threshold, on either side: roundings may decide
  /// there.
  [[nodiscard]] bool on_threshold(double logit) const noexcept;

 private:
  double threshold_;
  double logit_threshold_;  ///< with the tolerance
  int wanted_;
};

}  // namespace croco
