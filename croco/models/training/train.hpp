// SPDX-License-Identifier: Apache-2.0
/// Fits logistic regression and networks: Adam on mini-batches, early stopping on a held-out split
/// in which both classes keep their shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/network/activation.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/models/training/classification.hpp>

namespace croco {

enum class ClassWeights : std::uint8_t {
  equal,     ///< every row counts the same
  balanced,  ///< each class counts the same in total
};

/// The rows of a split that a model is fitted on, when it is one of many retrained ones. Rows that
/// are trained on and rows that decide when to stop are resampled apart, so none is in both.
enum class Resample : std::uint8_t {
  none,       ///< each row once: models differ by their seed alone
  bootstrap,  ///< as many rows, with replacement
  half,       ///< half of the rows, without replacement
};

struct TrainOptions {
  std::vector<std::size_t> hidden{50};  ///< units per hidden layer; empty: logistic regression
  Activation activation = Activation::relu;
  std::size_t epochs = 200;       ///< at most; >= 1
  std::size_t batch = 64;         ///< rows per step; >= 1
  double learning_rate = 0.003;   ///< > 0
  double weight_decay = 1e-5;     ///< L2 penalty on the weights; >= 0
  double test_share = 0.25;       ///< rows kept for the final figures; [0, 0.9]
  double validation_share = 0.1;  ///< of the rest, rows that decide when to stop; [0, 0.9]
  std::size_t patience = 15;      ///< epochs without improvement before stopping; >= 1
  ClassWeights class_weights = ClassWeights::equal;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> split_seed = {};  ///< of the splits; none: `seed`
  Resample resample = Resample::none;
};

/// Throws InvalidArgument naming the field, the value and the rule.
void validate(const TrainOptions& options);

/// After each epoch.
struct TrainProgress {
  std::size_t epoch = 0;
  double train_loss = 0.0;
  double validation_loss = 0.0;  ///< of the training rows when nothing is held out
};

struct TrainResult {
  std::shared_ptr<const Mlp> model;  ///< as it was after the best epoch
  std::size_t epochs = 0;            ///< epochs run
  std::size_t best_epoch = 0;
  double validation_loss = 0.0;
  ClassificationMetrics train;  ///< on the rows that were trained on or validated with
  ClassificationMetrics test;   ///< on the rows that were never seen; count 0 without them
};

/// The same data, options and seed give the same weights. `stop` ends after the current epoch with
/// the best weights so far. Throws DataError when only one class is there.
[[nodiscard]] TrainResult train(Rows points, std::span<const std::uint8_t> labels,
                                const TrainOptions& options,
                                const std::function<void(const TrainProgress&)>& progress = {},
                                const std::stop_token& stop = {});

/// The same on probabilities of class 1 in place of labels: a network that imitates another model
/// learns more from them. Both classes are the rows above and below one half. `stop` ends it within
/// an epoch, by Stopped: half an imitation is of no use.
[[nodiscard]] TrainResult train_on_scores(Rows points, View scores, const TrainOptions& options,
                                          const std::stop_token& stop = {});

}  // namespace croco
