// SPDX-License-Identifier: Apache-2.0
/// A model whose queries are counted, and which is never asked for more rows than it may be. All
/// that is asked within a query budget goes through here: scores, pilots and certificates alike.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <stop_token>

#include <croco/models/model.hpp>
#include <croco/remote/remote_model.hpp>

namespace croco {

/// Thread-safe. It has no capabilities but answers. The rows that keep watch over a remote model
/// count like the others.
class MeteredModel final : public Model {
 public:
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  /// `remote` is the model itself where it is remote, else null. Both must outlive this. `stop`
  /// ends the asking of a remote model between its batches, by Stopped.
  MeteredModel(const Model& model, const RemoteModel* remote, std::size_t limit = kNoLimit,
               std::stop_token stop = {});

  [[nodiscard]] std::size_t width() const noexcept override { return model_.width(); }
  [[nodiscard]] bool queries_are_expensive() const noexcept override { return true; }
  [[nodiscard]] double tolerance(double threshold) const noexcept override {
    return model_.tolerance(threshold);
  }
  /// Throws Error, a fault of the caller, when the rows are more than are left; the model is not
  /// asked then.
  void logits(Rows rows, MutableView out) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                          DrawnFlips flips) const override;

  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
  /// Rows that the model was asked for.
  [[nodiscard]] std::size_t used() const noexcept { return used_.load(); }
  [[nodiscard]] std::size_t left() const noexcept { return limit_ - used(); }
  /// What asking for this many rows at once uses.
  [[nodiscard]] std::size_t price(std::size_t rows) const noexcept {
    return remote_ == nullptr ? rows : remote_->rows_asked_for(rows);
  }

 private:
  const Model& model_;
  const RemoteModel* remote_;
  std::size_t limit_;
  std::stop_token stop_;
  mutable std::atomic<std::size_t> used_ = 0;
};

}  // namespace croco
