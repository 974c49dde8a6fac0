// SPDX-License-Identifier: Apache-2.0
// One hidden layer of ReLU units on fixed draws; the arithmetic is in kernels/relu_bank.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <croco/kernels/relu_bank.hpp>
#include <croco/models/bound_mlp.hpp>
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
  ShallowDraws(const Mlp& model, Rows draws)
      : first_(model.layers()[0]),
        last_(model.layers()[1]),
        units_(ordered_units(model)),
        positive_(static_cast<std::size_t>(std::ranges::count_if(
            units_, [&](const ScaledUnit& unit) { return last_.weight[unit.unit] > 0; }))),
        draws_(first_, units_, draws) {}

  [[nodiscard]] std::size_t count() const noexcept override { return draws_.count(); }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    const Place place(*this, point);
    const BlockRange range(first, out.size());
    const auto constant = static_cast<float>(place.constant);
    if (range.offset == 0 && out.size() % kBankBlock == 0) {
      relu_logits(bank(range), place.cuts.data(), constant, out.data());
      return;
    }
    std::vector<float> padded(range.blocks * kBankBlock);
    relu_logits(bank(range), place.cuts.data(), constant, padded.data());
    std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>(range.offset), out.size(),
                out.begin());
  }

  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    const Place place(*this, point);
    const BlockRange range(first, weights.size());
    Vector sums(units_.size());
    if (range.offset == 0 && weights.size() % kBankBlock == 0) {
      relu_active(bank(range), place.cuts.data(), weights.data(), sums.data());
    } else {
      std::vector<float> padded(range.blocks * kBankBlock);
      std::ranges::copy(weights, padded.begin() + static_cast<std::ptrdiff_t>(range.offset));
      relu_active(bank(range), place.cuts.data(), padded.data(), sums.data());
    }
    for (std::size_t u = 0; u < units_.size(); ++u) {
      const std::size_t h = units_[u].unit;
      add_scaled(&first_.weight[h * first_.inputs], sums[u] * last_.weight[h], first_.inputs,
                 gradient.data());
    }
  }

  void count_at_most(Rows points, double threshold, std::span<std::size_t> at_most,
                     std::vector<PointDraw>* undecided) const override {
    std::vector<Place> places;
    std::vector<ReluCut> cuts;
    places.reserve(points.count());
    cuts.reserve(points.count());
    for (std::size_t p = 0; p < points.count(); ++p) {
      const Place& place = places.emplace_back(*this, points[p]);
      const double limit = threshold - place.constant;
      const double error = undecided == nullptr ? 0.0 : place.error;
      cuts.push_back({place.cuts.data(), rounded_down(limit - error),
                      error == 0 ? rounded_down(limit) : -rounded_down(-(limit + error))});
    }
    std::vector<BetweenDraw> between;
    const std::size_t whole = draws_.count() / kBankBlock;
    relu_split({draws_.block(0), whole, units_.size(), positive_}, cuts, at_most.data(), between);
    count_tail(whole, cuts, at_most, between);
    if (undecided == nullptr) return;
    std::ranges::sort(between);
    for (const BetweenDraw& draw : between) undecided->push_back({draw.point, draw.draw});
  }

 private:
  /// What a point is to the bank.
  struct Place {
    std::vector<float> cuts;
    double constant = 0;
    /// A bound on how far a sum in single precision is from the exact one: every value and cut is
    /// rounded once, and so is every partial sum.
    double error = 0;

    Place(const ShallowDraws& draws, View point)
        : cuts(draws.units_.size()), constant(draws.last_.bias[0]) {
      const Vector shift = draws.draws_.shift(point);
      double magnitude = 0;
      for (std::size_t u = 0; u < shift.size(); ++u) {
        // A unit that is off, or on, for every draw: a cut just outside of the draws says the same
        // and keeps large numbers out of the sums.
        const double largest = draws.draws_.largest(u);
        const double edge = largest * (1 + 1e-6);
        const double cut = std::clamp(-shift[u], -edge, edge);
        const double added = -shift[u] > edge ? -cut : shift[u];
        cuts[u] = static_cast<float>(cut);
        constant += u < draws.positive_ ? added : -added;
        magnitude += std::max(largest, std::abs(cut));
      }
      error = 1.1 * kFloatUnit * static_cast<double>(shift.size() + 2) * magnitude;
    }
  };

  [[nodiscard]] ReluBank bank(const BlockRange& range) const noexcept {
    return {draws_.block(range.first_block), range.blocks, units_.size(), positive_};
  }

  /// The draws of the last block when it is not whole.
  void count_tail(std::size_t whole, const std::vector<ReluCut>& points,
                  std::span<std::size_t> at_most, std::vector<BetweenDraw>& between) const {
    const std::size_t rest = draws_.count() - whole * kBankBlock;
    if (rest == 0) return;
    float sums[kBankBlock];
    for (std::size_t p = 0; p < points.size(); ++p) {
      relu_logits({draws_.block(whole), 1, units_.size(), positive_}, points[p].cuts, 0, sums);
      for (std::size_t k = 0; k < rest; ++k) {
        if (sums[k] <= points[p].low) {
          ++at_most[p];
        } else if (sums[k] <= points[p].high) {
          between.push_back(
              {static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(whole * kBankBlock + k)});
        }
      }
    }
  }

  const DenseLayer& first_;
  const DenseLayer& last_;
  std::vector<ScaledUnit> units_;
  std::size_t positive_;
  ProjectedDraws draws_;
};

}  // namespace

std::unique_ptr<BoundDraws> bind_shallow_relu(const Mlp& model, Rows draws) {
  return std::make_unique<ShallowDraws>(model, draws);
}

}  // namespace croco
