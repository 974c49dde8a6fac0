// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/margin_bounds.hpp>

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <tests/fixtures.hpp>

namespace croco {
namespace {

struct Case {
  std::vector<std::size_t> units;
  Activation activation;
  int wanted;
};

class MarginBoundsOf : public testing::TestWithParam<Case> {};

TEST_P(MarginBoundsOf, HoldForRandomChanges) {
  const auto& [units, activation, wanted] = GetParam();
  double tightest = 1e9;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Mlp model = fixtures::random_mlp(units, activation, 20 * seed);
    Space space = fixtures::free_space(units[0]);
    space.columns[1].movement = Movement::fixed;
    const Problem problem{model, space, Noise{.scale = 0.2}, Goal(0.4, wanted), 3, true};
    Matrix draws(21, units[0]);
    sample(problem.noise, Vector(units[0], 0.2), {seed, Purpose::prove, 0}, 0, draws);
    const DrawnNetwork network(problem, draws.rows());
    const std::size_t columns = network.movable().size();
    ASSERT_EQ(columns, units[0] - 1);
    const Vector origin = fixtures::random_vector(units[0], seed + 7);
    const Vector costs = fixtures::random_vector(columns, seed + 8, 0.5, 2);
    const double width = seed % 2 == 0 ? 0.05 : 0.8;
    ChangeBox box;
    for (const double at : fixtures::random_vector(columns, seed + 9)) {
      box.push_back({at, at + width});
    }
    const double budget = change_cost(costs, cheapest_change(box)) + width;
    MarginBounds bounds(network, origin, box);
    bounds.enter(costs, budget, box);
    for (std::uint32_t first = 0; first < 22; first += 8) {
      std::vector<std::uint32_t> numbers;
      for (std::uint32_t k = first; k < std::min(22U, first + 8); ++k) numbers.push_back(k);
      std::array<LinearBound, MarginBounds::kLanes> upper;
      std::array<double, MarginBounds::kLanes> least{};
      bounds.bound(numbers, upper, least);
      for (std::uint64_t trial = 0; trial < 100; ++trial) {
        Vector change = fixtures::random_vector(columns, 1000 * seed + trial, 0, width);
        for (std::size_t i = 0; i < columns; ++i) change[i] += box[i].lower;
        if (change_cost(costs, change) > budget) continue;
        Vector margins(22);
        bounds.margins(change, margins);
        for (std::size_t k = 0; k < numbers.size(); ++k) {
          Vector point = origin;
          for (std::size_t i = 0; i < columns; ++i) point[network.movable()[i]] += change[i];
          if (numbers[k] < 21) {
            for (std::size_t j = 0; j < point.size(); ++j) point[j] += draws[numbers[k]][j];
          }
          const double margin = problem.goal.margin(model.logit(point));
          double linear = upper[k].value;
          for (std::size_t i = 0; i < columns; ++i) linear += upper[k].slopes[i] * change[i];
          EXPECT_NEAR(margins[numbers[k]], margin, 1e-9);
          EXPECT_LE(margin, linear) << seed;
          EXPECT_GE(margin, least[k]) << seed;
          tightest = std::min(tightest, linear - margin);
        }
      }
    }
    for (const double blame : bounds.blame()) EXPECT_GE(blame, 0);
  }
  EXPECT_LT(tightest, 0.01);  // sound, and no idle bound either
}

INSTANTIATE_TEST_SUITE_P(
    Networks, MarginBoundsOf,
    testing::Values(Case{{4, 9}, Activation::relu, 1}, Case{{4, 9}, Activation::relu, 0},
                    Case{{3, 17}, Activation::leaky_relu, 1}, Case{{3, 6, 5}, Activation::relu, 0},
                    Case{{3, 6, 5}, Activation::leaky_relu, 1},
                    Case{{4, 5, 4, 3}, Activation::relu, 1}, Case{{5}, Activation::relu, 0}));

TEST(MarginBounds, AreExactForALinearModel) {
  const Mlp model = fixtures::logistic({1, -2, 0.5}, 0.25);
  const Space space = fixtures::free_space(3);
  const Problem problem{model, space, Noise{}, Goal(), 3, true};
  Matrix draws(1, 3);
  draws[0][1] = 0.5;
  const DrawnNetwork network(problem, draws.rows());
  const ChangeBox box(3, {-1, 1});
  MarginBounds bounds(network, Vector{1, 1, 1}, box);
  bounds.enter(Vector{1, 1, 1}, 3, box);
  std::array<LinearBound, MarginBounds::kLanes> upper;
  std::array<double, MarginBounds::kLanes> least{};
  bounds.bound(std::vector<std::uint32_t>{0, 1}, upper, least);
  EXPECT_NEAR(upper[0].value, -1.25, 1e-9);
  EXPECT_NEAR(upper[1].value, -0.25, 1e-9);
  EXPECT_EQ(upper[0].slopes, (Vector{1, -2, 0.5}));
}

TEST(MarginBounds, SayWhatTheyCannotBound) {
  const Mlp relu = fixtures::random_mlp({3, 4}, Activation::relu, 1);
  const Mlp tanh = fixtures::random_mlp({3, 4}, Activation::tanh, 1);
  const fixtures::PlainModel plain(relu, true);
  const Space space = fixtures::free_space(3);
  const auto obstacle = [&](const Model& model, const Noise& noise) {
    return margin_obstacle({model, space, noise, Goal(), 0, true});
  };
  EXPECT_EQ(obstacle(relu, {}), "");
  EXPECT_EQ(obstacle(relu, {.shape = NoiseShape::laplace}), "");
  EXPECT_EQ(obstacle(fixtures::logistic({1, 2, 3}, 0), {}), "");
  EXPECT_EQ(obstacle(tanh, {}), "the units of the network are not ReLU");
  EXPECT_EQ(obstacle(plain, {}), "the model is not a network");
  EXPECT_EQ(obstacle(relu, {.falls_short = true}), "the noise depends on the advice");
  EXPECT_EQ(obstacle(relu, {.scope = NoiseScope::changed}), "the noise depends on the advice");
}

}  // namespace
}  // namespace croco
