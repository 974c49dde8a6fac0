// SPDX-License-Identifier: Apache-2.0
// A program on planes on fixed draws: the draws through its affine beginning once.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <croco/base/error.hpp>
#include <croco/models/graph/plane_error.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/graph/plane_pass.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// Single precision serves where its logits are surely so near to the exact ones; usually they are
/// nearer by far.
constexpr double kSingleReach = 0.25;
/// The error bounds are of either way to compute; the excess over 2 covers their own roundings.
constexpr double kBothWays = 2.2;

class PlaneDraws final : public DrawEvaluator {
 public:
  PlaneDraws(const PlaneModel& model, Rows draws, DrawnFlips flips)
      : model_(model),
        head_(model.drawn().head),
        width_(model.width()),
        count_(draws.count()),
        flips_(std::move(flips)),
        farthest_(width_) {
    if (model.keeps_rows()) draws_.assign(draws.data.begin(), draws.data.end());
    if (!model.projected()) return;
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t j = 0; j < width_; ++j) {
        farthest_[j] = std::max(farthest_[j], std::abs(draws[k][j]));
      }
    }
    project(draws);
    for (const LevelFlips& category : flips_.categories) {
      std::fill_n(farthest_.begin() + static_cast<std::ptrdiff_t>(category.group().first),
                  category.group().count, 1.0);
    }
    for (const AffineForm& form : head_) {
      fixed_.push_back(std::ranges::all_of(
          form.terms, [&](const AffineForm::Term& term) { return farthest_[term.index] == 0; }));
    }
  }

  [[nodiscard]] std::size_t count() const noexcept override { return count_; }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    const Place place(*this, point);
    const auto run = [&]<typename Number>(PlanePass<Number> pass) {
      for_batches(place, first, out.size(), pass,
                  [&](std::size_t begin, std::span<const Number> logits) {
                    for (std::size_t k = 0; k < logits.size(); ++k) {
                      out[begin + k] = static_cast<float>(model_.coupled(double{logits[k]}));
                    }
                  });
    };
    if (reach(place, kSingleDraws) <= kSingleReach) return run(pass_for<float>(out.size()));
    run(pass_for<double>(out.size()));
  }

  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    if (model_.gradient() == nullptr) throw ModelError("this model has no gradient");
    const Place place(*this, point);
    Vector sums(head_.size());
    const auto run = [&]<typename Number>(PlanePass<Number> pass) {
      // Often few draws have a weight: those are packed into blocks.
      std::vector<std::size_t> packed;
      Vector slopes;
      const auto flush = [&] {
        if (packed.empty()) return;
        for (std::size_t k = 0; k < packed.size(); ++k) put(place, packed[k], k, pass);
        static_cast<void>(pass.forward(packed.size()));
        pass.backward(slopes);
        for (std::size_t f = 0; f < sums.size(); ++f) {
          for (std::size_t k = 0; k < packed.size(); ++k) {
            sums[f] += static_cast<double>(pass.input_slope(f)[k]);
          }
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
    };
    if (reach(place, kSingleDraws) <= kSingleReach) {
      run(pass_for<float>(weights.size()));
    } else {
      run(pass_for<double>(weights.size()));
    }
    for (std::size_t f = 0; f < sums.size(); ++f) {
      for (const AffineForm::Term& term : head_[f].terms) {
        gradient[term.index] += term.factor * sums[f];
      }
    }
  }

  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* undecided) const override {
    for (std::size_t p = 0; p < points.count(); ++p) {
      const Place place(*this, points[p]);
      const double gap = undecided == nullptr ? 0 : model_.coupling_gap(cut.threshold);
      std::vector<std::size_t> close;
      const double off = reach(place, kSingleDraws);
      const bool uncoupled = undecided != nullptr && model_.uncoupled() && std::isfinite(gap);
      if (off <= kSingleReach && std::isfinite(gap)) {
        split<float>(place, cut, undecided == nullptr ? 0 : off + gap, failures[p], close);
      } else if (uncoupled) {
        split<double>(place, cut, reach(place, kDouble) + gap, failures[p], close);
      } else {
        close.resize(count_);
        std::iota(close.begin(), close.end(), std::size_t{0});
      }
      if (undecided != nullptr && model_.keeps_rows()) {
        count_rows(place, cut, close, failures[p]);
      } else {
        settle(place, cut, close, p, failures[p], undecided);
      }
    }
  }

  [[nodiscard]] std::unique_ptr<DrawEvaluator> fixed_at(View point) const override {
    if (flips_.empty()) return nullptr;
    const Place place(*this, point);
    auto fixed = std::unique_ptr<PlaneDraws>(new PlaneDraws(*this));
    fixed->flips_ = {};
    for (std::size_t k = 0; k < count_; ++k) {
      if (!draws_.empty()) {
        add_flips(flips_.categories, flips_.of(k), point,
                  MutableView(fixed->draws_).subspan(k * width_, width_));
      }
      place.for_changes(
          k, [&](std::size_t f, double change) { fixed->values_[f * count_ + k] += change; });
    }
    return fixed;
  }

 private:
  PlaneDraws(const PlaneDraws&) = default;

  /// Column by column; those without noise add nothing.
  void project(Rows draws) {
    values_.resize(head_.size() * count_);
    Vector column(count_);
    for (std::size_t j = 0; j < width_; ++j) {
      if (farthest_[j] == 0) continue;
      for (std::size_t k = 0; k < count_; ++k) column[k] = draws.data[k * draws.width + j];
      for (std::size_t f = 0; f < head_.size(); ++f) {
        const auto& terms = head_[f].terms;
        const auto term = std::ranges::lower_bound(terms, j, {}, &AffineForm::Term::index);
        if (term == terms.end() || term->index != j) continue;
        add_scaled(column.data(), term->factor, count_, &values_[f * count_]);
      }
    }
  }

  /// What a point is to the draws: where the head puts it, and what each flip from its levels adds.
  class Place {
   public:
    Place(const PlaneDraws& owner, View point) : owner_(owner), point_(point) {
      if (!owner.model_.projected()) return;
      for (const AffineForm& form : owner.head_) {
        base_.push_back(value_at(form, point));
      }
      if (owner.flips_.empty()) return;
      std::vector<std::vector<std::pair<std::size_t, double>>> columns(owner.width_);
      for (std::size_t f = 0; f < owner.head_.size(); ++f) {
        for (const AffineForm::Term& term : owner.head_[f].terms) {
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

    [[nodiscard]] bool changes_any(std::size_t draw) const {
      const auto cells = owner_.flips_.of(draw);
      for (std::size_t c = 0; c < cells.size(); ++c) {
        if (owner_.flips_.categories[c].target(cells[c], levels_[c]) != levels_[c]) return true;
      }
      return false;
    }
    /// Calls `body(head, what a draw's flips add to it)`.
    template <typename Body>
    void for_changes(std::size_t draw, Body body) const {
      if (changes_.empty()) return;
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

  template <typename Number>
  [[nodiscard]] PlanePass<Number> pass_for(std::size_t items) const {
    PlanePass<Number> pass(model_.drawn().tail, model_.float_layers(), items);
    if (model_.projected()) pass.set_draws(fixed_);
    return pass;
  }

  /// How far a logit of either way to compute may be from the other's: the model's own, row by row
  /// in double, and the draws' here.
  [[nodiscard]] double reach(const Place& place, const Arithmetic& arithmetic) const {
    if (model_.by_rows()) return std::numeric_limits<double>::infinity();
    std::vector<PlaneBound> inputs;
    inputs.reserve(head_.size());
    const auto flips = static_cast<double>(flips_.categories.size());
    for (const AffineForm& form : head_) {
      double size = std::abs(form.offset);
      for (const AffineForm::Term& term : form.terms) {
        size +=
            std::abs(term.factor) * (std::abs(place.point()[term.index]) + farthest_[term.index]);
      }
      const double roundings = 2 * static_cast<double>(form.terms.size()) + 2 * flips + 8;
      inputs.push_back({size, (roundings * kDouble.unit + 2 * arithmetic.unit) * size +
                                  roundings * arithmetic.least});
    }
    return kBothWays * result_bound(model_.drawn().tail, inputs, arithmetic).error;
  }

  /// Calls `body(begin, logits)` for runs of `count` draws from `first` on.
  template <typename Number, typename Body>
  void for_batches(const Place& place, std::size_t first, std::size_t count,
                   PlanePass<Number>& pass, Body body) const {
    for (std::size_t begin = 0; begin < count; begin += pass.items()) {
      const std::size_t n = std::min(pass.items(), count - begin);
      fill(place, first + begin, n, pass);
      body(begin, std::span<const Number>(pass.forward(n), n));
    }
  }

  /// Counts; draws whose logits are within `off` of the threshold are `close`.
  template <typename Number>
  void split(const Place& place, const Cut& cut, double off, std::size_t& failures,
             std::vector<std::size_t>& close) const {
    PlanePass<Number> pass = pass_for<Number>(count_);
    const auto body = [&](std::size_t begin, std::span<const Number> logits) {
      for (std::size_t k = 0; k < logits.size(); ++k) {
        const auto logit = static_cast<double>(logits[k]);
        if (off > 0 && !is_sure(cut, logit, off)) {
          close.push_back(begin + k);
        } else {
          failures += model_.clears(cut, logit) ? 0U : 1U;
        }
      }
    };
    for_batches(place, 0, count_, pass, body);
  }

  /// Whether all logits within `off` of it are on one side; no number is on none.
  static bool is_sure(const Cut& cut, double logit, double off) noexcept {
    return logit <= cut.threshold - off || logit > cut.threshold + off;
  }

  /// Counts some draws in double; what even that cannot decide is left to the model itself.
  void settle(const Place& place, const Cut& cut, std::span<const std::size_t> close,
              std::size_t number, std::size_t& failures, std::vector<PointDraw>* undecided) const {
    if (close.empty()) return;
    const double off = undecided == nullptr ? 0 : reach(place, kDouble);
    if (undecided != nullptr && !std::isfinite(off)) {
      for (const std::size_t draw : close) undecided->push_back({number, draw});
      return;
    }
    PlanePass<double> pass = pass_for<double>(close.size());
    for (std::size_t begin = 0; begin < close.size(); begin += pass.items()) {
      const std::size_t n = std::min(pass.items(), close.size() - begin);
      for (std::size_t k = 0; k < n; ++k) put(place, close[begin + k], k, pass);
      const double* logits = pass.forward(n);
      for (std::size_t k = 0; k < n; ++k) {
        if (undecided != nullptr && !is_sure(cut, logits[k], off)) {
          undecided->push_back({number, close[begin + k]});
        } else {
          failures += model_.clears(cut, logits[k]) ? 0U : 1U;
        }
      }
    }
  }

  /// Every bit is the model's: draws are added to the point first, in its own order.
  void count_rows(const Place& place, const Cut& cut, std::span<const std::size_t> draws,
                  std::size_t& failures) const {
    if (draws.empty()) return;
    const SplitProgram& parts = model_.parts();
    PlanePass<double> pass(parts.tail, {}, draws.size());
    Vector row(width_);
    for (std::size_t begin = 0; begin < draws.size(); begin += pass.items()) {
      const std::size_t n = std::min(pass.items(), draws.size() - begin);
      for (std::size_t k = 0; k < n; ++k) {
        put_row(place, parts.head, draws[begin + k], k, row, pass);
      }
      const double* logits = pass.forward(n);
      for (std::size_t k = 0; k < n; ++k) failures += cut.clears(logits[k]) ? 0U : 1U;
    }
  }

  template <typename Number>
  void fill(const Place& place, std::size_t first, std::size_t n, PlanePass<Number>& pass) const {
    if (!model_.projected()) {
      Vector row(width_);
      for (std::size_t k = 0; k < n; ++k) put_row(place, head_, first + k, k, row, pass);
      return;
    }
    for (std::size_t f = 0; f < head_.size(); ++f) {
      const double* from = &values_[f * count_ + first];
      Number* to = pass.input(f);
      const double base = place.base(f);
      for (std::size_t k = 0; k < n; ++k) to[k] = static_cast<Number>(base + from[k]);
    }
    if (flips_.empty()) return;
    for (std::size_t k = 0; k < n; ++k) {
      if (place.changes_any(first + k)) put(place, first + k, k, pass);
    }
  }

  template <typename Number>
  void put(const Place& place, std::size_t draw, std::size_t k, PlanePass<Number>& pass) const {
    if (!model_.projected()) {
      Vector row(width_);
      return put_row(place, head_, draw, k, row, pass);
    }
    // In double until the end: one rounding, however many flips there are.
    Vector at(head_.size());
    for (std::size_t f = 0; f < at.size(); ++f) at[f] = place.base(f) + values_[f * count_ + draw];
    place.for_changes(draw, [&](std::size_t f, double change) { at[f] += change; });
    for (std::size_t f = 0; f < at.size(); ++f) pass.input(f)[k] = static_cast<Number>(at[f]);
  }

  template <typename Number>
  void put_row(const Place& place, const std::vector<AffineForm>& head, std::size_t draw,
               std::size_t k, Vector& row, PlanePass<Number>& pass) const {
    for (std::size_t j = 0; j < width_; ++j) row[j] = place.point()[j] + draws_[draw * width_ + j];
    if (!flips_.empty()) add_flips(flips_.categories, flips_.of(draw), place.point(), row);
    for (std::size_t f = 0; f < head.size(); ++f) {
      pass.input(f)[k] = static_cast<Number>(value_at(head[f], row));
    }
  }

  const PlaneModel& model_;
  const std::vector<AffineForm>& head_;
  std::size_t width_;
  std::size_t count_;
  DrawnFlips flips_;
  std::vector<bool> fixed_;  ///< by head, whether it is the same for all draws
  Vector farthest_;          ///< by column, what a draw or a flip adds at most
  Vector values_;            ///< [head][draw]; empty when the model jumps
  Vector draws_;             ///< [draw][column]; only when counts need the rows themselves
};

}  // namespace

std::unique_ptr<DrawEvaluator> bind_planes(const PlaneModel& model, Rows draws, DrawnFlips flips) {
  return std::make_unique<PlaneDraws>(model, draws, std::move(flips));
}

}  // namespace croco
