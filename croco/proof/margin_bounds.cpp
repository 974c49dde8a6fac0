// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/margin_bounds.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <croco/base/multiversion.hpp>
#include <croco/noise/noise.hpp>

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
    for (std::size_t k = 0; k < kLanes; ++k) sum += off[k];
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

/// Draws side by side: `at = base + draw`, by unit and lane.
CROCO_MULTIVERSION void gather(std::size_t units, const double* __restrict base,
                               const double* const* __restrict draws, double* __restrict at) {
  for (std::size_t h = 0; h < units; ++h) {
    for (std::size_t k = 0; k < kLanes; ++k) at[h * kLanes + k] = base[h] + draws[k][h];
  }
}

/// `lower, upper = at + [lowest, highest]`.
CROCO_MULTIVERSION void widen(std::size_t units, const double* __restrict at,
                              const double* __restrict lowest, const double* __restrict highest,
                              double* __restrict lower, double* __restrict upper) {
  for (std::size_t h = 0; h < units; ++h) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      lower[h * kLanes + k] = at[h * kLanes + k] + lowest[h];
      upper[h * kLanes + k] = at[h * kLanes + k] + highest[h];
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

std::string_view margin_obstacle(const Problem& problem) {
  const auto* network = dynamic_cast<const Mlp*>(&problem.model);
  if (network == nullptr) return "the model is not a network";
  const Activation activation = network->hidden_activation();
  if (network->layers().size() > 1 && activation != Activation::relu &&
      activation != Activation::leaky_relu) {
    return "the units of the network are not ReLU";
  }
  if (depends_on_point(problem.noise)) return "the noise depends on the advice";
  for (const LevelFlips& category : problem.noise.flips) {
    const OneHotGroup& group = category.group();
    for (std::size_t j = group.first; j < group.first + group.count; ++j) {
      if (problem.space.movable(j)) return "a category with flips may change";
    }
  }
  return {};
}

DrawnNetwork::DrawnNetwork(const Problem& problem, Rows draws)
    : problem_(problem),
      network_(dynamic_cast<const Mlp&>(problem.model)),
      draws_(draws.count()),
      largest_(0) {
  const DenseLayer& first = network_.layers().front();
  for (std::size_t j = 0; j < first.inputs; ++j) {
    if (problem.space.movable(j)) movable_.push_back(j);
  }
  projected_.resize((draws_ + 1) * first.outputs);
  for (std::size_t k = 0; k < draws_; ++k) {
    for (std::size_t h = 0; h < first.outputs; ++h) {
      double sum = 0;
      for (std::size_t j = 0; j < first.inputs; ++j) {
        sum += first.weight[h * first.inputs + j] * draws[k][j];
      }
      projected_[k * first.outputs + h] = sum;
      largest_ = std::max(largest_, std::abs(sum));
    }
  }
  for (const DenseLayer& layer : network_.layers()) {
    const std::size_t columns = movable_.size();
    Vector reach(layer.outputs * columns);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      for (std::size_t i = 0; i < columns; ++i) {
        double& sum = reach[o * columns + i];
        if (influence_.empty()) {
          sum = std::abs(layer.weight[o * layer.inputs + movable_[i]]);
          continue;
        }
        for (std::size_t h = 0; h < layer.inputs; ++h) {
          sum += std::abs(layer.weight[o * layer.inputs + h]) * influence_.back()[h * columns + i];
        }
      }
    }
    influence_.push_back(std::move(reach));
  }
}

MarginBounds::MarginBounds(const DrawnNetwork& network, View origin, const ChangeBox& box)
    : network_(network),
      layers_(network.network_.layers()),
      leak_(network.network_.hidden_activation() == Activation::leaky_relu ? kLeakySlope : 0.0),
      sign_(network.problem_.goal.sign()),
      offset_(network.problem_.goal.margin(0)),
      first_(layers_.front().outputs, network.movable_.size()),
      lower_(layers_.size()),
      upper_(layers_.size()),
      lost_(layers_.size()) {
  const DenseLayer& first = layers_.front();
  Vector sizes(first.outputs);  // the largest |pre-activations| that can ever appear
  for (std::size_t h = 0; h < first.outputs; ++h) {
    double sum = first.bias[h];
    double size = std::abs(sum) + network.largest_;
    for (std::size_t j = 0; j < first.inputs; ++j) {
      const double term = first.weight[h * first.inputs + j] * origin[j];
      sum += term;
      size += std::abs(term);
    }
    for (std::size_t i = 0; i < network.movable_.size(); ++i) {
      first_[h][i] = first.weight[h * first.inputs + network.movable_[i]];
      size += std::abs(first_[h][i]) * std::max(std::abs(box[i].lower), std::abs(box[i].upper));
    }
    base_.push_back(sum);
    sizes[h] = size;
  }
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
           (sizes[0] + std::abs(offset_));
  at_.resize(first.outputs * kLanes);
  lowest_.resize(first.outputs);
  highest_.resize(first.outputs);
}

void MarginBounds::enter(View costs, double budget, const ChangeBox& box) {
  for (std::size_t h = 0; h < base_.size(); ++h) {
    const Interval range = linear_range(costs, budget, box, first_[h]);
    lowest_[h] = range.lower;
    highest_[h] = range.upper;
  }
  widths_.clear();
  for (const Interval& side : box) widths_.push_back(side.upper - side.lower);
  for (Vector& units : lost_) std::ranges::fill(units, 0.0);
}

void MarginBounds::margins(View change, MutableView out) {
  const std::size_t units = base_.size();
  Vector moved(units);
  for (std::size_t h = 0; h < units; ++h) {
    moved[h] = base_[h];
    for (std::size_t i = 0; i < change.size(); ++i) moved[h] += first_[h][i] * change[i];
  }
  for (std::size_t begin = 0; begin < out.size(); begin += kLanes) {
    const std::size_t lanes = std::min(kLanes, out.size() - begin);
    std::array<const double*, kLanes> draws{};
    for (std::size_t k = 0; k < kLanes; ++k) draws[k] = draw(begin + std::min(k, lanes - 1));
    gather(units, moved.data(), draws.data(), lower_[0].data());
    for (std::size_t i = 1; i < layers_.size(); ++i) {
      next_least(layers_[i], leak_, 1, lower_[i - 1].data(), lower_[i - 1].data(),
                 lower_[i].data());
    }
    for (std::size_t k = 0; k < lanes; ++k) out[begin + k] = sign_ * lower_.back()[k] + offset_;
  }
}

void MarginBounds::bound(std::span<const std::uint32_t> draws, std::span<LinearBound, kLanes> out,
                         std::span<double, kLanes> least) {
  const std::size_t units = base_.size();
  std::array<const double*, kLanes> sources{};
  for (std::size_t k = 0; k < kLanes; ++k) {
    // Lanes without a draw repeat the last one.
    sources[k] = draw(draws[std::min(k, draws.size() - 1)]);
  }
  gather(units, base_.data(), sources.data(), at_.data());
  widen(units, at_.data(), lowest_.data(), highest_.data(), lower_[0].data(), upper_[0].data());
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
}

Vector MarginBounds::blame() const {
  const std::size_t columns = first_.width;
  Vector out(columns);
  Vector shares(columns);
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
    for (std::size_t h = 0; h < layers_[i].outputs; ++h) {
      double total = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        shares[j] = network_.influence_[i][h * columns + j] * widths_[j];
        total += shares[j];
      }
      if (!(total > 0)) continue;
      for (std::size_t j = 0; j < columns; ++j) out[j] += lost_[i][h] * shares[j] / total;
    }
  }
  return out;
}

}  // namespace croco
