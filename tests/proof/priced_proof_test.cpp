// SPDX-License-Identifier: Apache-2.0
// Proofs where the price of a unit depends on the value, or touching a value has a price.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>
#include <croco/proof/prove.hpp>
#include <croco/space/distance.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

constexpr double kPricedTarget = 0.1;

/// A linear model: a point meets the target when its logit is at least `needed`.
struct PricedWorld {
  Mlp model = fixtures::logistic({0.5, -2, 1}, -0.5);
  Space space = fixtures::free_space(3);
  Vector origin{0.2, 0.6, 0.1};
  double needed = 0.1 * std::sqrt(0.25 + 4 + 1) * normal_quantile(1 - kPricedTarget);

  PricedWorld() {
    for (Column& column : space.columns) column = {.lower = -1, .upper = 2};
  }
  [[nodiscard]] Proof proof(const ProveOptions& options = {}) const {
    const Problem problem{model, space, {.scale = 0.1}, Goal(), 0, true};
    const ProveRequest request{origin, {}, 4};
    return prove(problem, kPricedTarget, {&request, 1}, options, 1).at(0);
  }
  /// The cheapest point of a grid that meets the target.
  [[nodiscard]] double cheapest() const {
    constexpr int kCells = 120;
    double best = 1e9;
    Vector point(3);
    const auto value = [&](int i) { return -1 + 3.0 * i / kCells; };
    for (int i = 0; i <= kCells; ++i) {
      for (int k = 0; k <= kCells; ++k) {
        for (int l = 0; l <= kCells; ++l) {
          point = {value(i), value(k), value(l)};
          if (model.logit(point) < needed) continue;
          best = std::min(best, distances(space, origin, point).cost);
        }
      }
    }
    return best;
  }
};

TEST(PricedProof, IsBelowEveryPointThatMeetsTheTarget) {
  PricedWorld world;
  world.space.columns[0].price = PriceCurve({0, 1}, {0.1, 0.9}, 1.0);
  world.space.columns[1].price = PriceCurve({0, 0.3, 0.5, 1}, {0.1, 0.2, 0.8, 0.9}, 1.0);
  world.space.columns[2].price = PriceCurve({0, 0.5, 1}, {0.1, 0.5, 0.9}, 1.0);
  const double cheapest = world.cheapest();
  for (const ProveOptions& options : {ProveOptions{}, ProveOptions{.samples = 2048}}) {
    const Proof proof = world.proof(options);
    EXPECT_GT(proof.lower, 0.15 * cheapest);
    EXPECT_LE(proof.lower, cheapest);
    EXPECT_EQ(proof.sampled_cost, std::nullopt);
  }
}

TEST(PricedProof, LeavesThePriceOfTouchingOut) {
  PricedWorld world;
  const double before = world.proof().lower;
  for (Column& column : world.space.columns) column.touch_price = 0.3;
  const Proof proof = world.proof();
  EXPECT_EQ(proof.lower, before);
  EXPECT_LE(proof.lower, world.cheapest());
  EXPECT_EQ(proof.sampled_cost, std::nullopt);
}

}  // namespace
}  // namespace croco
