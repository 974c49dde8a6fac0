// SPDX-License-Identifier: Apache-2.0
/// Several models of one space that answer for noise samples in turn: what a search sees when a
/// change has to survive retraining too. Bound to K samples, the pool has K (model, noise) pairs,
/// and a count, an order statistic or a gradient over them is one over models and noise together.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <croco/models/model.hpp>
#include <croco/models/pool/network_turns.hpp>

namespace croco {

/// Samples iT .. (i + 1) T - 1 of a bank are the turn of member i mod M. With gradients T = 8: the
/// few samples of a search then meet many members, which its changes have to suit. Models without
/// one, such as trees, answer for blocks of samples at a time and would waste most of each, so that
/// T = 128 there. Asked about a row itself, the first member answers.
class ModelPool final : public Model {
 public:
  /// At least one member, all of one width. `free` are the columns that belong to no category; none
  /// when it is not known. Throws InvalidArgument or ModelError.
  explicit ModelPool(std::vector<std::shared_ptr<const Model>> members,
                     std::span<const std::size_t> free = {});

  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  /// The member that answers for a sample, by its place in what was bound.
  [[nodiscard]] const Model& member_of(std::size_t sample) const noexcept {
    return *members_[sample / turn_ % members_.size()];
  }

  [[nodiscard]] std::size_t width() const noexcept override { return members_[0]->width(); }
  void logits(Rows rows, MutableView out) const override { members_[0]->logits(rows, out); }
  /// Of the first member; null unless every member has a gradient.
  [[nodiscard]] const Gradient* gradient() const noexcept override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                          DrawnFlips flips) const override;
  [[nodiscard]] std::size_t evaluator_bytes_per_draw() const noexcept override;
  /// The largest of the members'.
  [[nodiscard]] double tolerance(double threshold) const noexcept override;
  [[nodiscard]] bool queries_are_expensive() const noexcept override;

 private:
  std::vector<std::shared_ptr<const Model>> members_;
  std::shared_ptr<const NetworkTable> table_;  ///< null unless they are shallow networks
  std::size_t turn_;
};

}  // namespace croco
