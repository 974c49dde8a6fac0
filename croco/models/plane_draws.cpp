// SPDX-License-Identifier: Apache-2.0
// A program on planes on fixed draws: the draws through its affine beginning once.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <croco/base/error.hpp>
#include <croco/models/plane_model.hpp>
#include <croco/models/plane_pass.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// Logits nearer to the threshold are left to the model itself. Two orders of summation in double
/// are some 1e-15 apart, so a program would have to magnify roundings a million times over to
/// be decided wrongly.
constexpr double kUndecided = 1e-8;

class PlaneDraws final : public BoundDraws {
 public:
  PlaneDraws(const SplitProgram& parts, std::size_t width, bool jumps, Rows draws, DrawnFlips flips)
      : parts_(parts),
        width_(width),
        jumps_(jumps),
        count_(draws.count()),
        flips_(std::move(flips)) {
    if (jumps_) {
      values_.assign(draws.data.begin(), draws.data.end());
      return;
    }
    values_.resize(parts.head.size() * count_);
    for (std::size_t f = 0; f < parts.head.size(); ++f) {
      for (const AffineForm::Term& term : parts.head[f].terms) {
        for (std::size_t k = 0; k < count_; ++k) {
          values_[f * count_ + k] += term.factor * draws.data[k * draws.width + term.index];
        }
      }
    }
  }

  [[nodiscard]] std::size_t count() const noexcept override { return count_; }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    const Place place(*this, point);
    PlanePass pass(parts_.tail, out.size());
    for (std::size_t begin = 0; begin < out.size(); begin += pass.items()) {
      const std::size_t n = std::min(pass.items(), out.size() - begin);
      fill(place, first + begin, n, pass);
      const double* logits = pass.forward(n);
      for (std::size_t k = 0; k < n; ++k) out[begin + k] = static_cast<float>(logits[k]);
    }
  }

  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    if (!has_gradient(parts_.tail)) throw ModelError("this model has no gradient");
    const Place place(*this, point);
    PlanePass pass(parts_.tail, weights.size());
    Vector sums(parts_.head.size());
    // Often few draws have a weight: those are packed into blocks.
    std::vector<std::size_t> packed;
    Vector slopes;
    const auto flush = [&] {
      if (packed.empty()) return;
      for (std::size_t k = 0; k < packed.size(); ++k) put(place, packed[k], k, pass);
      static_cast<void>(pass.forward(packed.size()));
      pass.backward(slopes);
      for (std::size_t f = 0; f < sums.size(); ++f) {
        for (std::size_t k = 0; k < packed.size(); ++k) sums[f] += pass.input_slope(f)[k];
      }
      packed.clear();
      slopes.clear();
    };
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights[k] == 0) continue;
      packed.push_back(first + k);
      slopes.push_back(static_cast<double>(weights[k]));
      if (packed.size() == pass.items()) flush();
    }
    flush();
    for (std::size_t f = 0; f < sums.size(); ++f) {
      for (const AffineForm::Term& term : parts_.head[f].terms) {
        gradient[term.index] += term.factor * sums[f];
      }
    }
  }

  void count_at_most(Rows points, double threshold, std::span<std::size_t> at_most,
                     std::vector<PointDraw>* undecided) const override {
    const bool exact = undecided == nullptr || jumps_;
    const double reach = exact ? 0.0 : kUndecided * (1 + std::abs(threshold));
    PlanePass pass(parts_.tail, count_);
    for (std::size_t p = 0; p < points.count(); ++p) {
      const Place place(*this, points[p]);
      for (std::size_t begin = 0; begin < count_; begin += pass.items()) {
        const std::size_t n = std::min(pass.items(), count_ - begin);
        fill(place, begin, n, pass);
        const double* logits = pass.forward(n);
        for (std::size_t k = 0; k < n; ++k) {
          if (logits[k] <= threshold - reach) {
            ++at_most[p];
          } else if (!exact && !(logits[k] > threshold + reach)) {
            undecided->push_back({p, begin + k});
          }
        }
      }
    }
  }

  [[nodiscard]] std::unique_ptr<BoundDraws> fixed_at(View point) const override {
    if (flips_.empty()) return nullptr;
    const Place place(*this, point);
    auto fixed = std::unique_ptr<PlaneDraws>(new PlaneDraws(*this));
    fixed->flips_ = {};
    for (std::size_t k = 0; jumps_ && k < count_; ++k) {
      add_flips(flips_.categories, flips_.of(k), point,
                MutableView(fixed->values_).subspan(k * width_, width_));
    }
    if (jumps_) return fixed;
    for (std::size_t k = 0; k < count_; ++k) {
      place.for_changes(
          k, [&](std::size_t f, double change) { fixed->values_[f * count_ + k] += change; });
    }
    return fixed;
  }

 private:
  PlaneDraws(const PlaneDraws&) = default;

  /// What a point is to the draws: where the head puts it, and what each flip from its levels adds.
  class Place {
   public:
    Place(const PlaneDraws& owner, View point) : owner_(owner), point_(point) {
      if (owner.jumps_) return;
      for (const AffineForm& form : owner.parts_.head) {
        base_.push_back(value_at(form, point));
      }
      if (owner.flips_.empty()) return;
      std::vector<std::vector<std::pair<std::size_t, double>>> columns(owner.width_);
      for (std::size_t f = 0; f < owner.parts_.head.size(); ++f) {
        for (const AffineForm::Term& term : owner.parts_.head[f].terms) {
          columns[term.index].emplace_back(f, term.factor);
        }
      }
      for (const LevelFlips& category : owner.flips_.categories) {
        const OneHotGroup& group = category.group();
        levels_.push_back(level_at(group, point));
        std::vector<std::vector<std::pair<std::size_t, double>>>& targets = changes_.emplace_back();
        for (std::size_t level = 0; level < group.count; ++level) {
          std::vector<std::pair<std::size_t, double>>& change = targets.emplace_back();
          if (level == levels_.back()) continue;
          for (const auto& [f, factor] : columns[group.first + level]) {
            change.emplace_back(f, factor);
          }
          for (const auto& [f, factor] : columns[group.first + levels_.back()]) {
            change.emplace_back(f, -factor);
          }
        }
      }
    }

    [[nodiscard]] View point() const noexcept { return point_; }
    [[nodiscard]] double base(std::size_t f) const noexcept { return base_[f]; }

    /// Calls `body(head, what a draw's flips add to it)`.
    template <typename Body>
    void for_changes(std::size_t draw, Body body) const {
      if (owner_.flips_.empty()) return;
      const auto cells = owner_.flips_.of(draw);
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const std::size_t target = owner_.flips_.categories[c].target(cells[c], levels_[c]);
        for (const auto& [f, change] : changes_[c][target]) body(f, change);
      }
    }

   private:
    const PlaneDraws& owner_;
    View point_;
    Vector base_;
    std::vector<std::size_t> levels_;
    /// [category][level that it turns into]
    std::vector<std::vector<std::vector<std::pair<std::size_t, double>>>> changes_;
  };

  void fill(const Place& place, std::size_t first, std::size_t n, PlanePass& pass) const {
    if (jumps_) {
      for (std::size_t k = 0; k < n; ++k) put(place, first + k, k, pass);
      return;
    }
    for (std::size_t f = 0; f < parts_.head.size(); ++f) {
      const double* from = &values_[f * count_ + first];
      double* to = pass.input(f);
      for (std::size_t k = 0; k < n; ++k) to[k] = place.base(f) + from[k];
    }
    for (std::size_t k = 0; k < n; ++k) {
      place.for_changes(first + k,
                        [&](std::size_t f, double change) { pass.input(f)[k] += change; });
    }
  }

  void put(const Place& place, std::size_t draw, std::size_t k, PlanePass& pass) const {
    if (jumps_) {
      Vector row(width_);
      for (std::size_t j = 0; j < width_; ++j) {
        row[j] = place.point()[j] + values_[draw * width_ + j];
      }
      if (!flips_.empty()) add_flips(flips_.categories, flips_.of(draw), place.point(), row);
      for (std::size_t f = 0; f < parts_.head.size(); ++f)
        pass.input(f)[k] = value_at(parts_.head[f], row);
      return;
    }
    for (std::size_t f = 0; f < parts_.head.size(); ++f) {
      pass.input(f)[k] = place.base(f) + values_[f * count_ + draw];
    }
    place.for_changes(draw, [&](std::size_t f, double change) { pass.input(f)[k] += change; });
  }

  const SplitProgram& parts_;
  std::size_t width_;
  bool jumps_;
  std::size_t count_;
  DrawnFlips flips_;
  Vector values_;  ///< [head][draw], or the draws themselves when the program jumps
};

}  // namespace

std::unique_ptr<BoundDraws> bind_planes(const SplitProgram& parts, std::size_t width, bool jumps,
                                        Rows draws, DrawnFlips flips) {
  return std::make_unique<PlaneDraws>(parts, width, jumps, draws, std::move(flips));
}

}  // namespace croco
