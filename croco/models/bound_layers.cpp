// SPDX-License-Identifier: Apache-2.0
// A network of any depth on fixed draws: the draws through the first layer once, the layers after
// it block by block in single precision.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <croco/kernels/aligned.hpp>
#include <croco/kernels/dense_block.hpp>
#include <croco/kernels/order_select.hpp>
#include <croco/models/bound_mlp.hpp>
#include <croco/models/flip_groups.hpp>
#include <croco/models/projected_draws.hpp>

namespace croco {
namespace {

std::vector<ScaledUnit> all_units(const DenseLayer& layer) {
  std::vector<ScaledUnit> units(layer.outputs);
  for (std::size_t h = 0; h < units.size(); ++h) units[h].unit = h;
  return units;
}

/// A layer in single precision, with its transpose for the way back.
struct FloatLayer {
  std::vector<float> weight;
  std::vector<float> transposed;
  std::vector<float> bias;

  explicit FloatLayer(const DenseLayer& layer)
      : weight(layer.weight.begin(), layer.weight.end()),
        transposed(layer.weight.size()),
        bias(layer.bias.begin(), layer.bias.end()) {
    // Weights that training has decayed to almost nothing: subnormal numbers are slow.
    for (float& value : weight) {
      if (std::abs(value) < 1e-30F) value = 0;
    }
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        transposed[i * layer.outputs + o] = weight[o * layer.inputs + i];
      }
    }
  }
};

/// The steepest slope of an activation, and its largest value for |x| <= magnitude.
double steepness(Activation activation) noexcept {
  return activation == Activation::gelu ? 1.2 : 1.0;
}

class LayeredDraws final : public BoundDraws {
 public:
  LayeredDraws(const Mlp& model, Rows draws, DrawnFlips flips)
      : layers_(model.layers()),
        activation_(model.hidden_activation()),
        units_(all_units(layers_.front())),
        draws_(layers_.front(), units_, draws),
        floats_(layers_.begin(), layers_.end()),
        flips_(std::move(flips)),
        roundings_(flips_.empty() ? 3 : 5) {
    for (std::size_t k = 0; k < draws.count() && !flips_.empty(); ++k) {
      for (std::size_t c = 0; c < flips_.categories.size(); ++c) {
        if (flips_.of(k)[c] == flips_.categories[c].usual()) continue;
        flipped_.push_back(static_cast<std::uint32_t>(k));
        break;
      }
    }
  }

  [[nodiscard]] std::size_t count() const noexcept override { return draws_.count(); }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    const Place place(*this, point, Units::live);
    Pass pass(*this);
    const BlockRange range(first, out.size());
    std::size_t offset = range.offset;
    std::size_t done = 0;
    for (std::size_t b = 0; b < range.blocks; ++b, offset = 0) {
      const float* block = pass.forward(place, pass.flipped(place, range.first_block + b));
      const std::size_t n = std::min(kBankBlock - offset, out.size() - done);
      std::copy_n(block + offset, n, out.begin() + static_cast<std::ptrdiff_t>(done));
      done += n;
    }
  }

  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    const Place place(*this, point, Units::all);
    Pass pass(*this);
    Vector sums(units_.size());
    // Often few draws have a weight: those are packed into blocks of their own.
    AlignedFloats packed(units_.size() * kBankBlock);
    AlignedFloats slopes(kBankBlock);
    Vector added;
    std::size_t filled = 0;
    const auto flush = [&] {
      if (filled == 0) return;
      std::fill(slopes.begin() + static_cast<std::ptrdiff_t>(filled), slopes.end(), 0.0F);
      static_cast<void>(pass.forward(place, packed.data()));
      pass.backward(slopes, sums);
      filled = 0;
    };
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights[k] == 0) continue;
      const std::size_t draw = first + k;
      const float* in = draws_.block(draw / kBankBlock) + draw % kBankBlock;
      added.assign(units_.size(), 0.0);
      if (!flips_.empty()) place.flips.add(draw, added.data());
      for (std::size_t u = 0; u < units_.size(); ++u) {
        packed[u * kBankBlock + filled] = in[u * kBankBlock] + static_cast<float>(added[u]);
      }
      slopes[filled++] = weights[k];
      if (filled == kBankBlock) flush();
    }
    flush();
    const DenseLayer& layer = layers_.front();
    for (std::size_t h = 0; h < sums.size(); ++h) {
      add_scaled(&layer.weight[h * layer.inputs], sums[h], layer.inputs, gradient.data());
    }
  }

  void count_at_most(Rows points, double threshold, std::span<std::size_t> at_most,
                     std::vector<PointDraw>* undecided) const override {
    std::vector<Place> places;
    std::vector<double> errors;
    places.reserve(points.count());
    for (std::size_t p = 0; p < points.count(); ++p) {
      places.emplace_back(*this, points[p], Units::live);
      errors.push_back(undecided == nullptr ? 0.0 : error(places.back()));
    }
    Pass pass(*this);
    const std::size_t before = undecided == nullptr ? 0 : undecided->size();
    for (std::size_t b = 0; b < draws_.blocks(); ++b) {
      const std::size_t n = std::min(kBankBlock, draws_.count() - b * kBankBlock);
      for (std::size_t p = 0; p < points.count(); ++p) {
        const std::span<const float> logits(pass.forward(places[p], pass.flipped(places[p], b)), n);
        const float low = rounded_down(threshold - errors[p]);
        const std::size_t below = croco::count_at_most(logits, low);
        at_most[p] += below;
        if (undecided == nullptr) continue;
        const float high = -rounded_down(-(threshold + errors[p]));
        if (croco::count_at_most(logits, high) == below) continue;
        for (std::size_t k = 0; k < n; ++k) {
          if (logits[k] > low && logits[k] <= high) undecided->push_back({p, b * kBankBlock + k});
        }
      }
    }
    if (undecided != nullptr) {
      std::sort(undecided->begin() + static_cast<std::ptrdiff_t>(before), undecided->end());
    }
  }

  [[nodiscard]] std::unique_ptr<BoundDraws> fixed_at(View point) const override {
    if (flips_.empty()) return nullptr;
    auto out = std::make_unique<LayeredDraws>(*this);
    const FlipShifts flips(draws_, flips_, point);
    // Around a point with these levels its own shift is added again.
    Vector own = draws_.shift(point);
    for (std::size_t u = 0; u < own.size(); ++u) own[u] = flips.base()[u] - own[u];
    const bool everyone = std::ranges::any_of(own, [](double value) { return value != 0; });
    const auto settle = [&](std::size_t draw) {
      Vector added(own);
      flips.add(draw, added.data());
      for (std::size_t u = 0; u < added.size(); ++u) {
        out->draws_.set(draw, u, static_cast<double>(draws_.value(draw, u)) + added[u]);
      }
    };
    for (std::size_t k = 0; k < count() && everyone; ++k) settle(k);
    for (std::size_t i = 0; i < flipped_.size() && !everyone; ++i) settle(flipped_[i]);
    out->flips_ = {};
    out->flipped_.clear();
    return out;
  }

 private:
  /// Which units of the first layer a pass goes through.
  enum class Units : std::uint8_t {
    all,
    live,  ///< without those of ReLU that are 0 for every draw
  };

  /// What a point is to the draws: its first pre-activations, in double for all units and as they
  /// are added for those that are gone through, and the weights of the next layer for these.
  struct Place {
    FlipShifts flips;
    Vector shift;  ///< with the usual cells of the flips
    Vector reach;  ///< how far draws and flips can move a unit from it
    std::vector<std::uint32_t> units;
    std::vector<float> shifts;
    std::vector<float> packed;  ///< only when some units are left out

    Place(const LayeredDraws& owner, View point, Units which)
        : flips(owner.draws_, owner.flips_, point), shift(flips.base()), reach(flips.reach()) {
      const bool sparse =
          which == Units::live && owner.layers_.size() > 1 && owner.activation_ == Activation::relu;
      for (std::size_t u = 0; u < shift.size(); ++u) {
        // A little room for the roundings of both.
        reach[u] += owner.draws_.largest(u);
        const double most = shift[u] + reach[u];
        if (sparse && most < -1e-5 * std::abs(shift[u])) continue;
        units.push_back(static_cast<std::uint32_t>(u));
        shifts.push_back(static_cast<float>(shift[u]));
      }
      if (units.size() == shift.size()) return;
      const DenseLayer& next = owner.layers_[1];
      packed.reserve(next.outputs * units.size());
      for (std::size_t o = 0; o < next.outputs; ++o) {
        for (const std::uint32_t u : units) {
          packed.push_back(owner.floats_[1].weight[o * next.inputs + u]);
        }
      }
    }
  };

  /// Working memory of one block on its way through the layers.
  class Pass {
   public:
    explicit Pass(const LayeredDraws& owner) : owner_(owner) {
      for (const DenseLayer& layer : owner.layers_) {
        values_.emplace_back(layer.outputs * kBankBlock);
      }
    }

    /// The projected draws of a block with what flips add to them.
    [[nodiscard]] const float* flipped(const Place& place, std::size_t block) {
      const float* plain = owner_.draws_.block(block);
      if (owner_.flips_.empty()) return plain;
      const std::size_t units = owner_.units_.size();
      flipped_.assign(plain, plain + units * kBankBlock);
      const auto end = static_cast<std::uint32_t>((block + 1) * kBankBlock);
      auto next =
          std::ranges::lower_bound(owner_.flipped_, static_cast<std::uint32_t>(block * kBankBlock));
      for (; next != owner_.flipped_.end() && *next < end; ++next) {
        added_.assign(units, 0.0);
        place.flips.add(*next, added_.data());
        float* draw = flipped_.data() + *next % kBankBlock;
        for (std::size_t u = 0; u < units; ++u) {
          draw[u * kBankBlock] += static_cast<float>(added_[u]);
        }
      }
      return flipped_.data();
    }

    /// The logits of a block of projected draws.
    [[nodiscard]] const float* forward(const Place& place, const float* projected) {
      const std::size_t depth = owner_.layers_.size();
      start(place, projected, depth > 1);
      for (std::size_t i = 1; i < depth; ++i) {
        const DenseLayer& layer = owner_.layers_[i];
        const FloatLayer& floats = owner_.floats_[i];
        const bool some = i == 1 && place.units.size() < place.shift.size();
        dense_block(some ? place.packed.data() : floats.weight.data(), floats.bias.data(),
                    some ? place.units.size() : layer.inputs, layer.outputs, activated(i - 1),
                    values_[i].data());
        if (i + 1 < depth && owner_.activation_ == Activation::relu) {
          relu_blocks(layer.outputs, values_[i].data());
        }
      }
      return values_.back().data();
    }

    /// From the slopes of the logits back to those of the first pre-activations, summed over the
    /// draws of the block that went forward last.
    void backward(const AlignedFloats& logit_slopes, Vector& sums) {
      slopes_.assign(logit_slopes.begin(), logit_slopes.end());
      for (std::size_t i = owner_.layers_.size() - 1; i > 0; --i) {
        const DenseLayer& layer = owner_.layers_[i];
        back_.resize(layer.inputs * kBankBlock);
        dense_block(owner_.floats_[i].transposed.data(), nullptr, layer.outputs, layer.inputs,
                    slopes_.data(), back_.data());
        slope_through(values_[i - 1], layer.inputs);
        slopes_.swap(back_);
      }
      add_block_sums(sums.size(), slopes_.data(), sums.data());
    }

   private:
    /// The first layer's values, activated unless they are the logits already.
    void start(const Place& place, const float* projected, bool hidden) {
      if (hidden && owner_.activation_ == Activation::relu) {
        shifted_relu_blocks(place.units, projected, place.shifts.data(), values_[0].data());
        return;
      }
      for (std::size_t v = 0; v < values_[0].size(); ++v) {
        values_[0][v] = place.shifts[v / kBankBlock] + projected[v];
      }
    }

    /// The activated values of a hidden layer. ReLU layers are stored activated: the sign that the
    /// way back needs is still there.
    [[nodiscard]] const float* activated(std::size_t layer) {
      if (owner_.activation_ == Activation::relu) return values_[layer].data();
      activated_.resize(values_[layer].size());
      std::ranges::transform(values_[layer], activated_.begin(), [this](float value) {
        return static_cast<float>(activate(owner_.activation_, static_cast<double>(value)));
      });
      return activated_.data();
    }

    void slope_through(const AlignedFloats& values, std::size_t units) {
      if (owner_.activation_ == Activation::relu) {
        relu_mask_blocks(units, values.data(), back_.data());
        return;
      }
      for (std::size_t v = 0; v < back_.size(); ++v) {
        back_[v] *= static_cast<float>(
            activation_slope(owner_.activation_, static_cast<double>(values[v])));
      }
    }

    const LayeredDraws& owner_;
    std::vector<AlignedFloats> values_;
    AlignedFloats activated_;
    AlignedFloats slopes_;
    AlignedFloats back_;
    AlignedFloats flipped_;
    Vector added_;
  };

  /// A bound on how far a logit in single precision is from the exact one. Errors of a layer
  /// reach the next through its weights; each sum of n products adds n roundings of its own.
  [[nodiscard]] double error(const Place& place) const {
    const std::size_t depth = layers_.size();
    Vector magnitude(place.shift.size());
    Vector error(place.shift.size());
    for (std::size_t h = 0; h < place.shift.size(); ++h) {
      magnitude[h] = place.reach[h] + std::abs(place.shift[h]);
      error[h] = roundings_ * kFloatUnit * magnitude[h];
    }
    const double steep = steepness(activation_);
    for (std::size_t i = 1; i < depth; ++i) {
      const DenseLayer& layer = layers_[i];
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
          sum += weight * (magnitude[h] + error[h]);
          carried += weight * error[h];
        }
        next_magnitude[o] = sum;
        next_error[o] = carried + roundings * sum;
      }
      magnitude.swap(next_magnitude);
      error.swap(next_error);
    }
    return 1.1 * error[0];
  }

  const std::vector<DenseLayer>& layers_;
  Activation activation_;
  std::vector<ScaledUnit> units_;
  ProjectedDraws draws_;
  std::vector<FloatLayer> floats_;
  DrawnFlips flips_;
  std::vector<std::uint32_t> flipped_;  ///< draws with an unusual cell, ascending
  /// Of a first pre-activation: the draw, the shift, their sum; with flips another and its sum.
  double roundings_;
};

}  // namespace

std::unique_ptr<BoundDraws> bind_layers(const Mlp& model, Rows draws, DrawnFlips flips) {
  return std::make_unique<LayeredDraws>(model, draws, std::move(flips));
}

}  // namespace croco
