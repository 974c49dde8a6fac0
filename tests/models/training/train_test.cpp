// SPDX-License-Identifier: Apache-2.0
#include <croco/models/training/train.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>
#include <croco/base/stopped.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::message_of;

struct Labelled {
  Matrix points = Matrix(0, 2);
  std::vector<std::uint8_t> labels;
};

/// Points of a square with the label that `label_of(x, y, u)` gives; u is a uniform number.
template <typename LabelOf>
Labelled square(std::size_t count, std::uint64_t seed, LabelOf label_of) {
  Sequence random({seed, Purpose::evaluate, 0});
  Labelled out;
  for (std::size_t k = 0; k < count; ++k) {
    const double x = 2 * random.uniform() - 1;
    const double y = 2 * random.uniform() - 1;
    out.points.append(Vector{x, y});
    out.labels.push_back(label_of(x, y, random.uniform()) ? 1 : 0);
  }
  return out;
}

Labelled separable() {
  return square(600, 1, [](double x, double y, double) { return x + 2 * y > 0.3; });
}

/// The label is 1 with probability .3 + .3 x, and nearly all of what a network finds is chance.
Labelled noisy(std::size_t count) {
  return square(count, 2, [](double x, double, double u) { return u < 0.3 + 0.3 * x; });
}

TrainResult run(const Labelled& data, const TrainOptions& options) {
  return train(data.points.rows(), data.labels, options);
}

TEST(Train, LearnsASeparableSet) {
  const TrainResult result =
      run(separable(), {.hidden = {}, .epochs = 200, .batch = 32, .learning_rate = 0.05});
  EXPECT_EQ(result.model->layers().size(), 1U);
  EXPECT_GT(result.train.accuracy, 0.97);
  EXPECT_GT(result.test.accuracy, 0.95);
  EXPECT_GT(result.test.auc, 0.99);
}

TEST(Train, KeepsAShareOfEachClassForTheTest) {
  const Labelled data = square(1000, 5, [](double, double, double u) { return u < 0.1; });
  const std::size_t ones = static_cast<std::size_t>(std::ranges::count(data.labels, 1));
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const TrainResult result =
        run(data, {.hidden = {}, .epochs = 1, .test_share = 0.25, .seed = seed});
    EXPECT_EQ(result.train.count + result.test.count, 1000U);
    const auto& [zeros_of_test, ones_of_test] = result.test.confusion;
    EXPECT_EQ(ones_of_test[0] + ones_of_test[1], ones / 4);
    EXPECT_EQ(zeros_of_test[0] + zeros_of_test[1], (1000 - ones) / 4);
  }
}

TEST(Train, LearnsWhatNoLineSeparates) {
  const Labelled data = square(800, 3, [](double x, double y, double) { return x * y > 0; });
  TrainOptions options{.hidden = {16}, .batch = 32, .learning_rate = 0.02, .patience = 30};
  for (const Activation activation : {Activation::relu, Activation::tanh}) {
    options.activation = activation;
    EXPECT_GT(run(data, options).test.accuracy, 0.93) << name_of(activation);
  }
  options.hidden = {};
  EXPECT_LT(run(data, options).test.accuracy, 0.7);
}

TEST(Train, GivesTheSameWeightsForTheSameSeed) {
  TrainOptions options{.hidden = {6, 3}, .epochs = 5, .seed = 9};
  const TrainResult first = run(separable(), options);
  EXPECT_EQ(run(separable(), options).model->layers(), first.model->layers());
  options.seed = 10;
  EXPECT_NE(run(separable(), options).model->layers(), first.model->layers());
}

TEST(Train, KeepsTheBestEpoch) {
  const Labelled data = noisy(200);
  TrainOptions options{.hidden = {40}, .epochs = 300, .batch = 16, .learning_rate = 0.02};
  std::vector<TrainProgress> epochs;
  const TrainResult result = train(data.points.rows(), data.labels, options,
                                   [&](const TrainProgress& at) { epochs.push_back(at); });
  ASSERT_EQ(epochs.size(), result.epochs);
  const auto best = std::ranges::min_element(epochs, {}, &TrainProgress::validation_loss);
  EXPECT_EQ(best->epoch, result.best_epoch);
  EXPECT_EQ(best->validation_loss, result.validation_loss);
  EXPECT_LT(result.epochs, options.epochs);
  EXPECT_EQ(result.epochs, result.best_epoch + options.patience);
  // Training that ends there on purpose gives the same network.
  options.epochs = result.best_epoch;
  EXPECT_EQ(run(data, options).model->layers(), result.model->layers());
}

TEST(Train, LowersTheTrainingLoss) {
  std::vector<double> losses;
  const Labelled data = separable();
  const TrainResult result =
      train(data.points.rows(), data.labels, {.hidden = {}, .epochs = 20, .validation_share = 0},
            [&](const TrainProgress& at) { losses.push_back(at.train_loss); });
  ASSERT_EQ(losses.size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(losses, std::greater<>{}));
  EXPECT_EQ(result.best_epoch, 20U);
}

TEST(Train, BalancedWeightsFindMoreOfTheRareClass) {
  const Labelled data =
      square(2000, 4, [](double x, double, double u) { return u < 0.12 + 0.1 * x; });
  TrainOptions options{.hidden = {}, .epochs = 60, .batch = 64, .learning_rate = 0.02};
  const auto recall = [](const ClassificationMetrics& metrics) {
    const auto& [missed, found] = metrics.confusion[1];
    return static_cast<double>(found) / static_cast<double>(found + missed);
  };
  EXPECT_LT(recall(run(data, options).train), 0.05);
  options.class_weights = ClassWeights::balanced;
  EXPECT_GT(recall(run(data, options).train), 0.5);
}

TEST(Train, WeightDecayShrinksTheWeights) {
  TrainOptions options{.hidden = {}, .epochs = 50, .batch = 32, .learning_rate = 0.02};
  const auto size = [](const TrainResult& result) {
    const Vector& weight = result.model->layers()[0].weight;
    return std::abs(weight[0]) + std::abs(weight[1]);
  };
  const double free = size(run(separable(), options));
  options.weight_decay = 0.3;
  EXPECT_LT(size(run(separable(), options)), free / 3);
}

TEST(Train, WithoutTestRowsThereAreNoTestFigures) {
  const TrainResult result = run(separable(), {.hidden = {}, .epochs = 2, .test_share = 0});
  EXPECT_EQ(result.test.count, 0U);
  EXPECT_EQ(result.train.count, 600U);
}

TEST(Train, StopsAfterTheEpochInWhichItIsAskedTo) {
  const Labelled data = separable();
  std::stop_source source;
  const TrainResult result = train(
      data.points.rows(), data.labels, {.epochs = 50},
      [&](const TrainProgress& at) {
        if (at.epoch == 3) source.request_stop();
      },
      source.get_token());
  EXPECT_EQ(result.epochs, 3U);
  ASSERT_NE(result.model, nullptr);
}

TEST(TrainErrors, NeedBothClasses) {
  const Matrix points(10, 2);
  for (const std::uint8_t label : {std::uint8_t{0}, std::uint8_t{1}}) {
    const std::vector<std::uint8_t> labels(10, label);
    EXPECT_EQ(message_of<DataError>([&] { return train(points.rows(), labels, {}); }),
              "all 10 rows have the same label; training needs both classes");
  }
}

TEST(TrainErrors, SayWhenTrainingDiverges) {
  EXPECT_EQ(message_of<DataError>(
                [] { return run(separable(), {.hidden = {4, 4}, .learning_rate = 1e200}); }),
            "training diverged in epoch 1; a learning rate below 1e+200 may help");
}

TEST(TrainErrors, NameFieldValueAndRule) {
  const auto text = [](const TrainOptions& options) {
    return message_of<InvalidArgument>([&] {
      validate(options);
      return 0;
    });
  };
  EXPECT_EQ(text({}), "nothing was thrown");
  EXPECT_EQ(text({.hidden = {4, 0}}), "hidden is 4,0; it must be 1 to 16384 units a layer");
  EXPECT_EQ(text({.hidden = std::vector<std::size_t>(33, 2)}),
            "hidden is 33 layers; it must be at most 32 layers");
  EXPECT_EQ(text({.epochs = 0}), "epochs is 0; it must be at least 1");
  EXPECT_EQ(text({.batch = 0}), "batch is 0; it must be at least 1");
  EXPECT_EQ(text({.patience = 0}), "patience is 0; it must be at least 1");
  EXPECT_EQ(text({.learning_rate = 0}), "learning-rate is 0; it must be greater than 0");
  EXPECT_EQ(text({.learning_rate = std::numeric_limits<double>::quiet_NaN()}),
            "learning-rate is nan; it must be greater than 0");
  EXPECT_EQ(text({.weight_decay = -1}), "weight-decay is -1; it must be at least 0");
  EXPECT_EQ(text({.test_share = 0.95}), "test-share is 0.95; it must be between 0 and 0.9");
  EXPECT_EQ(text({.validation_share = -0.5}),
            "validation-share is -0.5; it must be between 0 and 0.9");
}

TEST(TrainOnScores, LabelsAreScoresOfZeroAndOne) {
  const Labelled data = separable();
  const TrainOptions options{.hidden = {4}, .epochs = 5};
  const Vector scores(data.labels.begin(), data.labels.end());
  const TrainResult soft = train_on_scores(data.points.rows(), scores, options);
  const TrainResult hard = train(data.points.rows(), data.labels, options);
  EXPECT_EQ(soft.model->layers(), hard.model->layers());
  EXPECT_EQ(soft.validation_loss, hard.validation_loss);
}

TEST(TrainOnScores, AStopEndsItWithinAnEpoch) {
  // One epoch, which takes longer than the second that a stop may take.
  constexpr std::size_t kRows = 1'000'000;
  Matrix points(kRows, 1);
  Vector scores(kRows);
  for (std::size_t k = 0; k < kRows; ++k) {
    points[k][0] = static_cast<double>(k % 7);
    scores[k] = k % 7 > 3 ? 0.9 : 0.1;
  }
  std::stop_source source;
  std::chrono::steady_clock::time_point asked;
  const std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    asked = std::chrono::steady_clock::now();
    source.request_stop();
  });
  const TrainOptions options{.hidden = {128, 64}, .epochs = 1};
  EXPECT_THROW(
      static_cast<void>(train_on_scores(points.rows(), scores, options, source.get_token())),
      Stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(1));
}

// A logistic model of known weights is learnt from its probabilities, although they cross one half
// only on a line.
TEST(TrainOnScores, ProbabilitiesAreImitated) {
  const Labelled data = separable();
  Vector scores(data.labels.size());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    scores[k] = sigmoid(2 * data.points[k][0] - data.points[k][1] + 0.3);
  }
  const TrainResult result = train_on_scores(data.points.rows(), scores,
                                             {.hidden = {}, .epochs = 300, .learning_rate = 0.02});
  const LinearForm& form = *result.model->linear_form();
  EXPECT_NEAR(form.weights[0], 2, 0.1);
  EXPECT_NEAR(form.weights[1], -1, 0.1);
  EXPECT_NEAR(form.bias, 0.3, 0.1);
}

}  // namespace
}  // namespace croco
