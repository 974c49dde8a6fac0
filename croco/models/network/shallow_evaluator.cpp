// SPDX-License-Identifier: Apache-2.0
// One hidden layer of ReLU units on fixed draws; the arithmetic is in kernels/relu_bank.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <croco/kernels/relu_bank.hpp>
#include <croco/models/network/flip_groups.hpp>
#include <croco/models/network/mlp_evaluators.hpp>
#include <croco/models/network/projected_draws.hpp>

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

class ShallowDraws final : public DrawEvaluator {
 public:
  ShallowDraws(const Mlp& model, Rows draws, DrawnFlips flips)
      : first_(model.layers()[0]),
        last_(model.layers()[1]),
        units_(ordered_units(model)),
        positive_(static_cast<std::size_t>(std::ranges::count_if(
            units_, [&](const ScaledUnit& unit) { return last_.weight[unit.unit] > 0; }))),
        count_(draws.count()),
        flips_(std::move(flips)),
        lists_(flips_),
        groups_(group_flips(lists_, count_)),
        draws_(first_, units_, draws,
               flips_.empty() ? std::span<const std::uint32_t>() : groups_.draw_of) {
    draws_.allow_flips(flips_.categories);
    if (!flips_.empty()) project_loose(draws);
  }

  [[nodiscard]] bool usable() const noexcept { return draws_.usable(); }
  [[nodiscard]] std::size_t count() const noexcept override { return count_; }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    if (!flips_.empty()) return flipped_logits(point, first, out);
    std::vector<float> cuts(padded_units());
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

  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* undecided) const override {
    std::vector<FlipShifts> shifts;
    shifts.reserve(points.count());
    Vector double_errors;
    for (std::size_t p = 0; p < points.count(); ++p) {
      shifts.push_back(shifts_at(points[p]));
      const bool exact = undecided != nullptr;
      double_errors.push_back(exact ? double_error(points[p], cut.threshold) : 0.0);
    }
    const std::size_t before = undecided == nullptr ? 0 : undecided->size();
    std::vector<float> cuts(points.count() * padded_units());
    std::vector<ReluCut> splits(points.count());
    std::vector<BetweenDraw> between;
    std::vector<std::size_t> below(points.count());
    Vector shift;
    for (const FlipGroup& group : groups_.groups) {
      for (std::size_t p = 0; p < points.count(); ++p) {
        shifts[p].sum(group.ids, shift);
        float* own = &cuts[p * padded_units()];
        const Place place = place_at(shift, own);
        const double limit = cut.threshold - place.constant;
        const double error =
            undecided == nullptr ? 0.0 : usable_error(place.error + double_errors[p]);
        splits[p] = {own, rounded_down(limit - error),
                     error == 0 ? rounded_down(limit) : -rounded_down(-(limit + error))};
      }
      between.clear();
      std::ranges::fill(below, 0U);
      relu_split(bank(group), splits, below.data(), between);
      const std::size_t draws = group.blocks * kBankBlock - group.padding;
      for (std::size_t p = 0; p < points.count(); ++p) {
        failures[p] += cut.above ? below[p] : draws - below[p];
      }
      for (const BetweenDraw& draw : between) {
        if (undecided == nullptr) {  // no number: not cleared
          failures[draw.point] += cut.above ? 1U : 0U;
          continue;
        }
        failures[draw.point] -= cut.above ? 0U : 1U;
        const std::size_t slot = group.first_block * kBankBlock + draw.draw;
        undecided->push_back({draw.point, groups_.draw_of[slot]});
      }
    }
    if (!groups_.loose.empty()) count_loose(shifts, double_errors, cut, failures, undecided);
    if (undecided != nullptr) {
      std::sort(undecided->begin() + static_cast<std::ptrdiff_t>(before), undecided->end());
    }
  }

  [[nodiscard]] std::unique_ptr<DrawEvaluator> fixed_at(View point) const override {
    if (flips_.empty()) return nullptr;
    std::call_once(unflipped_once_, [this] { unflipped_ = unflipped(); });
    const FlipShifts shifts = shifts_at(point);
    // Around a point with these levels its own shift is added again.
    const Vector own = draws_.shift(point);
    ProjectedDraws fixed(*unflipped_);
    const std::size_t units = units_.size();
    std::vector<float> more(units);
    Vector added;
    for (const FlipGroup& group : groups_.groups) {
      shifts.sum(group.ids, added);
      for (std::size_t u = 0; u < units; ++u) {
        more[u] = static_cast<float>(added[u] - own[u]);
        fixed.raise(u, draws_.largest(u) + std::abs(added[u] - own[u]));
      }
      // Most draws flip nothing, and are in their places already.
      if (std::ranges::any_of(more, [](float one) { return one != 0; })) put(group, more, fixed);
    }
    for (std::size_t i = 0; i < groups_.loose.size(); ++i) {
      shifts.sum(loose_ids(i), added);
      float* out = fixed.block(groups_.loose[i] / kBankBlock) + groups_.loose[i] % kBankBlock;
      for (std::size_t u = 0; u < units; ++u) {
        const double value = loose_[i * padded_units() + u] + added[u] - own[u];
        out[u * kBankBlock] = static_cast<float>(value);
        fixed.raise(u, std::abs(value));
      }
    }
    return std::unique_ptr<DrawEvaluator>(new ShallowDraws(*this, std::move(fixed)));
  }

 private:
  /// What a point is to the bank: its cuts, which are written separately, and this.
  struct Place {
    double constant = 0;
    /// A bound on how far a sum in single precision is from the exact one: every value and cut is
    /// rounded once (values with settled flips thrice), and so is every partial sum. What is below
    /// the range of single precision may be lost.
    double error = 0;
  };

  /// The same network on draws whose flips have been settled.
  ShallowDraws(const ShallowDraws& other, ProjectedDraws fixed)
      : first_(other.first_),
        last_(other.last_),
        units_(other.units_),
        positive_(other.positive_),
        count_(other.count_),
        lists_(flips_),
        groups_(group_flips(lists_, other.count_)),
        draws_(std::move(fixed)),
        roundings_(4) {}

  /// The draws of the groups as if none had a flip, in their own order.
  [[nodiscard]] std::unique_ptr<const ProjectedDraws> unflipped() const {
    auto out = std::make_unique<ProjectedDraws>(draws_, count_);
    const std::vector<float> nothing(units_.size());
    for (const FlipGroup& group : groups_.groups) put(group, nothing, *out);
    return out;
  }

  /// Puts the draws of a group, with this much more in each unit, where they are in their own
  /// order.
  void put(const FlipGroup& group, const std::vector<float>& more, ProjectedDraws& out) const {
    const std::size_t units = units_.size();
    std::size_t places[kBankBlock] = {};
    for (std::size_t b = 0; b < group.blocks; ++b) {
      const std::size_t block = group.first_block + b;
      const std::size_t n = kBankBlock - (b + 1 == group.blocks ? group.padding : 0);
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t draw = groups_.draw_of[block * kBankBlock + k];
        places[k] = draw / kBankBlock * units * kBankBlock + draw % kBankBlock;
      }
      const float* in = draws_.block(block);
      for (std::size_t u = 0; u < units; ++u) {
        float* place = out.block(0) + u * kBankBlock;
        for (std::size_t k = 0; k < n; ++k) place[places[k]] = in[u * kBankBlock + k] + more[u];
      }
    }
  }

  [[nodiscard]] std::size_t padded_units() const noexcept {
    return (units_.size() + kUnitRun - 1) / kUnitRun * kUnitRun;
  }

  [[nodiscard]] FlipShifts shifts_at(View point) const {
    return {draws_, flips_, lists_, point, flips_.empty() ? 1 : kUnitRun};
  }

  [[nodiscard]] Place place_at(const Vector& shift, float* cuts) const {
    if (!flips_.empty()) {
      const ReluPlace place =
          relu_cuts(shift.data(), largest_.data(), signs_.data(), shift.size(), cuts);
      return {last_.bias[0] + place.constant, error_of(place.magnitude)};
    }
    Place out{last_.bias[0], 0};
    double magnitude = 0;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      // See relu_cuts; here the constant is summed in the order of the units.
      const double largest = draws_.largest(u);
      const double edge = largest * (1 + 1e-6);
      const double cut = std::clamp(-shift[u], -edge, edge);
      const double added = -shift[u] > edge ? -cut : shift[u];
      cuts[u] = static_cast<float>(cut);
      out.constant += u < positive_ ? added : -added;
      magnitude += std::max(largest, std::abs(cut));
    }
    out.error = error_of(magnitude);
    return out;
  }
  [[nodiscard]] double error_of(double magnitude) const noexcept {
    const auto roundings = static_cast<double>(units_.size() + roundings_);
    return 1.1 * roundings * (kFloatUnit * magnitude + kFloatLost);
  }

  [[nodiscard]] ReluBank bank(const BlockRange& range) const noexcept {
    return {draws_.block(range.first_block), range.blocks, units_.size(), positive_};
  }
  [[nodiscard]] ReluBank bank(const FlipGroup& group) const noexcept {
    return {draws_.block(group.first_block), group.blocks, units_.size(), positive_, group.padding};
  }

  void project_loose(Rows draws) {
    signs_.resize(padded_units());
    largest_.resize(padded_units());
    for (std::size_t u = 0; u < units_.size(); ++u) {
      signs_[u] = u < positive_ ? 1 : -1;
      largest_[u] = draws_.largest(u);
    }
    loose_.resize(groups_.loose.size() * padded_units());
    for (std::size_t i = 0; i < groups_.loose.size(); ++i) {
      const View draw = draws[groups_.loose[i]];
      draws_.include(draw);
      double* out = &loose_[i * padded_units()];
      for (std::size_t j = 0; j < draw.size(); ++j) {
        if (draw[j] != 0) add_scaled(draws_.column(j), draw[j], units_.size(), out);
      }
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> loose_ids(std::size_t i) const noexcept {
    return std::span(groups_.ids)
        .subspan(groups_.begin[i], groups_.begin[i + 1] - groups_.begin[i]);
  }

  /// The logits of some of the loose draws around a point, but for the bias.
  void loose_sums(const FlipShifts& shifts, std::size_t first, std::size_t count,
                  Vector& out) const {
    out.resize(count);
    if (count == 0) return;
    relu_sums({&loose_[first * padded_units()], shifts.base().data(), shifts.deltas().data(),
               signs_.data(), padded_units(), std::span(groups_.begin).subspan(first, count + 1),
               groups_.ids},
              out.data());
  }

  /// How far a sum in double may be from the model's: such sums have errors too, and are not in
  /// the model's order.
  [[nodiscard]] double double_error(View point, double threshold) const {
    constexpr double kLost = 1e-200;  // below the range of double precision, times a large number
    const double magnitude = std::abs(last_.bias[0]) + std::abs(threshold) + 2 * draws_.size(point);
    return 4 * static_cast<double>(first_.inputs + units_.size() + 8) *
           (std::numeric_limits<double>::epsilon() * magnitude + kLost);
  }

  void count_loose(const std::vector<FlipShifts>& shifts, const Vector& errors, const Cut& cut,
                   std::span<std::size_t> failures, std::vector<PointDraw>* undecided) const {
    constexpr std::size_t kInCache = 256;
    Vector sums;
    for (std::size_t first = 0; first < groups_.loose.size(); first += kInCache) {
      const std::size_t n = std::min(kInCache, groups_.loose.size() - first);
      for (std::size_t p = 0; p < shifts.size(); ++p) {
        loose_sums(shifts[p], first, n, sums);
        const double error = undecided == nullptr ? 0.0 : usable_error(errors[p]);
        const double low = cut.threshold - last_.bias[0] - error;
        const double high = cut.threshold - last_.bias[0] + error;
        for (std::size_t i = 0; i < n; ++i) {
          if (undecided != nullptr && !(sums[i] <= low || sums[i] > high)) {
            undecided->push_back({p, groups_.loose[first + i]});
          } else {
            failures[p] += Cut{low, cut.above}.clears(sums[i]) ? 0U : 1U;
          }
        }
      }
    }
  }

  void flipped_logits(View point, std::size_t first, std::span<float> out) const {
    const FlipShifts shifts = shifts_at(point);
    std::vector<float> cuts(padded_units());
    std::vector<float> some;
    Vector shift;
    const auto put = [&](std::size_t draw, float logit) {
      if (draw >= first && draw - first < out.size()) out[draw - first] = logit;
    };
    for (const FlipGroup& group : groups_.groups) {
      shifts.sum(group.ids, shift);
      const Place place = place_at(shift, cuts.data());
      some.resize(group.blocks * kBankBlock);
      relu_logits(bank(group), cuts.data(), static_cast<float>(place.constant), some.data());
      const std::size_t begin = group.first_block * kBankBlock;
      for (std::size_t k = 0; k < some.size() - group.padding; ++k) {
        put(groups_.draw_of[begin + k], some[k]);
      }
    }
    Vector sums;
    loose_sums(shifts, 0, groups_.loose.size(), sums);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      put(groups_.loose[i], static_cast<float>(last_.bias[0] + sums[i]));
    }
  }

  /// The weights of the draws in which each unit is active.
  void add_active(View point, std::size_t first, std::span<const float> weights,
                  Vector& sums) const {
    std::vector<float> cuts(padded_units());
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
    const FlipShifts shifts = shifts_at(point);
    std::vector<float> cuts(padded_units());
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
      shifts.sum(group.ids, shift);
      static_cast<void>(place_at(shift, cuts.data()));
      relu_active(bank(group), cuts.data(), own.data(), sums.data());
    }
    for (std::size_t i = 0; i < groups_.loose.size(); ++i) {
      const float weight = weight_of(groups_.loose[i]);
      if (weight == 0) continue;
      shifts.sum(loose_ids(i), shift);
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
  FlipLists lists_;
  FlipGroups groups_;
  ProjectedDraws draws_;       ///< in the order of the groups
  Vector loose_;               ///< projected in double, [loose draw][padded unit]
  Vector signs_;               ///< of the padded units: 1, -1, and 0 for padding
  Vector largest_;             ///< values of the padded units
  std::size_t roundings_ = 2;  ///< of a value and its cut
  /// What `fixed_at` begins with, once it has been asked for.
  mutable std::once_flag unflipped_once_;
  mutable std::unique_ptr<const ProjectedDraws> unflipped_;
};

}  // namespace

std::unique_ptr<DrawEvaluator> bind_shallow_relu(const Mlp& model, Rows draws, DrawnFlips flips) {
  auto bound = std::make_unique<ShallowDraws>(model, draws, std::move(flips));
  if (!bound->usable()) return nullptr;
  return bound;
}

}  // namespace croco
