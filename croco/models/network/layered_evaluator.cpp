// SPDX-License-Identifier: Apache-2.0
// A network of any depth on fixed draws: the draws through the first layer once, the layers after
// it block by block in single precision.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <croco/kernels/aligned.hpp>
#include <croco/kernels/order_select.hpp>
#include <croco/models/network/flip_groups.hpp>
#include <croco/models/network/layer_pass.hpp>
#include <croco/models/network/mlp_evaluators.hpp>
#include <croco/models/network/projected_draws.hpp>

namespace croco {
namespace {

std::vector<ScaledUnit> all_units(const DenseLayer& layer) {
  std::vector<ScaledUnit> units(layer.outputs);
  for (std::size_t h = 0; h < units.size(); ++h) units[h].unit = h;
  return units;
}

/// The steepest slope of an activation, and its largest value for |x| <= magnitude.
double steepness(Activation activation) noexcept {
  return activation == Activation::gelu ? 1.2 : 1.0;
}

class LayeredDraws final : public DrawEvaluator {
 public:
  LayeredDraws(const Mlp& model, Rows draws, DrawnFlips flips)
      : network_(model),
        units_(all_units(model.layers().front())),
        count_(draws.count()),
        flips_(std::move(flips)),
        lists_(flips_),
        groups_(group_flips(lists_, count_)),
        draws_(model.layers().front(), units_, draws, order()),
        roundings_(3) {
    draws_.allow_flips(flips_.categories);
  }

  [[nodiscard]] bool usable() const noexcept { return draws_.usable(); }
  [[nodiscard]] std::size_t count() const noexcept override { return count_; }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    const Place place(*this, point);
    LayerPass pass(network_);
    if (!flips_.empty()) {
      for_flipped_blocks(
          {&place, 1}, pass,
          [&](std::size_t /*place*/, const float* logits, std::size_t block, std::size_t n) {
            for (std::size_t k = 0; k < n; ++k) {
              const std::size_t draw = draw_at(block * kBankBlock + k);
              if (draw >= first && draw - first < out.size()) out[draw - first] = logits[k];
            }
          });
      return;
    }
    const BlockRange range(first, out.size());
    std::size_t offset = range.offset;
    std::size_t done = 0;
    for (std::size_t b = 0; b < range.blocks; ++b, offset = 0) {
      const float* block = pass.forward(place.usual, draws_.block(range.first_block + b));
      const std::size_t n = std::min(kBankBlock - offset, out.size() - done);
      std::copy_n(block + offset, n, out.begin() + static_cast<std::ptrdiff_t>(done));
      done += n;
    }
  }

  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    const Place place(*this, point);
    const LayerRoute all(network_, place.flips.base());
    LayerPass pass(network_);
    Vector sums(units_.size());
    // Often few draws have a weight: those are packed into blocks of their own.
    AlignedFloats packed(units_.size() * kBankBlock);
    AlignedFloats slopes(kBankBlock);
    std::size_t filled = 0;
    const auto flush = [&] {
      if (filled == 0) return;
      std::fill(slopes.begin() + static_cast<std::ptrdiff_t>(filled), slopes.end(), 0.0F);
      static_cast<void>(pass.forward(all, packed.data()));
      pass.backward(slopes, sums);
      filled = 0;
    };
    const auto add = [&](std::size_t slot, std::span<const std::uint32_t> ids, float weight) {
      if (weight == 0) return;
      const float* in = draws_.block(slot / kBankBlock) + slot % kBankBlock;
      float* out = packed.data() + filled;
      for (std::size_t u = 0; u < units_.size(); ++u) out[u * kBankBlock] = in[u * kBankBlock];
      place.add(ids, out);
      slopes[filled++] = weight;
      if (filled == kBankBlock) flush();
    };
    if (flips_.empty()) {
      for (std::size_t k = 0; k < weights.size(); ++k) add(first + k, {}, weights[k]);
    } else {
      for_slots([&](std::size_t slot, std::span<const std::uint32_t> ids) {
        const std::size_t draw = draw_at(slot);
        if (draw >= first && draw - first < weights.size()) add(slot, ids, weights[draw - first]);
      });
    }
    flush();
    const DenseLayer& layer = network_.layers.front();
    for (std::size_t h = 0; h < sums.size(); ++h) {
      add_scaled(&layer.weight[h * layer.inputs], sums[h], layer.inputs, gradient.data());
    }
  }

  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* undecided) const override {
    std::vector<Place> places;
    std::vector<double> usual_errors;
    std::vector<double> errors;
    places.reserve(points.count());
    for (std::size_t p = 0; p < points.count(); ++p) {
      places.emplace_back(*this, points[p]);
      const bool exact = undecided != nullptr;
      const double size = exact ? draws_.size(points[p]) : 0.0;
      usual_errors.push_back(exact ? error(places.back(), draws_.largest(), size, roundings_)
                                   : 0.0);
      // Entries are added one by one to loose draws; groups are nearer, but few.
      errors.push_back(exact && !flips_.empty()
                           ? error(places.back(), places.back().reach, size,
                                   roundings_ + 2 * double(flips_.categories.size()))
                           : 0.0);
    }
    LayerPass pass(network_);
    const std::size_t before = undecided == nullptr ? 0 : undecided->size();
    const auto split = [&](std::size_t p, std::span<const float> logits, std::size_t block) {
      const bool usual =
          block < groups_.groups.front().blocks && groups_.groups.front().ids.empty();
      const double error = usual ? usual_errors[p] : errors[p];
      const float low = rounded_down(cut.threshold - error);
      const std::size_t below = count_at_most(logits, low);
      if (undecided == nullptr) {
        failures[p] += cut.above ? logits.size() - count_above(logits, low) : logits.size() - below;
        return;
      }
      const float high = -rounded_down(-(cut.threshold + error));
      const std::size_t over = count_above(logits, high);
      failures[p] += cut.above ? below : over;
      if (below + over == logits.size()) return;
      for (std::size_t k = 0; k < logits.size(); ++k) {
        if (logits[k] <= low || logits[k] > high) continue;
        undecided->push_back({p, draw_at(block * kBankBlock + k)});
      }
    };
    if (flips_.empty()) {
      for (std::size_t b = 0; b < draws_.blocks(); ++b) {
        const std::size_t n = std::min(kBankBlock, count_ - b * kBankBlock);
        for (std::size_t p = 0; p < points.count(); ++p) {
          split(p, {pass.forward(places[p].usual, draws_.block(b)), n}, b);
        }
      }
    } else {
      for_flipped_blocks(places, pass,
                         [&](std::size_t p, const float* logits, std::size_t block, std::size_t n) {
                           split(p, {logits, n}, block);
                         });
    }
    if (undecided != nullptr) {
      std::sort(undecided->begin() + static_cast<std::ptrdiff_t>(before), undecided->end());
    }
  }

  [[nodiscard]] std::unique_ptr<DrawEvaluator> fixed_at(View point) const override {
    if (flips_.empty()) return nullptr;
    const Place place(*this, point);
    // Around a point with these levels its own shift is added again.
    const Vector own = draws_.shift(point);
    ProjectedDraws fixed(draws_, count_);
    for (std::size_t u = 0; u < units_.size(); ++u) {
      fixed.raise(u, place.reach[u] + std::abs(place.flips.base()[u] - own[u]));
    }
    for_slots([&](std::size_t slot, std::span<const std::uint32_t> ids) {
      const std::size_t draw = draw_at(slot);
      const float* in = draws_.block(slot / kBankBlock) + slot % kBankBlock;
      float* out = fixed.block(draw / kBankBlock) + draw % kBankBlock;
      for (std::size_t u = 0; u < units_.size(); ++u) {
        out[u * kBankBlock] =
            in[u * kBankBlock] + static_cast<float>(place.flips.base()[u] - own[u]);
      }
      place.add(ids, out);
    });
    return std::unique_ptr<DrawEvaluator>(new LayeredDraws(*this, std::move(fixed)));
  }

 private:
  /// The same network on draws whose flips have been settled.
  LayeredDraws(const LayeredDraws& other, ProjectedDraws fixed)
      : network_(other.network_),
        units_(other.units_),
        count_(other.count_),
        lists_(flips_),
        groups_(group_flips(lists_, count_)),
        draws_(std::move(fixed)),
        roundings_(5 + 2 * static_cast<double>(other.flips_.categories.size())) {}

  /// The draws by their places: the groups', then the loose ones in blocks of their own.
  [[nodiscard]] std::vector<std::uint32_t> order() const {
    if (flips_.empty()) return {};
    std::vector<std::uint32_t> out(groups_.draw_of);
    out.insert(out.end(), groups_.loose.begin(), groups_.loose.end());
    return out;
  }
  [[nodiscard]] std::size_t draw_at(std::size_t slot) const noexcept {
    if (flips_.empty()) return slot;
    return slot < groups_.draw_of.size() ? groups_.draw_of[slot]
                                         : groups_.loose[slot - groups_.draw_of.size()];
  }
  [[nodiscard]] std::span<const std::uint32_t> loose_ids(std::size_t i) const noexcept {
    return std::span(groups_.ids)
        .subspan(groups_.begin[i], groups_.begin[i + 1] - groups_.begin[i]);
  }

  /// Calls `body(slot, entries)` for every draw with flips.
  template <typename Body>
  void for_slots(Body body) const {
    for (const FlipGroup& group : groups_.groups) {
      const std::size_t begin = group.first_block * kBankBlock;
      const std::size_t end = begin + group.blocks * kBankBlock - group.padding;
      for (std::size_t slot = begin; slot < end; ++slot) body(slot, group.ids);
    }
    for (std::size_t i = 0; i < groups_.loose.size(); ++i) {
      body(groups_.draw_of.size() + i, loose_ids(i));
    }
  }

  /// What a point is to the draws.
  struct Place {
    FlipShifts flips;
    Vector reach;               ///< how far draws and flips can move a unit from the flips' base
    LayerRoute usual;           ///< for draws without unusual flips
    LayerRoute any;             ///< for all
    std::vector<float> deltas;  ///< what entries of flips add, [entry][unit]

    Place(const LayeredDraws& owner, View point)
        : flips(owner.draws_, owner.flips_, owner.lists_, point),
          reach(flips.reach()),
          usual(owner.network_, flips.base(), owner.draws_.largest()),
          any(usual),
          deltas(flips.deltas().begin(), flips.deltas().end()) {
      for (std::size_t u = 0; u < reach.size(); ++u) reach[u] += owner.draws_.largest(u);
      if (!deltas.empty()) any = LayerRoute(owner.network_, flips.base(), reach);
    }

    /// Adds what entries add to a draw of a block.
    void add(std::span<const std::uint32_t> ids, float* draw) const noexcept {
      for (const std::uint32_t id : ids) {
        const float* added = &deltas[id * reach.size()];
        for (std::size_t u = 0; u < reach.size(); ++u) draw[u * kBankBlock] += added[u];
      }
    }
  };

  /// Calls `body(place, logits, block, draws in it)` for every block and place: a block meets all
  /// places while it is in the cache. A group's flips are in its shifts; loose draws get theirs one
  /// by one.
  template <typename Body>
  void for_flipped_blocks(std::span<const Place> places, LayerPass& pass, Body body) const {
    // From this many blocks on it pays to find out which units are off in a group.
    constexpr std::size_t kOwnRoute = 4;
    Vector shift;
    std::vector<LayerRoute> shared;
    for (const Place& place : places) shared.push_back(place.any);
    std::vector<LayerRoute> own;
    for (const FlipGroup& group : groups_.groups) {
      own.clear();
      for (std::size_t p = 0; p < places.size(); ++p) {
        places[p].flips.sum(group.ids, shift);
        if (group.blocks >= kOwnRoute) {
          own.emplace_back(network_, shift, draws_.largest());
        } else {
          shared[p].set_shifts(shift);
        }
      }
      const std::vector<LayerRoute>& routes = own.empty() ? shared : own;
      for (std::size_t b = 0; b < group.blocks; ++b) {
        const std::size_t block = group.first_block + b;
        const std::size_t n = kBankBlock - (b + 1 == group.blocks ? group.padding : 0);
        for (std::size_t p = 0; p < places.size(); ++p) {
          body(p, pass.forward(routes[p], draws_.block(block)), block, n);
        }
      }
    }
    AlignedFloats loose(units_.size() * kBankBlock);
    const std::size_t first = groups_.draw_of.size() / kBankBlock;
    for (std::size_t begin = 0; begin < groups_.loose.size(); begin += kBankBlock) {
      const std::size_t block = first + begin / kBankBlock;
      const std::size_t n = std::min(kBankBlock, groups_.loose.size() - begin);
      for (std::size_t p = 0; p < places.size(); ++p) {
        std::copy_n(draws_.block(block), loose.size(), loose.begin());
        for (std::size_t k = 0; k < n; ++k) places[p].add(loose_ids(begin + k), loose.data() + k);
        body(p, pass.forward(places[p].any, loose.data()), block, n);
      }
    }
  }

  /// A bound on how far a logit in single precision is from the exact one, NaN when it is no use.
  /// Errors of a layer reach the next through its weights; each sum of n products adds n roundings
  /// of its own, and loses the products of weights that count as 0.
  [[nodiscard]] double error(const Place& place, const Vector& reach, double size,
                             double first_roundings) const {
    // The first pre-activations are made in double, and may cancel.
    const double unit = 4 * std::numeric_limits<double>::epsilon() *
                        static_cast<double>(network_.layers.front().inputs + 8);
    const std::size_t depth = network_.layers.size();
    Vector magnitude(place.reach.size());
    Vector error(place.reach.size());
    for (std::size_t h = 0; h < place.reach.size(); ++h) {
      magnitude[h] = reach[h] + std::abs(place.flips.base()[h]);
      error[h] = first_roundings * (kFloatUnit * magnitude[h] + kFloatLost) + unit * size;
    }
    const double steep = steepness(network_.activation);
    for (std::size_t i = 1; i < depth; ++i) {
      const DenseLayer& layer = network_.layers[i];
      for (std::size_t h = 0; h < magnitude.size(); ++h) {
        magnitude[h] = std::max(1.0, steep * magnitude[h]);
        error[h] = steep * error[h] + kFloatUnit * magnitude[h];
      }
      Vector next_magnitude(layer.outputs);
      Vector next_error(layer.outputs);
      const double roundings = kFloatUnit * static_cast<double>(layer.inputs + 3);
      for (std::size_t o = 0; o < layer.outputs; ++o) {
        double sum = std::abs(layer.bias[o]);
        double carried = 0;
        for (std::size_t h = 0; h < layer.inputs; ++h) {
          const double weight = std::abs(layer.weight[o * layer.inputs + h]);
          const double product = weight * (magnitude[h] + error[h]);
          sum += product;
          carried += counts_as_zero(weight) ? product : weight * error[h];
        }
        next_magnitude[o] = sum;
        next_error[o] = carried + roundings * (sum + kFloatLost / kFloatUnit);
      }
      magnitude.swap(next_magnitude);
      error.swap(next_error);
    }
    return usable_error(1.1 * error[0]);
  }

  FloatNetwork network_;
  std::vector<ScaledUnit> units_;
  std::size_t count_;
  DrawnFlips flips_;
  FlipLists lists_;
  FlipGroups groups_;
  ProjectedDraws draws_;  ///< in the order of the groups, then loose ones
  /// Of a first pre-activation: the draw, the shift, their sum; more where flips are settled.
  double roundings_;
};

}  // namespace

std::unique_ptr<DrawEvaluator> bind_layers(const Mlp& model, Rows draws, DrawnFlips flips) {
  auto bound = std::make_unique<LayeredDraws>(model, draws, std::move(flips));
  if (!bound->usable()) return nullptr;
  return bound;
}

}  // namespace croco
