// SPDX-License-Identifier: Apache-2.0
#include <croco/models/training/train.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>
#include <croco/base/stopped.hpp>
#include <croco/models/model.hpp>
#include <croco/models/network/dense.hpp>
#include <croco/optim/adam.hpp>

namespace croco {
namespace {

/// `log(1 + exp(-z))`, the loss of class 1 at logit z.
double softplus(double x) noexcept {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

/// Uniform in +- sqrt(1 / inputs), PyTorch's default for dense layers.
std::vector<DenseLayer> initial_layers(std::size_t inputs, const TrainOptions& options) {
  Sequence random({options.seed, Purpose::train, 0});
  std::vector<std::size_t> sizes = options.hidden;
  sizes.push_back(1);
  std::vector<DenseLayer> layers;
  for (const std::size_t outputs : sizes) {
    DenseLayer layer{inputs, outputs, Vector(inputs * outputs), Vector(outputs)};
    const double limit = std::sqrt(1 / static_cast<double>(inputs));
    for (double& weight : layer.weight) weight = limit * (2 * random.uniform() - 1);
    for (double& bias : layer.bias) bias = limit * (2 * random.uniform() - 1);
    layers.push_back(std::move(layer));
    inputs = outputs;
  }
  return layers;
}

struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
  std::vector<std::size_t> test;
};

/// Both classes keep their shares in every part, so that small data do not judge by luck.
Split split_rows(std::span<const std::uint8_t> labels, const TrainOptions& options) {
  Sequence random({options.split_seed.value_or(options.seed), Purpose::train, 1});
  const auto part = [](double share, std::size_t of) {
    return static_cast<std::ptrdiff_t>(share * static_cast<double>(of));
  };
  Split split;
  for (const std::uint8_t label : {std::uint8_t{0}, std::uint8_t{1}}) {
    std::vector<std::size_t> order;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      if (labels[row] == label) order.push_back(row);
    }
    random.shuffle(order);
    const auto test = order.begin() + part(options.test_share, order.size());
    const auto validation =
        test + part(options.validation_share, static_cast<std::size_t>(order.end() - test));
    split.test.insert(split.test.end(), order.begin(), test);
    split.validation.insert(split.validation.end(), test, validation);
    split.train.insert(split.train.end(), validation, order.end());
  }
  return split;
}

/// Rows drawn from some; fewer than 2^32.
std::vector<std::size_t> resampled(std::vector<std::size_t> rows, Resample how, Sequence& random) {
  if (how == Resample::none || rows.empty()) return rows;
  if (how == Resample::half) {
    random.shuffle(rows);
    rows.resize((rows.size() + 1) / 2);
    return rows;
  }
  std::vector<std::size_t> out;
  out.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.push_back(rows[random.below(static_cast<std::uint32_t>(rows.size()))]);
  }
  return out;
}

class Trainer {
 public:
  Trainer(Rows points, View targets, const TrainOptions& options)
      : points_(points),
        targets_(targets),
        options_(options),
        layers_(initial_layers(points.width, options)),
        pass_(layers_, options.activation) {
    for (const DenseLayer& layer : layers_) {
      gradients_.push_back(
          {layer.inputs, layer.outputs, Vector(layer.weight.size()), Vector(layer.bias.size())});
      const AdamOptions adam{.learning_rate = options.learning_rate};
      weight_steps_.emplace_back(layer.weight.size(), adam);
      bias_steps_.emplace_back(layer.bias.size(), adam);
    }
    if (options.class_weights == ClassWeights::balanced) {
      const double ones = std::accumulate(targets.begin(), targets.end(), 0.0);
      const auto all = static_cast<double>(targets.size());
      class_weight_[1] = all / (2 * ones);
      class_weight_[0] = all / (2 * (all - ones));
    }
  }

  /// One pass over the rows in their order, in mini-batches; the mean loss on the way. `give_up`
  /// ends it between two of them, by Stopped.
  double epoch(std::span<const std::size_t> rows, const std::stop_token& give_up) {
    double loss = 0;
    for (std::size_t begin = 0; begin < rows.size(); begin += options_.batch) {
      if (give_up.stop_requested()) throw Stopped("stopped while a network was trained");
      const auto batch = rows.subspan(begin, std::min(options_.batch, rows.size() - begin));
      loss += forward(batch);
      backward(batch.size());
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        weight_steps_[i].step(gradients_[i].weight, layers_[i].weight);
        bias_steps_[i].step(gradients_[i].bias, layers_[i].bias);
      }
    }
    return loss / static_cast<double>(rows.size());
  }

  double mean_loss(std::span<const std::size_t> rows) {
    double loss = 0;
    for (std::size_t begin = 0; begin < rows.size(); begin += kEvaluationBatch) {
      loss += forward(rows.subspan(begin, std::min(kEvaluationBatch, rows.size() - begin)));
    }
    return loss / static_cast<double>(rows.size());
  }

  [[nodiscard]] const std::vector<DenseLayer>& layers() const noexcept { return layers_; }

 private:
  static constexpr std::size_t kEvaluationBatch = 256;

  /// The weighted cross-entropy of a target, a label or a probability between.
  [[nodiscard]] double loss_of(double logit, double target) const {
    double loss = 0;
    if (target > 0) loss += target * class_weight_[1] * softplus(-logit);
    if (target < 1) loss += (1 - target) * class_weight_[0] * softplus(logit);
    return loss;
  }

  /// The summed loss; leaves its slopes at the logits in `slopes_`.
  double forward(std::span<const std::size_t> batch) {
    const std::size_t n = batch.size();
    inputs_.resize(points_.width * n);
    for (std::size_t k = 0; k < n; ++k) {
      const View row = points_[batch[k]];
      for (std::size_t j = 0; j < row.size(); ++j) inputs_[j * n + k] = row[j];
    }
    pass_.run(inputs_.data(), n);
    const Vector& logits = pass_.values(layers_.size() - 1);
    slopes_.resize(n);
    double loss = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double target = targets_[batch[k]];
      const double weight = target * class_weight_[1] + (1 - target) * class_weight_[0];
      loss += loss_of(logits[k], target);
      slopes_[k] = weight * (sigmoid(logits[k]) - target) / static_cast<double>(n);
    }
    return loss;
  }

  void backward(std::size_t n) {
    pass_.run_back(slopes_, n, [&](std::size_t layer, const Vector& slopes) {
      DenseLayer& gradient = gradients_[layer];
      const double* inputs = inputs_.data();
      if (layer > 0) {
        pass_.activated(layer, activated_);
        inputs = activated_.data();
      }
      for (std::size_t o = 0; o < gradient.outputs; ++o) {
        const double* slope = &slopes[o * n];
        gradient.bias[o] = std::accumulate(slope, slope + n, 0.0);
        for (std::size_t h = 0; h < gradient.inputs; ++h) {
          const std::size_t at = o * gradient.inputs + h;
          gradient.weight[at] = weighted_sum(inputs + h * n, slope, n) +
                                options_.weight_decay * layers_[layer].weight[at];
        }
      }
    });
  }

  Rows points_;
  View targets_;  ///< probabilities of class 1
  const TrainOptions& options_;
  std::vector<DenseLayer> layers_;
  DensePass pass_;
  std::vector<DenseLayer> gradients_;
  std::vector<Adam> weight_steps_;
  std::vector<Adam> bias_steps_;
  double class_weight_[2] = {1.0, 1.0};
  Vector inputs_;
  Vector slopes_;
  Vector activated_;
};

void require(bool holds, std::string_view field, const std::string& value, std::string_view rule) {
  if (!holds) throw InvalidArgument(fmt::format("{} is {}; it must be {}", field, value, rule));
}

ClassificationMetrics metrics_on(const Mlp& model, Rows points,
                                 std::span<const std::uint8_t> labels,
                                 const std::vector<std::size_t>& rows) {
  if (rows.empty()) return {};
  Matrix part(0, points.width);
  std::vector<std::uint8_t> part_labels;
  for (const std::size_t row : rows) {
    part.append(points[row]);
    part_labels.push_back(labels[row]);
  }
  Vector logits(rows.size());
  model.logits(part.rows(), logits);
  return classification_metrics(logits, part_labels);
}

/// Trains on targets whose labels decide the splits and the figures. `stop` ends it between epochs
/// with what there is, `give_up` at once, by Stopped.
TrainResult train_on(Rows points, View targets, std::span<const std::uint8_t> labels,
                     const TrainOptions& options,
                     const std::function<void(const TrainProgress&)>& progress,
                     const std::stop_token& stop, const std::stop_token& give_up) {
  const auto ones = std::accumulate(labels.begin(), labels.end(), std::size_t{0});
  if (ones == 0 || ones == labels.size()) {
    throw DataError(
        fmt::format("all {} rows have the same label; training needs both classes", labels.size()));
  }
  Split split = split_rows(labels, options);
  if (split.train.empty()) {
    throw DataError(fmt::format("{} rows are too few for the splits asked for", points.count()));
  }
  if (options.resample != Resample::none) {
    Sequence random({options.seed, Purpose::train, 3});
    split.train = resampled(std::move(split.train), options.resample, random);
    split.validation = resampled(std::move(split.validation), options.resample, random);
  }
  Trainer trainer(points, targets, options);
  const std::vector<std::size_t>& judge = split.validation.empty() ? split.train : split.validation;
  std::vector<DenseLayer> best = trainer.layers();
  TrainResult result;
  result.validation_loss = std::numeric_limits<double>::infinity();
  Sequence order({options.seed, Purpose::train, 2});
  for (std::size_t epoch = 1; epoch <= options.epochs && !stop.stop_requested(); ++epoch) {
    order.shuffle(split.train);
    const double train_loss = trainer.epoch(split.train, give_up);
    const double validation_loss = trainer.mean_loss(judge);
    if (!std::isfinite(validation_loss)) {
      throw DataError(
          fmt::format("training diverged in epoch {}; a learning rate below {} may help", epoch,
                      options.learning_rate));
    }
    result.epochs = epoch;
    if (validation_loss < result.validation_loss) {
      result.validation_loss = validation_loss;
      result.best_epoch = epoch;
      best = trainer.layers();
    }
    if (progress) progress({epoch, train_loss, validation_loss});
    if (epoch - result.best_epoch >= options.patience) break;
  }
  result.model = std::make_shared<const Mlp>(std::move(best), options.activation);
  std::vector<std::size_t> seen = split.train;
  seen.insert(seen.end(), split.validation.begin(), split.validation.end());
  result.train = metrics_on(*result.model, points, labels, seen);
  result.test = metrics_on(*result.model, points, labels, split.test);
  return result;
}

}  // namespace

void validate(const TrainOptions& options) {
  require(std::ranges::all_of(options.hidden,
                              [](std::size_t units) { return units >= 1 && units <= 16384; }),
          "hidden", fmt::format("{}", fmt::join(options.hidden, ",")), "1 to 16384 units a layer");
  require(options.hidden.size() <= 32, "hidden", fmt::format("{} layers", options.hidden.size()),
          "at most 32 layers");
  require(options.epochs >= 1, "epochs", "0", "at least 1");
  require(options.batch >= 1, "batch", "0", "at least 1");
  require(options.patience >= 1, "patience", "0", "at least 1");
  require(options.learning_rate > 0 && std::isfinite(options.learning_rate), "learning-rate",
          fmt::format("{}", options.learning_rate), "greater than 0");
  require(options.weight_decay >= 0 && std::isfinite(options.weight_decay), "weight-decay",
          fmt::format("{}", options.weight_decay), "at least 0");
  require(options.test_share >= 0 && options.test_share <= 0.9, "test-share",
          fmt::format("{}", options.test_share), "between 0 and 0.9");
  require(options.validation_share >= 0 && options.validation_share <= 0.9, "validation-share",
          fmt::format("{}", options.validation_share), "between 0 and 0.9");
}

TrainResult train(Rows points, std::span<const std::uint8_t> labels, const TrainOptions& options,
                  const std::function<void(const TrainProgress&)>& progress,
                  const std::stop_token& stop) {
  validate(options);
  const Vector targets(labels.begin(), labels.end());
  return train_on(points, targets, labels, options, progress, stop, {});
}

TrainResult train_on_scores(Rows points, View scores, const TrainOptions& options,
                            const std::stop_token& stop) {
  validate(options);
  std::vector<std::uint8_t> labels(scores.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = scores[i] > 0.5 ? 1 : 0;
  return train_on(points, scores, labels, options, {}, {}, stop);
}

}  // namespace croco
