// SPDX-License-Identifier: Apache-2.0
/// A model that another one gives the probability of: forests vote with shares, not with logits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

#include <croco/base/types.hpp>
#include <croco/models/model.hpp>
#include <croco/models/runtime_error.hpp>

namespace croco {

/// Probabilities are kept so far from 0 and 1 when a logit is made of them.
inline constexpr double kLeastProbability = 1e-12;

/// What `shares` calls its logit is the probability here. Decisions are taken on the probability,
/// so that counts are as exact as those of `shares`; there is no gradient.
class ProbabilityModel final : public Model {
 public:
  explicit ProbabilityModel(std::shared_ptr<const Model> shares) : shares_(std::move(shares)) {}

  [[nodiscard]] std::size_t width() const noexcept override { return shares_->width(); }
  void logits(Rows rows, MutableView out) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                          DrawnFlips flips) const override;
  [[nodiscard]] std::size_t evaluator_bytes_per_draw() const noexcept override {
    return shares_->evaluator_bytes_per_draw();
  }
  /// An error of the probability, as one of the logit.
  [[nodiscard]] double tolerance(double threshold) const noexcept override {
    return RuntimeError{0, shares_->tolerance(threshold)}.at(threshold);
  }
  [[nodiscard]] ModelDescription describe() const override;
  [[nodiscard]] const Model& shares() const noexcept { return *shares_; }

 private:
  std::shared_ptr<const Model> shares_;
};

}  // namespace croco
