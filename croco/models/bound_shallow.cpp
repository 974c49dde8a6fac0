// SPDX-License-Identifier: Apache-2.0
// One hidden layer of ReLU units on fixed draws; the arithmetic is in kernels/relu_bank.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <croco/kernels/relu_bank.hpp>
#include <croco/models/bound_mlp.hpp>
#include <croco/models/flip_groups.hpp>
#include <croco/models/projected_draws.hpp>

namespace croco {
namespace {

/// The hidden units that matter, those with a positive output weight first.
std::vector<ScaledUnit> ordered_units(const Mlp& model) {
  const Vector& weights = model.layers()[1].weight;
  std::vector<ScaledUnit> units;
  for (const double sign : {1.0, -1.0}) {
    for (std::size_t h = 0; h < weights.size(); ++h) {
      if (sign * weights[h] > 0) units.push_back({h, std::abs(weights[h])});
    }
  }
  return units;
}

class ShallowDraws final : public BoundDraws {
 public:
  ShallowDraws(const Mlp& model, Rows draws, DrawnFlips flips)
      : first_(model.layers()[0]),
        last_(model.layers()[1]),
        units_(ordered_units(model)),
        positive_(static_cast<std::size_t>(std::ranges::count_if(
            units_, [&](const ScaledUnit& unit) { return last_.weight[unit.unit] > 0; }))),
        count_(draws.count()),
        flips_(std::move(flips)),
        groups_(group_flips(flips_, count_)),
        draws_(flips_.empty() ? ProjectedDraws(first_, units_, draws)
                              : ProjectedDraws(first_, units_, arranged(draws).rows())) {
    if (!flips_.empty()) project_loose(draws);
  }

  [[nodiscard]] std::size_t count() const noexcept override { return count_; }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    if (!flips_.empty()) return flipped_logits(point, first, out);
    std::vector<float> cuts(units_.size());
    const Place place = place_at(draws_.shift(point), cuts.data());
    const BlockRange range(first, out.size());
    const auto constant = static_cast<float>(place.constant);
    if (range.offset == 0 && out.size() % kBankBlock == 0) {
      relu_logits(bank(range), cuts.data(), constant, out.data());
      return;
    }
    std::vector<float> padded(range.blocks * kBankBlock);
    relu_logits(bank(range), cuts.data(), constant, padded.data());
    std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>(range.offset), out.size(),
                out.begin());
  }

  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    Vector sums(units_.size());
    if (flips_.empty()) {
      add_active(point, first, weights, sums);
    } else {
      add_flipped_active(point, first, weights, sums);
    }
    for (std::size_t u = 0; u < units_.size(); ++u) {
      const std::size_t h = units_[u].unit;
      add_scaled(&first_.weight[h * first_.inputs], sums[u] * last_.weight[h], first_.inputs,
                 gradient.data());
    }
  }

  void count_at_most(Rows points, double threshold, std::span<std::size_t> at_most,
                     std::vector<PointDraw>* undecided) const override {
    std::vector<FlipShifts> shifts;
    shifts.reserve(points.count());
    for (std::size_t p = 0; p < points.count(); ++p) {
      shifts.emplace_back(draws_, flips_, points[p]);
    }
    const std::size_t before = undecided == nullptr ? 0 : undecided->size();
    std::vector<float> cuts(points.count() * units_.size());
    std::vector<ReluCut> splits(points.count());
    std::vector<BetweenDraw> between;
    Vector shift;
    for (const FlipGroup& group : groups_.groups) {
      for (std::size_t p = 0; p < points.count(); ++p) {
        shift = shifts[p].base();
        if (!flips_.empty()) shifts[p].add(group.draw, shift.data());
        const Place place = place_at(shift, &cuts[p * units_.size()]);
        const double limit = threshold - place.constant;
        const double error = undecided == nullptr ? 0.0 : place.error;
        splits[p] = {&cuts[p * units_.size()], rounded_down(limit - error),
                     error == 0 ? rounded_down(limit) : -rounded_down(-(limit + error))};
      }
      between.clear();
      relu_split(bank(group), splits, at_most.data(), between);
      if (undecided == nullptr) continue;
      for (const BetweenDraw& draw : between) {
        const std::size_t slot = group.first_block * kBankBlock + draw.draw;
        undecided->push_back({draw.point, flips_.empty() ? slot : groups_.draw_of[slot]});
      }
    }
    if (!groups_.loose.empty()) count_loose(shifts, threshold, at_most, undecided);
    if (undecided != nullptr) {
      std::sort(undecided->begin() + static_cast<std::ptrdiff_t>(before), undecided->end());
    }
  }

  [[nodiscard]] std::unique_ptr<BoundDraws> fixed_at(View point) const override {
    if (flips_.empty()) return nullptr;
    const FlipShifts shifts(draws_, flips_, point);
    // Around a point with these levels its own shift is added again.
    Vector own = draws_.shift(point);
    for (std::size_t u = 0; u < own.size(); ++u) own[u] = shifts.base()[u] - own[u];
    ProjectedDraws fixed(draws_, count_);
    Vector added;
    for (const FlipGroup& group : groups_.groups) {
      added = own;
      shifts.add(group.draw, added.data());
      const std::size_t begin = group.first_block * kBankBlock;
      const std::size_t end = begin + group.blocks * kBankBlock - group.padding;
      for (std::size_t u = 0; u < units_.size(); ++u) {
        for (std::size_t slot = begin; slot < end; ++slot) {
          fixed.set(groups_.draw_of[slot], u,
                    static_cast<double>(draws_.value(slot, u)) + added[u]);
        }
      }
    }
    for (std::size_t i = 0; i < groups_.loose.size(); ++i) {
      added = own;
      shifts.add(groups_.loose[i], added.data());
      for (std::size_t u = 0; u < units_.size(); ++u) {
        fixed.set(groups_.loose[i], u, loose_[i * padded_units() + u] + added[u]);
      }
    }
    return std::unique_ptr<BoundDraws>(new ShallowDraws(*this, std::move(fixed)));
  }

 private:
  /// What a point is to the bank: its cuts, written elsewhere, and this.
  struct Place {
    double constant = 0;
    /// A bound on how far a sum in single precision is from the exact one: every value and cut is
    /// rounded once (values of fixed flips twice), and so is every partial sum.
    double error = 0;
  };

  /// The same network on draws whose flips have been settled.
  ShallowDraws(const ShallowDraws& other, ProjectedDraws fixed)
      : first_(other.first_),
        last_(other.last_),
        units_(other.units_),
        positive_(other.positive_),
        count_(other.count_),
        groups_(group_flips({}, other.count_)),
        draws_(std::move(fixed)),
        roundings_(3) {}

  [[nodiscard]] std::size_t padded_units() const noexcept {
    return (units_.size() + kUnitRun - 1) / kUnitRun * kUnitRun;
  }

  [[nodiscard]] Place place_at(const Vector& shift, float* cuts) const {
    Place out{last_.bias[0], 0};
    double magnitude = 0;
    for (std::size_t u = 0; u < shift.size(); ++u) {
      // A unit that is off, or on, for every draw: a cut just outside of the draws says the same
      // and keeps large numbers out of the sums.
      const double largest = draws_.largest(u);
      const double edge = largest * (1 + 1e-6);
      const double cut = std::clamp(-shift[u], -edge, edge);
      const double added = -shift[u] > edge ? -cut : shift[u];
      cuts[u] = static_cast<float>(cut);
      out.constant += u < positive_ ? added : -added;
      magnitude += std::max(largest, std::abs(cut));
    }
    out.error = 1.1 * kFloatUnit * static_cast<double>(shift.size() + roundings_) * magnitude;
    return out;
  }

  [[nodiscard]] ReluBank bank(const BlockRange& range) const noexcept {
    return {draws_.block(range.first_block), range.blocks, units_.size(), positive_};
  }
  [[nodiscard]] ReluBank bank(const FlipGroup& group) const noexcept {
    return {draws_.block(group.first_block), group.blocks, units_.size(), positive_, group.padding};
  }

  /// The draws in the order of the groups, padding in between.
  [[nodiscard]] Matrix arranged(Rows draws) const {
    Matrix out(groups_.draw_of.size(), draws.width);
    for (std::size_t slot = 0; slot < groups_.draw_of.size(); ++slot) {
      if (groups_.draw_of[slot] == FlipGroups::kNoDraw) continue;
      std::ranges::copy(draws[groups_.draw_of[slot]], out[slot].begin());
    }
    return out;
  }

  void project_loose(Rows draws) {
    signs_.resize(padded_units());
    for (std::size_t u = 0; u < units_.size(); ++u) signs_[u] = u < positive_ ? 1 : -1;
    loose_.resize(groups_.loose.size() * padded_units());
    for (std::size_t i = 0; i < groups_.loose.size(); ++i) {
      const View draw = draws[groups_.loose[i]];
      double* out = &loose_[i * padded_units()];
      for (std::size_t j = 0; j < draw.size(); ++j) {
        if (draw[j] != 0) add_scaled(draws_.column(j), draw[j], units_.size(), out);
      }
      for (std::size_t u = 0; u < units_.size(); ++u) {
        largest_loose_ = std::max(largest_loose_, std::abs(out[u]));
      }
    }
  }

  /// Pre-activations of a loose draw without its own part, padded.
  void loose_shift(const FlipShifts& shifts, std::size_t i, Vector& out) const {
    out.assign(padded_units(), 0.0);
    std::ranges::copy(shifts.base(), out.begin());
    shifts.add(groups_.loose[i], out.data());
  }

  void count_loose(const std::vector<FlipShifts>& shifts, double threshold,
                   std::span<std::size_t> at_most, std::vector<PointDraw>* undecided) const {
    Vector shift;
    for (std::size_t p = 0; p < shifts.size(); ++p) {
      // Sums in double have errors too, and are not in the model's order.
      double magnitude = std::abs(last_.bias[0]) + std::abs(threshold);
      const Vector reach = undecided == nullptr ? Vector(units_.size()) : shifts[p].reach();
      for (std::size_t u = 0; u < reach.size(); ++u) {
        magnitude += largest_loose_ + std::abs(shifts[p].base()[u]) + reach[u];
      }
      const double error = undecided == nullptr
                               ? 0.0
                               : static_cast<double>(first_.inputs + units_.size() + 8) *
                                     std::numeric_limits<double>::epsilon() * magnitude;
      for (std::size_t i = 0; i < groups_.loose.size(); ++i) {
        loose_shift(shifts[p], i, shift);
        const double logit = last_.bias[0] + relu_sum(&loose_[i * padded_units()], shift.data(),
                                                      signs_.data(), shift.size());
        if (logit <= threshold - error) {
          ++at_most[p];
        } else if (undecided != nullptr && logit <= threshold + error) {
          undecided->push_back({p, groups_.loose[i]});
        }
      }
    }
  }

  void flipped_logits(View point, std::size_t first, std::span<float> out) const {
    const FlipShifts shifts(draws_, flips_, point);
    std::vector<float> cuts(units_.size());
    std::vector<float> some;
    Vector shift;
    const auto put = [&](std::size_t draw, float logit) {
      if (draw >= first && draw - first < out.size()) out[draw - first] = logit;
    };
    for (const FlipGroup& group : groups_.groups) {
      shift = shifts.base();
      shifts.add(group.draw, shift.data());
      const Place place = place_at(shift, cuts.data());
      some.resize(group.blocks * kBankBlock);
      relu_logits(bank(group), cuts.data(), static_cast<float>(place.constant), some.data());
      const std::size_t begin = group.first_block * kBankBlock;
      for (std::size_t k = 0; k < some.size() - group.padding; ++k) {
        put(groups_.draw_of[begin + k], some[k]);
      }
    }
    for (std::size_t i = 0; i < groups_.loose.size(); ++i) {
      if (groups_.loose[i] < first || groups_.loose[i] - first >= out.size()) continue;
      loose_shift(shifts, i, shift);
      put(groups_.loose[i],
          static_cast<float>(last_.bias[0] + relu_sum(&loose_[i * padded_units()], shift.data(),
                                                      signs_.data(), shift.size())));
    }
  }

  /// The weights of the draws in which each unit is active.
  void add_active(View point, std::size_t first, std::span<const float> weights,
                  Vector& sums) const {
    std::vector<float> cuts(units_.size());
    static_cast<void>(place_at(draws_.shift(point), cuts.data()));
    const BlockRange range(first, weights.size());
    if (range.offset == 0 && weights.size() % kBankBlock == 0) {
      relu_active(bank(range), cuts.data(), weights.data(), sums.data());
      return;
    }
    std::vector<float> padded(range.blocks * kBankBlock);
    std::ranges::copy(weights, padded.begin() + static_cast<std::ptrdiff_t>(range.offset));
    relu_active(bank(range), cuts.data(), padded.data(), sums.data());
  }

  void add_flipped_active(View point, std::size_t first, std::span<const float> weights,
                          Vector& sums) const {
    const FlipShifts shifts(draws_, flips_, point);
    std::vector<float> cuts(units_.size());
    std::vector<float> own;
    Vector shift;
    const auto weight_of = [&](std::size_t draw) {
      return draw >= first && draw - first < weights.size() ? weights[draw - first] : 0.0F;
    };
    for (const FlipGroup& group : groups_.groups) {
      const std::size_t begin = group.first_block * kBankBlock;
      own.assign(group.blocks * kBankBlock, 0.0F);
      for (std::size_t k = 0; k < own.size() - group.padding; ++k) {
        own[k] = weight_of(groups_.draw_of[begin + k]);
      }
      if (std::ranges::all_of(own, [](float weight) { return weight == 0; })) continue;
      shift = shifts.base();
      shifts.add(group.draw, shift.data());
      static_cast<void>(place_at(shift, cuts.data()));
      relu_active(bank(group), cuts.data(), own.data(), sums.data());
    }
    for (std::size_t i = 0; i < groups_.loose.size(); ++i) {
      const float weight = weight_of(groups_.loose[i]);
      if (weight == 0) continue;
      loose_shift(shifts, i, shift);
      const double* values = &loose_[i * padded_units()];
      for (std::size_t u = 0; u < sums.size(); ++u) {
        if (values[u] + shift[u] > 0) sums[u] += static_cast<double>(weight);
      }
    }
  }

  const DenseLayer& first_;
  const DenseLayer& last_;
  std::vector<ScaledUnit> units_;
  std::size_t positive_;
  std::size_t count_;
  DrawnFlips flips_;
  FlipGroups groups_;
  ProjectedDraws draws_;  ///< in the order of the groups
  Vector loose_;          ///< projected in double, [loose draw][padded unit]
  Vector signs_;          ///< of the padded units: 1, -1, and 0 for padding
  double largest_loose_ = 0;
  std::size_t roundings_ = 2;  ///< of a value and its cut
};

}  // namespace

std::unique_ptr<BoundDraws> bind_shallow_relu(const Mlp& model, Rows draws, DrawnFlips flips) {
  return std::make_unique<ShallowDraws>(model, draws, std::move(flips));
}

}  // namespace croco
