// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/margin_bounds.hpp>

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <croco/space/levels.hpp>
#include <tests/fixtures.hpp>
#include <tests/flips.hpp>

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
    const ChangeRegion region{box};
    MarginBounds bounds(network, origin, region);
    bounds.enter(costs, budget, region);
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
        bounds.margins({change, {}}, margins);
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
  const ChangeRegion region{ChangeBox(3, {-1, 1})};
  MarginBounds bounds(network, Vector{1, 1, 1}, region);
  bounds.enter(Vector{1, 1, 1}, 3, region);
  std::array<LinearBound, MarginBounds::kLanes> upper;
  std::array<double, MarginBounds::kLanes> least{};
  bounds.bound(std::vector<std::uint32_t>{0, 1}, upper, least);
  EXPECT_NEAR(upper[0].value, -1.25, 1e-9);
  EXPECT_NEAR(upper[1].value, -0.25, 1e-9);
  EXPECT_EQ(upper[0].slopes, (Vector{1, -2, 0.5}));
}

/// Numbers, categories that move and categories that flip: every level, every flip of every draw.
TEST(MarginBounds, HoldForAllLevelsUnderTheFlipsOfEachDraw) {
  for (const auto& [units, activation] :
       {std::pair(std::vector<std::size_t>{9, 7}, Activation::relu),
        std::pair(std::vector<std::size_t>{9, 5, 4}, Activation::leaky_relu)}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const Mlp model = fixtures::random_mlp(units, activation, 30 * seed + 1);
      Space space = fixtures::mixed_space(2, {3, 2, 2});
      space.columns[1].movement = Movement::fixed;
      Vector origin = fixtures::random_person(space, seed);
      const std::size_t level = level_at(space.groups[0], origin);
      for (std::size_t l = 0; l < 3; ++l) {
        if (l != level) space.groups[0].moves.push_back({level, l, 0.2});
      }
      space.groups[2].moves = {{0, 1, 0.1}, {1, 0, 0.1}};
      // Given as it is, not one-hot: it stays so until the category moves.
      if (seed % 2 == 1) origin[space.groups[2].first] += 0.25;
      Problem problem{model,
                      space,
                      {.scale = 0.2, .scope = NoiseScope::continuous},
                      Goal(0.5, seed % 3 == 0 ? 0 : 1),
                      seed,
                      true};
      const Space flipped = fixtures::mixed_space(2, {3, 2});
      problem.noise.flips = fixtures::random_flips(flipped, 0.4, seed);
      constexpr std::uint32_t kDraws = 40;
      const DrawnNetwork network = draw_for_proof(problem, kDraws, 0);
      ASSERT_EQ(network.categories().size(), 3U);
      EXPECT_GE(network.patterns(), 4U);
      ChangeRegion region = admissible_region(network, origin);
      EXPECT_EQ(region.levels[0].size(), 3U);
      EXPECT_EQ(region.levels[1].size(), 1U);
      EXPECT_EQ(region.levels[2].size(), 2U);
      region.box = {{-0.3, 0.4}};
      MarginBounds bounds(network, origin, region);
      bounds.enter(Vector{1}, 10, region);
      const Stream stream = problem.stream(Purpose::prove, 0);
      for (std::uint32_t k = 0; k <= kDraws; ++k) {
        for (const LevelOption& first : region.levels[0]) {
          for (std::size_t o = 0; o < 2; ++o) {
            const double moved = fixtures::random_vector(1, 100 * seed + k, -0.3, 0.4)[0];
            const RegionChange change{
                {moved}, {first.level, region.levels[1][0].level, region.levels[2][o].level}};
            Vector margins(kDraws + 1);
            bounds.margins(change, margins);
            std::array<LinearBound, MarginBounds::kLanes> upper;
            std::array<double, MarginBounds::kLanes> least{};
            bounds.bound({&k, 1}, upper, least);
            Vector point = origin;
            point[0] += moved;
            if (first.level != level) set_level(space.groups[0], first.level, point);
            if (o == 1) set_level(space.groups[2], region.levels[2][1].level, point);
            // The flips are of the first two categories, whose columns are one-hot.
            if (k < kDraws) point = fixtures::noisy_copy(problem.noise, space, stream, k, point);
            const double margin = problem.goal.margin(model.logit(point));
            const auto at = static_cast<std::size_t>(&first - region.levels[0].data());
            const double linear = upper[0].value + upper[0].slopes[0] * moved +
                                  upper[0].gains[0][at] + upper[0].gains[2][o];
            EXPECT_NEAR(margins[k], margin, 1e-9) << seed << " " << k;
            EXPECT_LE(margin, linear) << seed << " " << k;
            EXPECT_GE(margin, least[0]) << seed << " " << k;
          }
        }
      }
      const Vector blame = bounds.blame();
      ASSERT_EQ(blame.size(), 4U);
      EXPECT_EQ(blame[2], 0) << "a category that stays widens nothing";
    }
  }
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
