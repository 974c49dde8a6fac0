// SPDX-License-Identifier: Apache-2.0
/// Small models, spaces and measures that the tests share.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/models/model.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/space/space.hpp>

namespace croco::fixtures {

/// Uniform numbers in (low, high), the same for the same seed.
inline Vector random_vector(std::size_t size, std::uint64_t seed, double low = -1.0,
                            double high = 1.0) {
  Sequence random({seed, Purpose::train, 1000});
  Vector out(size);
  for (double& value : out) value = low + (high - low) * random.uniform();
  return out;
}

/// A network with random weights. `units` are the inputs and the units of each hidden layer.
inline Mlp random_mlp(std::vector<std::size_t> units, Activation activation, std::uint64_t seed) {
  units.push_back(1);
  std::vector<DenseLayer> layers;
  for (std::size_t i = 1; i < units.size(); ++i) {
    layers.push_back({units[i - 1], units[i], random_vector(units[i - 1] * units[i], seed + 2 * i),
                      random_vector(units[i], seed + 2 * i + 1)});
  }
  return Mlp(std::move(layers), activation);
}

/// Logistic regression.
inline Mlp logistic(Vector weights, double bias) {
  const std::size_t width = weights.size();
  return Mlp({DenseLayer{width, 1, std::move(weights), {bias}}}, Activation::relu);
}

/// The model with the opposite answers: its logit is minus the logit of `model`.
inline Mlp negated(const Mlp& model) {
  std::vector<DenseLayer> layers = model.layers();
  for (double& weight : layers.back().weight) weight = -weight;
  for (double& bias : layers.back().bias) bias = -bias;
  return Mlp(std::move(layers), model.hidden_activation());
}

/// Numbers in single precision.
inline std::vector<float> floats(View values) { return {values.begin(), values.end()}; }

/// Columns that move freely.
inline Space free_space(std::size_t width) { return {std::vector<Column>(width), {}}; }

/// A network that meets given draws instead of the ones it is bound to, as long as no more are
/// bound than are given. It puts known draws into code that makes its own.
class ReplayModel final : public Model {
 public:
  ReplayModel(std::shared_ptr<const Mlp> model, Matrix draws)
      : model_(std::move(model)), draws_(std::move(draws)) {}

  [[nodiscard]] std::size_t width() const noexcept override { return model_->width(); }
  void logits(Rows rows, MutableView out) const override { model_->logits(rows, out); }
  [[nodiscard]] const Gradient* gradient() const noexcept override { return model_->gradient(); }
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override {
    if (draws.count() > draws_.count()) return model_->bind(draws);
    return model_->bind(draws_.rows().slice(0, draws.count()));
  }

 private:
  std::shared_ptr<const Mlp> model_;
  Matrix draws_;
};

/// A network seen through the interface alone: it has no way of its own to bind draws, has a
/// gradient only on request, and claims any size for a bound draw.
class PlainModel final : public Model {
 public:
  PlainModel(const Mlp& model, bool with_gradient, std::size_t bytes_per_draw = 8)
      : model_(model), with_gradient_(with_gradient), bytes_per_draw_(bytes_per_draw) {}

  [[nodiscard]] std::size_t width() const noexcept override { return model_.width(); }
  void logits(Rows rows, MutableView out) const override { model_.logits(rows, out); }
  [[nodiscard]] const Gradient* gradient() const noexcept override {
    return with_gradient_ ? model_.gradient() : nullptr;
  }
  [[nodiscard]] std::size_t evaluator_bytes_per_draw() const noexcept override {
    return bytes_per_draw_;
  }

 private:
  const Mlp& model_;
  bool with_gradient_;
  std::size_t bytes_per_draw_;
};

/// The gradient of `function` by central differences.
template <typename Function>
Vector central_difference(Function function, Vector point, double step = 1e-6) {
  Vector gradient(point.size());
  for (std::size_t j = 0; j < point.size(); ++j) {
    const double at = point[j];
    point[j] = at + step;
    const double above = function(View(point));
    point[j] = at - step;
    const double below = function(View(point));
    point[j] = at;
    gradient[j] = (above - below) / (2 * step);
  }
  return gradient;
}

/// The text of the exception that `call` throws; any other exception fails the test by itself.
template <typename Exception, typename Call>
std::string message_of(Call&& call) {
  try {
    static_cast<void>(call());
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// `P(Bin(trials, p) <= count)` for 0 < p < 1, as the sum of its terms.
inline double binomial_cdf(std::size_t count, std::size_t trials, double p) {
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return sum;
}

/// The largest count below which Bin(trials, p) falls with a probability of at most 1e-4.
inline std::size_t least_count(std::size_t trials, double p) {
  std::size_t count = 0;
  while (count < trials && binomial_cdf(count, trials, p) <= 1e-4) ++count;
  return count;
}

}  // namespace croco::fixtures
