// SPDX-License-Identifier: Apache-2.0
// Bound draws count as the model does row by row in double precision, whatever the scales are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <croco/models/model.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/models/probability_model.hpp>
#include <croco/models/trees/tree_model.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Failures by bound draws, with those that are undecided settled by the model, and row by row.
void expect_same_counts(const Model& model, Rows draws, View point, const Cut& cut,
                        const std::string& what) {
  const auto at = [&](std::size_t k) {
    Vector row(point.begin(), point.end());
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += draws[k][j];
    return model.logit(row);
  };
  std::size_t expected = 0;
  for (std::size_t k = 0; k < draws.count(); ++k) expected += cut.clears(at(k)) ? 0U : 1U;
  std::size_t count = 0;
  std::vector<PointDraw> undecided;
  model.bind(draws)->count_failures({point, point.size()}, cut, {&count, 1}, &undecided);
  for (const PointDraw& one : undecided) count += cut.clears(at(one.draw)) ? 0U : 1U;
  EXPECT_EQ(count, expected) << what;
}

/// The network with its layers' weights times a factor each.
Mlp scaled(const Mlp& model, const Vector& factors) {
  std::vector<DenseLayer> layers = model.layers();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (double& weight : layers[i].weight) weight *= factors[i];
    for (double& bias : layers[i].bias) bias *= factors[i];
  }
  return Mlp(std::move(layers), model.hidden_activation());
}

/// The middle of the logits that draws have: half of them are on either side.
double middle_of(const Model& model, Rows draws, View point) {
  Vector logits;
  for (std::size_t k = 0; k < draws.count(); ++k) {
    Vector row(point.begin(), point.end());
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += draws[k][j];
    const double logit = model.logit(row);
    if (!std::isnan(logit)) logits.push_back(logit);
  }
  if (logits.empty()) return 0;
  std::ranges::nth_element(logits, logits.begin() + static_cast<std::ptrdiff_t>(logits.size() / 2));
  return logits[logits.size() / 2];
}

TEST(ExtremeDraws, AreCountedAsTheModelAnswers) {
  const std::vector<std::vector<std::size_t>> shapes{{3}, {3, 5}, {3, 5, 4}};
  const std::vector<Activation> activations{Activation::relu, Activation::tanh, Activation::gelu};
  const Vector factors{1e-200, 1e-60, 1e-40, 1e-33, 1e-20, 1, 1e12, 1e30, 1e60};
  const Vector sizes{1e-30, 1e-14, 1e-9, 0.1, 1e8, 1e30, 1e90};
  for (const std::vector<std::size_t>& shape : shapes) {
    for (const Activation activation : activations) {
      const Mlp plain = fixtures::random_mlp(shape, activation, 7);
      for (const double first : factors) {
        for (const double last : factors) {
          if (shape.size() == 1 && last != 1) continue;
          Vector by(plain.layers().size(), 1.0);
          by.back() = last;
          by.front() = first;
          if (first * last > 1e80) continue;  // refused
          const Mlp model = scaled(plain, by);
          for (const double size : sizes) {
            Matrix draws(90, 3);
            draws.data = fixtures::random_vector(270, 3, -size, size);
            const Vector point = fixtures::random_vector(3, 5);
            const double middle = middle_of(model, draws.rows(), point);
            for (const Cut cut : {Cut{middle}, Cut{middle, false}, Cut{0}, Cut{0, false}}) {
              expect_same_counts(model, draws.rows(), point, cut,
                                 "layers of " + std::to_string(shape.size()) + ", weights times " +
                                     std::to_string(std::log10(first)) + " and " +
                                     std::to_string(std::log10(last)) + ", draws of " +
                                     std::to_string(std::log10(size)));
            }
          }
        }
      }
    }
  }
}

/// Weights below 1e-30 count as 0 in single precision; before large values they are not nothing.
TEST(ExtremeDraws, WeightsThatCountAsZeroAreInTheErrorBound) {
  const Mlp model(
      {{1, 2, {1e15, 1}, {0, 0}}, {2, 2, {1, 0, 0, 1}, {0, 0}}, {2, 1, {9e-31, 1e-22}, {-1.5e-16}}},
      Activation::relu);
  Matrix draws(200, 1);
  draws.data = fixtures::random_vector(200, 4, -0.3, 0.3);
  expect_same_counts(model, draws.rows(), Vector{0.16}, Cut{0}, "above");
  expect_same_counts(model, draws.rows(), Vector{0.16}, Cut{0, false}, "below");
}

/// What cancels in double leaves roundings that single precision knows nothing of.
TEST(ExtremeDraws, RoundingsOfWhatCancelsAreInTheErrorBound) {
  for (const std::vector<std::size_t>& shape :
       std::vector<std::vector<std::size_t>>{{2}, {2, 2}, {2, 2, 2}}) {
    Mlp plain = fixtures::random_mlp(shape, Activation::relu, 3);
    std::vector<DenseLayer> layers = plain.layers();
    for (std::size_t o = 0; o < layers[0].outputs; ++o) {
      layers[0].weight[2 * o] = 1e12;
      layers[0].weight[2 * o + 1] = -1e12;
      layers[0].bias[o] = 0.3;
    }
    const Mlp model(layers, Activation::relu);
    Matrix draws(300, 2);
    const Vector random = fixtures::random_vector(600, 8);
    for (std::size_t k = 0; k < 300; ++k) {
      draws[k][0] = random[2 * k];
      draws[k][1] = random[2 * k] + 1e-16 * std::round(20 * random[2 * k + 1]);
    }
    const Vector point{0.7, 0.7};
    const double middle = middle_of(model, draws.rows(), point);
    for (const bool above : {true, false}) {
      expect_same_counts(model, draws.rows(), point, {middle, above}, "cancelled");
    }
  }
}

/// Nothing is left undecided by single precision, which is not used.
TEST(ExtremeDraws, DrawsThatAreTooLargeAreCountedInDouble) {
  for (const std::vector<std::size_t>& shape :
       std::vector<std::vector<std::size_t>>{{3}, {3, 5}, {3, 5, 4}}) {
    const Mlp model = fixtures::random_mlp(shape, Activation::relu, 7);
    Matrix draws(90, 3);
    draws.data = fixtures::random_vector(270, 3, -1e37, 1e37);
    const Vector point{0.1, 0.2, 0.3};
    std::size_t count = 0;
    std::vector<PointDraw> undecided;
    model.bind(draws.rows())->count_failures({point, 3}, Cut{0}, {&count, 1}, &undecided);
    std::size_t expected = 0;
    for (std::size_t k = 0; k < 90; ++k) {
      Vector row = point;
      for (std::size_t j = 0; j < 3; ++j) row[j] += draws[k][j];
      expected += model.logit(row) > 0 ? 0U : 1U;
    }
    EXPECT_EQ(count, expected);
    EXPECT_TRUE(undecided.empty());
  }
}

/// Differences of leaves that have no digits to count with.
TEST(ExtremeDraws, LeavesMayBeAsSmallAsNumbersGet) {
  for (const double size : {1e-290, 1e-310, 5e-324}) {
    TreeEnsemble ensemble{.width = 1};
    for (const double limit : {0.1, 0.3, -0.2}) {
      append_tree(ensemble,
                  {{.node = {.number = limit}, .left = 1, .right = 2},
                   {.node = {.number = limit > 0 ? size : -2 * size}},
                   {.node = {.number = limit > 0.2 ? 3 * size : -size}}},
                  "a tree");
    }
    const TreeModel model(ensemble, InputColumns::identity(1));
    Matrix draws(300, 1);
    draws.data = fixtures::random_vector(300, 6);
    for (const bool above : {true, false}) {
      expect_same_counts(model, draws.rows(), Vector{0.05}, {0, above}, std::to_string(above));
    }
  }
}

/// Answers NaN for rows whose first number is above 0.2, a logit or a share otherwise.
class SilentModel final : public Model {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return 1; }
  void logits(Rows rows, MutableView out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = rows[k][0] > 0.2 ? kNan : rows[k][0];
  }
};

TEST(ExtremeDraws, NoAnswerIsAFailureForBothClasses) {
  const SilentModel model;
  const ProbabilityModel shares(std::make_shared<SilentModel>());
  Matrix draws(4, 1);
  draws.data = {-0.5, 0.05, 0.5, 0.1};
  const Vector point{0.0};
  EXPECT_TRUE(std::isnan(shares.logit(Vector{0.5})));
  for (const auto& [above, expected] : {std::pair(true, 2U), std::pair(false, 3U)}) {
    std::size_t count = 0;
    model.bind(draws.rows())->count_failures({point, 1}, {0, above}, {&count, 1}, nullptr);
    EXPECT_EQ(count, expected) << above;
    count = 0;
    // A probability of 0.07 or less is class 0.
    shares.bind(draws.rows())
        ->count_failures({point, 1}, {logit_of(0.07), above}, {&count, 1}, nullptr);
    EXPECT_EQ(count, above ? 3U : 2U) << above;
  }
}

TEST(ExtremeDraws, SumsThatAreNoNumberStayNone) {
  // Infinity less infinity in the first layer; a ReLU must not make 0 of it.
  for (const Activation activation : {Activation::relu, Activation::tanh, Activation::elu}) {
    const Mlp model({{2, 1, {1e250, -1e250}, {0}}, {1, 1, {-1}, {1}}}, activation);
    EXPECT_TRUE(std::isnan(model.logit(Vector{1e100, 1e100})));
    Matrix rows(2, 2);
    rows.data = {1e100, 1e100, 0, 0};
    Vector logits(2);
    model.logits(rows.rows(), logits);
    EXPECT_TRUE(std::isnan(logits[0]));
    EXPECT_EQ(logits[1], activation == Activation::relu ? 1 : logits[1]);
    for (const bool above : {true, false}) {
      std::size_t count = 0;
      std::vector<PointDraw> undecided;
      model.bind(rows.rows())
          ->count_failures({Vector{0, 0}, 2}, {0, above}, {&count, 1}, &undecided);
      EXPECT_EQ(count + undecided.size(), above ? 1U : 2U);
    }
  }
}

}  // namespace
}  // namespace croco
