// SPDX-License-Identifier: Apache-2.0
#include <croco/models/model.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <croco/base/error.hpp>

namespace croco {
namespace {

/// Draws kept as they are: for models that have nothing to gain from seeing them in advance.
class AddedDraws final : public DrawEvaluator {
 public:
  AddedDraws(const Model& model, Rows draws, DrawnFlips flips)
      : model_(model),
        draws_(draws.data.begin(), draws.data.end()),
        width_(draws.width),
        flips_(std::move(flips)) {}

  [[nodiscard]] std::size_t count() const noexcept override {
    return width_ == 0 ? 0 : draws_.size() / width_;
  }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    for_blocks(point, first, out.size(), [&](std::size_t begin, View logits) {
      std::ranges::transform(logits, out.begin() + static_cast<std::ptrdiff_t>(begin),
                             [](double logit) { return static_cast<float>(logit); });
    });
  }

  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    const Gradient* capability = model_.gradient();
    if (capability == nullptr) throw ModelError("this model has no gradient");
    Vector row(width_);
    Vector row_gradient(width_);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights[k] == 0) continue;
      add(point, first + k, row.data());
      capability->logit_gradient(row, row_gradient);
      const auto weight = static_cast<double>(weights[k]);
      for (std::size_t j = 0; j < width_; ++j) gradient[j] += weight * row_gradient[j];
    }
  }

  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* /*undecided*/) const override {
    for (std::size_t p = 0; p < points.count(); ++p) {
      for_blocks(points[p], 0, count(), [&](std::size_t /*begin*/, View logits) {
        for (const double logit : logits) failures[p] += cut.clears(logit) ? 0U : 1U;
      });
    }
  }

  [[nodiscard]] std::unique_ptr<DrawEvaluator> fixed_at(View point) const override {
    if (flips_.empty()) return nullptr;
    Vector fixed(draws_);
    for (std::size_t k = 0; k < count(); ++k) {
      add_flips(flips_.categories, flips_.of(k), point,
                MutableView(fixed).subspan(k * width_, width_));
    }
    return std::make_unique<AddedDraws>(model_, Rows{fixed, width_}, DrawnFlips{});
  }

 private:
  static constexpr std::size_t kBlock = 256;

  /// Calls `body(begin, logits)` for runs of the draws from `first` on, in double precision.
  template <typename Body>
  void for_blocks(View point, std::size_t first, std::size_t count, Body body) const {
    Vector rows(std::min(count, kBlock) * width_);
    Vector logits(std::min(count, kBlock));
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
      const std::size_t n = std::min(kBlock, count - begin);
      for (std::size_t k = 0; k < n; ++k) add(point, first + begin + k, &rows[k * width_]);
      model_.logits({View(rows).first(n * width_), width_}, MutableView(logits).first(n));
      body(begin, View(logits).first(n));
    }
  }

  void add(View point, std::size_t draw, double* row) const noexcept {
    for (std::size_t j = 0; j < width_; ++j) row[j] = point[j] + draws_[draw * width_ + j];
    if (!flips_.empty()) add_flips(flips_.categories, flips_.of(draw), point, {row, width_});
  }

  const Model& model_;
  Vector draws_;
  std::size_t width_;
  DrawnFlips flips_;
};

}  // namespace

std::unique_ptr<DrawEvaluator> DrawEvaluator::fixed_at(View /*point*/) const { return nullptr; }

std::unique_ptr<DrawEvaluator> Model::bind(Rows draws) const {
  return std::make_unique<AddedDraws>(*this, draws, DrawnFlips{});
}

std::unique_ptr<DrawEvaluator> Model::bind_flips(Rows draws, DrawnFlips flips) const {
  return std::make_unique<AddedDraws>(*this, draws, std::move(flips));
}

double Model::logit(View point) const {
  double value = 0;
  logits({point, width()}, {&value, 1});
  return value;
}

double sigmoid(double logit) noexcept {
  if (logit >= 0) return 1 / (1 + std::exp(-logit));
  const double e = std::exp(logit);
  return e / (1 + e);
}

double logit_of(double probability) noexcept {
  return std::log(probability) - std::log1p(-probability);
}

}  // namespace croco
