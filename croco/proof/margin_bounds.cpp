// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/margin_bounds.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <croco/base/multiversion.hpp>
#include <croco/noise/noise.hpp>

namespace croco {
namespace {

constexpr std::size_t kLanes = MarginBounds::kLanes;

/// `lower, upper = bias + weight * [lower, upper]` of the activated layer before.
CROCO_MULTIVERSION void next_ranges(const DenseLayer& layer, double leak,
                                    const double* __restrict lower, const double* __restrict upper,
                                    double* __restrict next_lower, double* __restrict next_upper) {
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    double low[kLanes];
    double high[kLanes];
    for (std::size_t k = 0; k < kLanes; ++k) low[k] = high[k] = layer.bias[o];
    for (std::size_t h = 0; h < layer.inputs; ++h) {
      const double weight = layer.weight[o * layer.inputs + h];
      const double* least = (weight >= 0 ? lower : upper) + h * kLanes;
      const double* most = (weight >= 0 ? upper : lower) + h * kLanes;
      for (std::size_t k = 0; k < kLanes; ++k) {
        low[k] += weight * (least[k] > 0 ? least[k] : leak * least[k]);
        high[k] += weight * (most[k] > 0 ? most[k] : leak * most[k]);
      }
    }
    for (std::size_t k = 0; k < kLanes; ++k) {
      next_lower[o * kLanes + k] = low[k];
      next_upper[o * kLanes + k] = high[k];
    }
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
    lost[h] += ((off[0] + off[1]) + (off[2] + off[3])) + ((off[4] + off[5]) + (off[6] + off[7]));
  }
}

/// `previous = weight^T coefficients`, `value += bias . coefficients`.
CROCO_MULTIVERSION void previous_coefficients(const double* __restrict weight,
                                              const double* __restrict bias, std::size_t inputs,
                                              std::size_t outputs,
                                              const double* __restrict coefficients,
                                              double* __restrict previous,
                                              double* __restrict value) {
  std::fill_n(previous, inputs * kLanes, 0.0);
  for (std::size_t o = 0; o < outputs; ++o) {
    double mine[kLanes];
    for (std::size_t k = 0; k < kLanes; ++k) mine[k] = coefficients[o * kLanes + k];
    if (bias != nullptr) {
      for (std::size_t k = 0; k < kLanes; ++k) value[k] += bias[o] * mine[k];
    }
    for (std::size_t h = 0; h < inputs; ++h) {
      const double factor = weight[o * inputs + h];
      for (std::size_t k = 0; k < kLanes; ++k) previous[h * kLanes + k] += factor * mine[k];
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

MarginBounds::Count MarginBounds::count(View change) {
  Count out;
  const std::size_t units = base_.size();
  Vector moved(units);
  for (std::size_t h = 0; h < units; ++h) {
    moved[h] = base_[h];
    for (std::size_t i = 0; i < change.size(); ++i) moved[h] += first_[h][i] * change[i];
  }
  const std::size_t rows = network_.draws_ + 1;
  for (std::size_t begin = 0; begin < rows; begin += kLanes) {
    const std::size_t lanes = std::min(kLanes, rows - begin);
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double* draw = &network_.projected_[(begin + std::min(k, lanes - 1)) * units];
      for (std::size_t h = 0; h < units; ++h) lower_[0][h * kLanes + k] = moved[h] + draw[h];
    }
    for (std::size_t i = 1; i < layers_.size(); ++i) {
      next_ranges(layers_[i], leak_, lower_[i - 1].data(), lower_[i - 1].data(), lower_[i].data(),
                  upper_[i].data());
    }
    for (std::size_t k = 0; k < lanes; ++k) {
      const bool wanted = sign_ * lower_.back()[k] + offset_ > 0;
      if (begin + k < network_.draws_) {
        out.invalid += wanted ? 0U : 1U;
      } else {
        out.reached = wanted;
      }
    }
  }
  return out;
}

void MarginBounds::bound(std::span<const std::uint32_t> draws, std::span<LinearBound, kLanes> out,
                         std::span<double, kLanes> least) {
  const std::size_t units = base_.size();
  for (std::size_t k = 0; k < kLanes; ++k) {
    // Lanes without a draw repeat the last one.
    const double* draw = &network_.projected_[draws[std::min(k, draws.size() - 1)] * units];
    for (std::size_t h = 0; h < units; ++h) {
      const double at = base_[h] + draw[h];
      at_[h * kLanes + k] = at;
      lower_[0][h * kLanes + k] = at + lowest_[h];
      upper_[0][h * kLanes + k] = at + highest_[h];
    }
  }
  for (std::size_t i = 1; i < layers_.size(); ++i) {
    next_ranges(layers_[i], leak_, lower_[i - 1].data(), upper_[i - 1].data(), lower_[i].data(),
                upper_[i].data());
  }
  const Lanes& lowest = sign_ > 0 ? lower_.back() : upper_.back();
  double value[kLanes];
  coefficients_.assign(kLanes, sign_);
  for (std::size_t k = 0; k < kLanes; ++k) {
    least[k] = sign_ * lowest[k] + offset_ - slack_;
    value[k] = offset_ + slack_;
  }
  for (std::size_t i = layers_.size() - 1; i > 0; --i) {
    const DenseLayer& layer = layers_[i];
    next_.resize(layer.inputs * kLanes);
    previous_coefficients(layer.weight.data(), layer.bias.data(), layer.inputs, layer.outputs,
                          coefficients_.data(), next_.data(), value);
    coefficients_.swap(next_);
    relax(layer.inputs, leak_, lower_[i - 1].data(), upper_[i - 1].data(), coefficients_.data(),
          value, lost_[i - 1].data());
  }
  add_products(units, coefficients_.data(), at_.data(), value);
  const std::size_t columns = first_.width;
  next_.resize(columns * kLanes);
  previous_coefficients(first_.data.data(), nullptr, columns, units, coefficients_.data(),
                        next_.data(), value);
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
