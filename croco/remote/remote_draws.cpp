// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/remote_draws.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <croco/base/error.hpp>
#include <croco/models/joint_draws.hpp>

namespace croco {
namespace {

class BatchedDraws final : public DrawEvaluator, public JointDraws {
 public:
  BatchedDraws(const Model& model, std::size_t batch, Rows draws, DrawnFlips flips)
      : model_(model),
        batch_(batch),
        draws_(draws.data.begin(), draws.data.end()),
        width_(draws.width),
        flips_(std::move(flips)) {}

  [[nodiscard]] const JointDraws* joint() const noexcept override { return this; }
  [[nodiscard]] std::size_t count() const noexcept override {
    return width_ == 0 ? 0 : draws_.size() / width_;
  }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    single_precision({point, width_}, first, out.size(), out);
  }

  void joint_logits(Rows points, std::size_t count, std::span<float> out) const override {
    single_precision(points, 0, count, out);
  }

  double logits_and_own(View point, std::span<float> out) const override {
    Matrix rows(out.size() + 1, width_);
    for (std::size_t k = 0; k < out.size(); ++k) add(point, k, rows[k].data());
    std::ranges::copy(point, rows[out.size()].begin());
    Vector logits(rows.count());
    model_.logits(rows.rows(), logits);
    std::ranges::transform(View(logits).first(out.size()), out.begin(),
                           [](double logit) { return static_cast<float>(logit); });
    return logits.back();
  }

  void add_gradient(View /*point*/, std::size_t /*first*/, std::span<const float> /*weights*/,
                    MutableView /*gradient*/) const override {
    throw ModelError("this model has no gradient");
  }

  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* /*undecided*/) const override {
    for_batches(points, 0, count(), [&](std::size_t begin, View logits) {
      for (std::size_t k = 0; k < logits.size(); ++k) {
        failures[(begin + k) / count()] += cut.clears(logits[k]) ? 0U : 1U;
      }
    });
  }

  [[nodiscard]] std::unique_ptr<DrawEvaluator> fixed_at(View point) const override {
    if (flips_.empty()) return nullptr;
    Vector fixed(draws_);
    for (std::size_t k = 0; k < count(); ++k) {
      add_flips(flips_.categories, flips_.of(k), point,
                MutableView(fixed).subspan(k * width_, width_));
    }
    return std::make_unique<BatchedDraws>(model_, batch_, Rows{fixed, width_}, DrawnFlips{});
  }

 private:
  void single_precision(Rows points, std::size_t first, std::size_t each,
                        std::span<float> out) const {
    for_batches(points, first, each, [&](std::size_t begin, View logits) {
      std::ranges::transform(logits, out.begin() + static_cast<std::ptrdiff_t>(begin),
                             [](double logit) { return static_cast<float>(logit); });
    });
  }

  /// Calls `body(begin, logits)` for runs of all copies: `each` draws from `first` on, around the
  /// first point, then around the second, and so on.
  template <typename Body>
  void for_batches(Rows points, std::size_t first, std::size_t each, Body body) const {
    const std::size_t total = points.count() * each;
    Vector rows(std::min(total, batch_) * width_);
    Vector logits(std::min(total, batch_));
    for (std::size_t begin = 0; begin < total; begin += batch_) {
      const std::size_t n = std::min(batch_, total - begin);
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t copy = begin + k;
        add(points[copy / each], first + copy % each, &rows[k * width_]);
      }
      model_.logits({View(rows).first(n * width_), width_}, MutableView(logits).first(n));
      body(begin, View(logits).first(n));
    }
  }

  void add(View point, std::size_t draw, double* row) const noexcept {
    for (std::size_t j = 0; j < width_; ++j) row[j] = point[j] + draws_[draw * width_ + j];
    if (!flips_.empty()) add_flips(flips_.categories, flips_.of(draw), point, {row, width_});
  }

  const Model& model_;
  std::size_t batch_;
  Vector draws_;
  std::size_t width_;
  DrawnFlips flips_;
};

}  // namespace

std::unique_ptr<DrawEvaluator> bind_in_batches(const Model& model, std::size_t batch, Rows draws,
                                               DrawnFlips flips) {
  return std::make_unique<BatchedDraws>(model, batch, draws, std::move(flips));
}

}  // namespace croco
