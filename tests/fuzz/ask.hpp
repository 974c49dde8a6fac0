// SPDX-License-Identifier: Apache-2.0
/// Everything that searches and certificates ask of a model, put to one that somebody may have
/// damaged. It may answer what it likes, but every way of asking has to give the same answer.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/models/model.hpp>
#include <croco/space/level_flips.hpp>

namespace croco::fuzz {

/// Wider models take long without doing anything else.
inline constexpr std::size_t kMaxWidth = 1024;

/// Ends the process where a promise is broken: the fuzzer then keeps the input.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Answers for points with draws around them, all at once and one by one.
class Asker {
 public:
  /// With flips, the first columns are a category of `levels` levels.
  Asker(const Model& model, std::size_t levels) : model_(model), width_(model.width()) {
    Sequence random({7, Purpose::train, levels});
    // Values as people have them once encoded, and in their own units.
    for (const double reach : {1.0, 60.0}) {
      Vector point(width_);
      for (double& value : point) value = reach * (2 * random.uniform() - 0.5);
      for (std::size_t l = 0; l < levels; ++l) point[l] = l == 1 ? 1.0 : 0.0;
      points_.append(point);
    }
    draws_ = Matrix(kDraws, width_);
    for (std::size_t k = 0; k < kDraws; ++k) {
      for (std::size_t j = levels; j < width_; ++j) {
        draws_[k][j] = j % 3 == 2 ? 0.0 : random.uniform() - 0.5;
      }
    }
    if (levels == 0) return;
    flips_.push_back(LevelFlips::uniform({0, levels}, 0.3, std::vector<bool>(levels, true)));
    for (std::size_t k = 0; k < kDraws; ++k) {
      cells_.push_back(static_cast<std::uint32_t>(flips_[0].cell_of(random.uniform())));
    }
  }

  void ask() const {
    ask_rows(noisy(points_[0]));
    const std::unique_ptr<DrawEvaluator> bound =
        flips_.empty() ? model_.bind(draws_.rows())
                       : model_.bind_flips(draws_.rows(), DrawnFlips{flips_, cells_});
    ask_bound(*bound);
    if (const std::unique_ptr<DrawEvaluator> fixed = bound->fixed_at(points_[0])) ask_bound(*fixed);
  }

 private:
  static constexpr std::size_t kDraws = 70;  // more than a block of any kernel but the trees'

  [[nodiscard]] Matrix noisy(View point) const {
    Matrix rows(kDraws, width_);
    for (std::size_t k = 0; k < kDraws; ++k) {
      for (std::size_t j = 0; j < width_; ++j) rows[k][j] = point[j] + draws_[k][j];
      if (!flips_.empty()) add_flips(flips_, std::span(cells_).subspan(k, 1), point, rows[k]);
    }
    return rows;
  }

  /// No clear answer (NaN) is the same as another.
  static bool same(double one, double other) {
    return one == other || (std::isnan(one) && std::isnan(other));
  }

  void ask_rows(const Matrix& rows) const {
    Vector together(rows.count());
    model_.logits(rows.rows(), together);
    for (std::size_t k = 0; k < rows.count(); ++k) {
      if (k % 8 == 0) {
        require(same(model_.logit(rows[k]), together[k]),
                "a row's logit does not depend on its batch");
      }
    }
    if (const Gradient* gradient = model_.gradient()) {
      Vector slopes(width_);
      require(same(gradient->logit_gradient(rows[0], slopes), together[0]),
              "the gradient comes with the logit");
    }
  }

  void ask_bound(const DrawEvaluator& bound) const {
    require(bound.count() == kDraws, "as many draws are bound as were given");
    for (const Cut cut : {Cut{-0.1, true}, Cut{-0.1, false}}) {
      std::vector<std::size_t> counts(points_.count());
      std::vector<PointDraw> undecided;
      bound.count_failures(points_.rows(), cut, counts, &undecided);
      for (std::size_t p = 0; p < points_.count(); ++p) {
        Vector logits(kDraws);
        model_.logits(noisy(points_[p]).rows(), logits);
        std::size_t exact = 0;
        for (const double logit : logits) exact += cut.clears(logit) ? 0U : 1U;
        for (const PointDraw& one : undecided) {
          if (one.point == p && !cut.clears(logits[one.draw])) ++counts[p];
        }
        require(counts[p] == exact, "counts are those of rows one by one");
      }
    }
    std::vector<float> logits(kDraws - 3);
    bound.logits(points_[0], 2, logits);
    if (model_.gradient() == nullptr) return;
    Vector gradient(width_);
    const std::vector<float> weights(kDraws, 0.5F);
    bound.add_gradient(points_[0], 0, weights, gradient);
  }

  const Model& model_;
  std::size_t width_;
  Matrix points_ = Matrix(0, width_);
  Matrix draws_;
  std::vector<LevelFlips> flips_;
  std::vector<std::uint32_t> cells_;
};

/// Asks without flips and with flips of a category in the first columns.
inline void ask(const Model& model) {
  if (model.width() == 0 || model.width() > kMaxWidth) return;
  Asker(model, 0).ask();
  if (model.width() >= 3) Asker(model, 3).ask();
}

}  // namespace croco::fuzz
