// SPDX-License-Identifier: Apache-2.0
// Searches where the price of a unit depends on the value.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <croco/methods/certified/order_statistic.hpp>
#include <croco/methods/certified/shortest_search.hpp>
#include <croco/methods/descent/descent.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/space/distance.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

/// The mid-distribution function of made-up data: skewed, with values that many have.
PriceCurve data_curve(std::uint64_t seed) {
  Vector data;
  for (const double u : fixtures::random_vector(80, seed, 0.0, 1.0)) data.push_back(u * u);
  for (const double u : fixtures::random_vector(3, seed + 500, 0.1, 0.9)) {
    data.insert(data.end(), 15, u);
  }
  data.insert(data.end(), {0.0, 1.0});
  std::ranges::sort(data);
  Vector values;
  Vector levels;
  const auto count = static_cast<double>(data.size());
  for (std::size_t i = 0; i < data.size();) {
    const std::size_t begin = i;
    while (i < data.size() && data[i] == data[begin]) ++i;
    values.push_back(data[begin]);
    levels.push_back(static_cast<double>(begin + i) / (2 * count));
  }
  return {values, levels, 1.0};
}

struct World {
  explicit World(std::uint64_t seed)
      : model(fixtures::random_mlp({4, 8}, Activation::relu, seed)),
        space(fixtures::free_space(4)),
        origin(fixtures::random_vector(4, seed + 77, 0.1, 0.9)) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (j >= 2) space.columns[j].movement = Movement::fixed;
      space.columns[j].lower = 0;
      space.columns[j].upper = 1;
      space.columns[j].price = data_curve(10 * seed + j);
    }
  }
  [[nodiscard]] Problem problem(double rise) const {
    return {model, space, {.scale = 0.05}, Goal(sigmoid(model.logit(origin) + rise)), 3};
  }

  Mlp model;
  Space space;
  Vector origin;
};

/// The cheapest point of a fine grid over the two movable columns that keeps the rate on a bank.
std::optional<double> best_of_grid(const Problem& problem, const NoiseBank& bank, View origin,
                                   std::size_t allowed) {
  constexpr int kCells = 400;
  OrderStatistic statistic(problem, bank, origin, bank.count(), allowed);
  const ChangeProblem changes = change_problem(problem.space, origin);
  std::vector<std::pair<double, Vector>> grid;
  for (int i = 0; i <= kCells; ++i) {
    for (int k = 0; k <= kCells; ++k) {
      Vector change{static_cast<double>(i) / kCells - origin[0],
                    static_cast<double>(k) / kCells - origin[1], 0, 0};
      const double cost = cost_of(changes, change);
      grid.emplace_back(cost, std::move(change));
    }
  }
  std::ranges::sort(grid, {}, &std::pair<double, Vector>::first);
  for (const auto& [cost, change] : grid) {
    if (statistic.invalid(change) <= allowed && statistic.reached(change)) return cost;
  }
  return std::nullopt;
}

TEST(SlowCurvedSearch, FindsNearlyTheBestOfAGrid) {
  double sum = 0;
  std::size_t count = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const World world(seed);
    const Problem problem = world.problem(0.15);
    const NoiseBank bank(problem, problem.stream(Purpose::search, 0), 0, 1024);
    constexpr double kRate = 0.1;
    const std::optional<double> best = best_of_grid(problem, bank, world.origin, 102);
    const ShortestChange found =
        shortest_change(problem, SearchDraws{bank, bank}, world.origin, kRate);
    if (!best) continue;
    ASSERT_TRUE(found.feasible) << seed;
    ++count;
    EXPECT_LT(found.cost, 1.03 * *best + 1e-3) << seed;
    sum += found.cost / *best;
  }
  EXPECT_GE(count, 15U);
  EXPECT_LT(sum / static_cast<double>(count), 1.01);
}

TEST(CurvedSearch, ALinearModelIsSearchedLikeANetwork) {
  // Its closed form would take the cheap column: by the curve the other one is cheaper.
  const Mlp model = fixtures::logistic({1.0, 1.0}, -0.8);
  Space space = fixtures::free_space(2);
  for (Column& column : space.columns) column = {.lower = 0, .upper = 1};
  space.columns[0].price = PriceCurve({0.0, 0.2, 1.0}, {0.0, 0.1, 0.9}, 1.0);
  space.columns[1].price = PriceCurve({0.0, 0.2, 1.0}, {0.0, 0.5, 0.6}, 1.0);
  const Problem problem{model, space, {.scale = 0.05}, Goal(), 1};
  const Vector origin{0.1, 0.3};
  const Counterfactual found = make_search(problem, Certified{.target = 0.1})->find(origin, {});
  ASSERT_EQ(found.termination, Termination::converged);
  EXPECT_NEAR(found.point[0], 0.1, 1e-9);
  EXPECT_GT(found.point[1], 0.6);
}

TEST(CurvedSearch, DescentsFollowTheSlopeOfThePrice) {
  const Mlp model = fixtures::logistic({1.0, 1.0}, 0.0);
  Space space = fixtures::free_space(2);
  space.columns[0].price = PriceCurve({0.0, 1.0}, {0.1, 0.2}, 0.1);
  space.columns[1].price = PriceCurve({0.0, 1.0}, {0.0, 1.0}, 1.0);
  const Problem problem{model, space, {.scale = 0.05}, Goal(), 1};
  const Vector origin{0.5, 0.5};
  // What both columns gain, 0.5 a unit, is worth more than the price of the first, 0.1, and less
  // than that of the second; one price per column, 1, is more than either gains.
  const auto end = [&](bool as_published) {
    Descent descent(problem, origin,
                    {.learning_rate = 0.001, .lambda = 1.0, .as_published = as_published});
    for (int i = 0; i < 200; ++i) {
      Vector gradient{-0.5, -0.5};
      descent.step(gradient);
    }
    return Vector(descent.point().begin(), descent.point().end());
  };
  const Vector priced = end(false);
  EXPECT_GT(priced[0], 0.6);
  EXPECT_NEAR(priced[1], 0.5, 0.02);
  const Vector published = end(true);
  EXPECT_NEAR(published[0], 0.5, 0.02);
  EXPECT_EQ(published[0], published[1]);
}

TEST(CurvedSearch, CertifiedPointsHoldAndCostLessThanThoseOfAnotherCost) {
  double by_curve = 0;
  double by_range = 0;
  std::size_t count = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const World world(100 + seed);
    const Problem problem = world.problem(0.15);
    Space plain_space = world.space;
    for (Column& column : plain_space.columns) column.price = {};
    const Problem plain{world.model, plain_space, problem.noise, problem.goal, problem.seed};
    const Counterfactual found =
        make_search(problem, Certified{.target = 0.1})->find(world.origin, {});
    const Counterfactual other =
        make_search(plain, Certified{.target = 0.1})->find(world.origin, {});
    if (found.termination != Termination::converged) continue;
    ASSERT_EQ(other.termination, Termination::converged) << seed;
    const Advice advice{world.origin, found.point, 0};
    EXPECT_LE(tally(problem, {&advice, 1}, {.samples = 20'000})[0].rate(), 0.105) << seed;
    ++count;
    by_curve += distances(world.space, world.origin, found.point).cost;
    by_range += distances(world.space, world.origin, other.point).cost;
  }
  EXPECT_GE(count, 4U);
  EXPECT_LT(by_curve, by_range);
}

}  // namespace
}  // namespace croco
