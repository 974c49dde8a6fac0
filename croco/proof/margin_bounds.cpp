// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/margin_bounds.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <croco/base/multiversion.hpp>

namespace croco {
namespace {

constexpr std::size_t kLanes = MarginBounds::kLanes;

/// Half of the lanes. Written out, because sums over units in an inner loop over the lanes make the
/// compiler interleave units instead.
using Pack __attribute__((vector_size(64))) = double;
static_assert(sizeof(Pack) * 2 == kLanes * sizeof(double));

/// The least `sign * (bias + weight * activated values)` of a layer, given the ranges of the
/// pre-activations before it.
CROCO_MULTIVERSION void next_least(const DenseLayer& layer, double leak, double sign,
                                   const double* __restrict lower, const double* __restrict upper,
                                   double* __restrict least) {
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    Pack first = Pack{} + sign * layer.bias[o];
    Pack second = first;
    for (std::size_t h = 0; h < layer.inputs; ++h) {
      const double weight = sign * layer.weight[o * layer.inputs + h];
      Pack from[2];
      std::memcpy(from, (weight >= 0 ? lower : upper) + h * kLanes, sizeof(from));
      first += weight * (from[0] > 0 ? from[0] : leak * from[0]);
      second += weight * (from[1] > 0 ? from[1] : leak * from[1]);
    }
    std::memcpy(least + o * kLanes, &first, sizeof(Pack));
    std::memcpy(least + o * kLanes + kLanes / 2, &second, sizeof(Pack));
  }
}

/// Replaces every unit by the line above it where its coefficient is positive, below it where it is
/// negative: coefficients become those of the pre-activations, intercepts go to `value`, and what
/// the lines are off at most is added to `lost`.
CROCO_MULTIVERSION void relax(std::size_t units, double leak, const double* __restrict lower,
                              const double* __restrict upper, double* __restrict coefficients,
                              double* __restrict value, double* __restrict lost) {
  for (std::size_t h = 0; h < units; ++h) {
    double off[kLanes];
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double low = lower[h * kLanes + k];
      const double high = upper[h * kLanes + k];
      const double coefficient = coefficients[h * kLanes + k];
      const bool bent = low < 0 && high > 0;
      const double chord = (high - leak * low) / (bent ? high - low : 1.0);
      const double straight = low >= 0 ? 1.0 : leak;
      const double under = high > -low ? 1.0 : leak;
      const double above = coefficient >= 0 ? chord : under;
      const double slope = bent ? above : straight;
      const double intercept = bent && coefficient >= 0 ? high - chord * high : 0.0;
      const double smaller = high < -low ? high : -low;
      const double below = bent && coefficient < 0 ? (1 - leak) * smaller : 0.0;
      coefficients[h * kLanes + k] = coefficient * slope;
      value[k] += coefficient * intercept;
      off[k] = coefficient * (intercept - below);
    }
    double sum = 0;
    for (const double part : off) sum += part;
    lost[h] += sum;
  }
}

/// `previous = weight^T coefficients`.
CROCO_MULTIVERSION void previous_coefficients(const double* __restrict weight, std::size_t inputs,
                                              std::size_t outputs,
                                              const double* __restrict coefficients,
                                              double* __restrict previous) {
  for (std::size_t h = 0; h < inputs; ++h) {
    Pack first{};
    Pack second{};
    for (std::size_t o = 0; o < outputs; ++o) {
      const double factor = weight[o * inputs + h];
      Pack from[2];
      std::memcpy(from, coefficients + o * kLanes, sizeof(from));
      first += factor * from[0];
      second += factor * from[1];
    }
    std::memcpy(previous + h * kLanes, &first, sizeof(Pack));
    std::memcpy(previous + h * kLanes + kLanes / 2, &second, sizeof(Pack));
  }
}

/// Draws side by side: `at = base + levels + draw`, by unit and lane.
CROCO_MULTIVERSION void gather(std::size_t units, const double* __restrict base,
                               const double* const* __restrict levels,
                               const double* const* __restrict draws, double* __restrict at) {
  for (std::size_t h = 0; h < units; ++h) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      at[h * kLanes + k] = base[h] + levels[k][h] + draws[k][h];
    }
  }
}

/// `out = at + numbers + levels`, the ends of the ranges by unit.
CROCO_MULTIVERSION void widen(std::size_t units, const double* __restrict at,
                              const double* __restrict numbers,
                              const double* const* __restrict levels, double* __restrict out) {
  for (std::size_t h = 0; h < units; ++h) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      out[h * kLanes + k] = at[h * kLanes + k] + (numbers[h] + levels[k][h]);
    }
  }
}

/// `value += coefficients . at`.
CROCO_MULTIVERSION void add_products(std::size_t units, const double* __restrict coefficients,
                                     const double* __restrict at, double* __restrict value) {
  for (std::size_t h = 0; h < units; ++h) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      value[k] += coefficients[h * kLanes + k] * at[h * kLanes + k];
    }
  }
}

}  // namespace

MarginBounds::MarginBounds(const DrawnNetwork& network, View origin, const ChangeRegion& region)
    : network_(network),
      layers_(network.network().layers()),
      leak_(network.network().hidden_activation() == Activation::leaky_relu ? kLeakySlope : 0.0),
      sign_(network.problem().goal.sign()),
      offset_(network.problem().goal.margin(0)),
      first_(layers_.front().outputs, network.movable().size()),
      levels_(network, origin),
      lower_(layers_.size()),
      upper_(layers_.size()),
      lost_(layers_.size()) {
  const DenseLayer& first = layers_.front();
  std::vector<bool> counted(first.inputs, true);
  for (const DrawnCategory& category : network.categories()) {
    const OneHotGroup& group = category.group;
    std::fill_n(counted.begin() + static_cast<std::ptrdiff_t>(group.first), group.count, false);
  }
  Vector sizes(first.outputs);  // the largest |pre-activations| that can ever appear
  for (std::size_t h = 0; h < first.outputs; ++h) {
    double sum = first.bias[h];
    double size = std::abs(sum) + network.largest() + levels_.size_of(h);
    for (std::size_t j = 0; j < first.inputs; ++j) {
      const double term = counted[j] ? first.weight[h * first.inputs + j] * origin[j] : 0.0;
      sum += term;
      size += std::abs(term);
    }
    for (std::size_t i = 0; i < network.movable().size(); ++i) {
      const Interval& side = region.box[i];
      first_[h][i] = first.weight[h * first.inputs + network.movable()[i]];
      size += std::abs(first_[h][i]) * std::max(std::abs(side.lower), std::abs(side.upper));
    }
    base_.push_back(sum);
    sizes[h] = size;
  }
  copy_level_weights(region);
  // Every sum of n terms is off by less than n epsilon times the sum of their sizes, and later
  // layers multiply that by no more than the sizes themselves.
  std::size_t terms = first.inputs;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const DenseLayer& layer = layers_[i];
    lower_[i].resize(layer.outputs * kLanes);
    upper_[i].resize(layer.outputs * kLanes);
    lost_[i].resize(layer.outputs);
    if (i == 0) continue;
    terms += layer.inputs;
    Vector next(layer.outputs);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      next[o] = std::abs(layer.bias[o]);
      for (std::size_t h = 0; h < layer.inputs; ++h) {
        next[o] += std::abs(layer.weight[o * layer.inputs + h]) * sizes[h];
      }
    }
    sizes = std::move(next);
  }
  slack_ = 16 * static_cast<double>(terms + 8) * std::numeric_limits<double>::epsilon() *
           (sizes[0] + std::abs(offset_) + 1e-270);  // and what is below the range of doubles
  at_.resize(first.outputs * kLanes);
  lowest_.resize(first.outputs);
  highest_.resize(first.outputs);
}

void MarginBounds::copy_level_weights(const ChangeRegion& region) {
  const DenseLayer& first = layers_.front();
  std::vector<const double*> columns;  // of the weights, or of what is beyond a level
  std::vector<std::size_t> strides;
  for (std::size_t c = 0; c < network_.categories().size(); ++c) {
    const OneHotGroup& group = network_.categories()[c].group;
    level_first_.push_back(columns.size());
    if (region.levels[c].size() < 2) continue;
    for (std::size_t l = 0; l < group.count; ++l) {
      columns.push_back(&first.weight[group.first + l]);
      strides.push_back(first.inputs);
    }
    if (const Vector& rest = levels_.rest_of(c); !rest.empty()) {
      columns.push_back(rest.data());
      strides.push_back(1);
    }
  }
  level_weights_ = Matrix(first.outputs, columns.size());
  for (std::size_t h = 0; h < first.outputs; ++h) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      level_weights_[h][j] = columns[j][h * strides[j]];
    }
  }
}

void MarginBounds::enter(View costs, double budget, const ChangeRegion& region) {
  region_ = &region;
  levels_.enter(region.levels);
  double numbers = budget;
  for (const LevelOptions& options : region.levels) numbers -= options.front().price;
  for (std::size_t h = 0; h < base_.size(); ++h) {
    const Interval range = linear_range(costs, numbers, region.box, first_[h]);
    lowest_[h] = range.lower;
    highest_[h] = range.upper;
  }
  for (Vector& units : lost_) std::ranges::fill(units, 0.0);
  gained_.resize(region.levels.size());
  for (std::size_t c = 0; c < gained_.size(); ++c) gained_[c].assign(region.levels[c].size(), 0.0);
  most_gained_.assign(region.levels.size(), 0.0);
}

void MarginBounds::margins(const RegionChange& change, MutableView out) {
  const std::size_t units = base_.size();
  Vector moved(units);
  for (std::size_t h = 0; h < units; ++h) {
    moved[h] = base_[h];
    for (std::size_t i = 0; i < change.numbers.size(); ++i) {
      moved[h] += first_[h][i] * change.numbers[i];
    }
  }
  std::vector<LevelOptions> levels;
  for (const std::size_t level : change.levels) levels.push_back({{level, 0.0}});
  levels_.enter(levels);
  for (std::size_t begin = 0; begin < out.size(); begin += kLanes) {
    const std::size_t lanes = std::min(kLanes, out.size() - begin);
    std::array<const double*, kLanes> shifts{};
    std::array<const double*, kLanes> draws{};
    for (std::size_t k = 0; k < kLanes; ++k) {
      const std::size_t draw = begin + std::min(k, lanes - 1);
      shifts[k] = levels_.of_pattern(network_.pattern_of(draw)).cheapest.data();
      draws[k] = network_.projected(draw);
    }
    gather(units, moved.data(), shifts.data(), draws.data(), lower_[0].data());
    for (std::size_t i = 1; i < layers_.size(); ++i) {
      next_least(layers_[i], leak_, 1, lower_[i - 1].data(), lower_[i - 1].data(),
                 lower_[i].data());
    }
    for (std::size_t k = 0; k < lanes; ++k) out[begin + k] = sign_ * lower_.back()[k] + offset_;
  }
  if (region_ != nullptr) levels_.enter(region_->levels);
}

void MarginBounds::gather_draws(std::span<const std::uint32_t> draws) {
  const std::size_t units = base_.size();
  std::array<const double*, kLanes> cheapest{};
  std::array<const double*, kLanes> lowest{};
  std::array<const double*, kLanes> highest{};
  std::array<const double*, kLanes> sources{};
  for (std::size_t k = 0; k < kLanes; ++k) {
    const std::size_t draw = draws[std::min(k, draws.size() - 1)];
    const LevelRanges::Range& levels = levels_.of_pattern(network_.pattern_of(draw));
    cheapest[k] = levels.cheapest.data();
    lowest[k] = levels.lowest.data();
    highest[k] = levels.highest.data();
    sources[k] = network_.projected(draw);
  }
  gather(units, base_.data(), cheapest.data(), sources.data(), at_.data());
  widen(units, at_.data(), lowest_.data(), lowest.data(), lower_[0].data());
  widen(units, at_.data(), highest_.data(), highest.data(), upper_[0].data());
}

void MarginBounds::bound(std::span<const std::uint32_t> draws, std::span<LinearBound, kLanes> out,
                         std::span<double, kLanes> least) {
  const std::size_t units = base_.size();
  gather_draws(draws);
  for (std::size_t i = 1; i + 1 < layers_.size(); ++i) {
    next_least(layers_[i], leak_, 1, lower_[i - 1].data(), upper_[i - 1].data(), lower_[i].data());
    next_least(layers_[i], leak_, -1, lower_[i - 1].data(), upper_[i - 1].data(), upper_[i].data());
    for (double& value : upper_[i]) value = -value;
  }
  Lanes& last = lower_.back();
  if (layers_.size() > 1) {
    const std::size_t before = layers_.size() - 2;
    next_least(layers_.back(), leak_, sign_, lower_[before].data(), upper_[before].data(),
               last.data());
  } else if (sign_ < 0) {
    for (std::size_t k = 0; k < kLanes; ++k) last[k] = -upper_.back()[k];
  }
  double value[kLanes];
  coefficients_.assign(kLanes, sign_);
  for (std::size_t k = 0; k < kLanes; ++k) {
    least[k] = last[k] + offset_ - slack_;
    value[k] = offset_ + slack_;
  }
  for (std::size_t i = layers_.size() - 1; i > 0; --i) {
    const DenseLayer& layer = layers_[i];
    next_.resize(layer.inputs * kLanes);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      for (std::size_t k = 0; k < kLanes; ++k) {
        value[k] += layer.bias[o] * coefficients_[o * kLanes + k];
      }
    }
    previous_coefficients(layer.weight.data(), layer.inputs, layer.outputs, coefficients_.data(),
                          next_.data());
    coefficients_.swap(next_);
    relax(layer.inputs, leak_, lower_[i - 1].data(), upper_[i - 1].data(), coefficients_.data(),
          value, lost_[i - 1].data());
  }
  add_products(units, coefficients_.data(), at_.data(), value);
  const std::size_t columns = first_.width;
  next_.resize(columns * kLanes);
  previous_coefficients(first_.data.data(), columns, units, coefficients_.data(), next_.data());
  for (std::size_t k = 0; k < kLanes; ++k) {
    out[k].value = value[k];
    out[k].slopes.resize(columns);
    for (std::size_t i = 0; i < columns; ++i) out[k].slopes[i] = next_[i * kLanes + k];
  }
  add_gains(draws, out);
}

void MarginBounds::add_gains(std::span<const std::uint32_t> draws,
                             std::span<LinearBound, kLanes> out) {
  const std::vector<LevelOptions>& levels = region_->levels;
  const auto may_move = [](const LevelOptions& options) { return options.size() > 1; };
  if (std::ranges::none_of(levels, may_move)) return;
  const std::size_t columns = level_weights_.width;
  next_.resize(columns * kLanes);
  previous_coefficients(level_weights_.data.data(), columns, base_.size(), coefficients_.data(),
                        next_.data());
  for (std::size_t k = 0; k < draws.size(); ++k) {
    const auto cells = network_.cells(network_.pattern_of(draws[k]));
    out[k].gains.resize(levels.size());
    for (std::size_t c = 0; c < levels.size(); ++c) {
      Vector& gains = out[k].gains[c];
      gains.assign(levels[c].size(), 0.0);
      if (levels[c].size() < 2) continue;
      const std::size_t rest = level_first_[c] + network_.categories()[c].group.count;
      for (std::size_t o = 0; o < levels[c].size(); ++o) {
        const std::size_t level = levels[c][o].level;
        const std::size_t column = level_first_[c] + network_.target(c, cells[c], level);
        gains[o] = next_[column * kLanes + k];
        if (level == levels_.own_level(c) && !levels_.rest_of(c).empty()) {
          gains[o] += next_[rest * kLanes + k];
        }
      }
      for (std::size_t o = gains.size(); o-- > 0;) gains[o] -= gains[0];
      for (std::size_t o = 0; o < gains.size(); ++o) gained_[c][o] += gains[o];
      most_gained_[c] += std::ranges::max(gains);
    }
  }
}

Vector MarginBounds::blame() {
  // How far every side can move every unit, without any flips; later layers add up.
  const std::size_t columns = first_.width;
  const std::size_t sides = columns + region_->levels.size();
  Matrix reach(base_.size(), sides);
  for (std::size_t h = 0; h < base_.size(); ++h) {
    for (std::size_t j = 0; j < columns; ++j) {
      reach[h][j] = std::abs(first_[h][j]) * (region_->box[j].upper - region_->box[j].lower);
    }
    for (std::size_t c = 0; c < region_->levels.size(); ++c) {
      const LevelRanges::Range& range = levels_.of_cell(c, DrawnNetwork::kNoFlip);
      reach[h][columns + c] = range.highest[h] - range.lowest[h];
    }
  }
  Vector out(sides);
  for (std::size_t c = 0; c < gained_.size(); ++c) {
    out[columns + c] = std::max(0.0, most_gained_[c] - std::ranges::max(gained_[c]));
  }
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
    if (i > 0) {
      const DenseLayer& layer = layers_[i];
      Matrix next(layer.outputs, sides);
      for (std::size_t o = 0; o < layer.outputs; ++o) {
        for (std::size_t h = 0; h < layer.inputs; ++h) {
          const double weight = std::abs(layer.weight[o * layer.inputs + h]);
          for (std::size_t j = 0; j < sides; ++j) next[o][j] += weight * reach[h][j];
        }
      }
      reach = std::move(next);
    }
    for (std::size_t h = 0; h < layers_[i].outputs; ++h) {
      double total = 0;
      for (const double share : reach[h]) total += share;
      if (!(total > 0)) continue;
      for (std::size_t j = 0; j < sides; ++j) out[j] += lost_[i][h] * reach[h][j] / total;
    }
  }
  return out;
}

}  // namespace croco
