// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/change_box.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tests/fixtures.hpp>

namespace croco {
namespace {

TEST(ChangeBox, CheapestIsNearestToZeroAndDearestTheFarCorner) {
  const ChangeBox box{{-1, 2}, {0.5, 3}, {-4, -1}};
  const Vector costs{1, 2, 10};
  EXPECT_EQ(cheapest_change(box), (Vector{0, 0.5, -1}));
  EXPECT_DOUBLE_EQ(change_cost(costs, cheapest_change(box)), 11);
  EXPECT_DOUBLE_EQ(largest_cost(costs, box), 2 + 6 + 40);
  EXPECT_EQ(largest_cost(costs, {{0, kInfinite}, {0, 0}, {0, 0}}), kInfinite);
}

TEST(ChangeBox, ABudgetCutsWhatItCannotReach) {
  ChangeBox box{{-5, 5}, {1, 5}};
  ASSERT_TRUE(cut_to_budget(Vector{1, 2}, 4, box));
  EXPECT_NEAR(box[0].lower, -2, 1e-9);
  EXPECT_NEAR(box[0].upper, 2, 1e-9);
  EXPECT_NEAR(box[1].upper, 2, 1e-9);
  EXPECT_EQ(box[1].lower, 1);
  EXPECT_FALSE(cut_to_budget(Vector{1, 2}, 1.9, box));
}

/// Against a fine grid: never exceeded, and nearly attained.
TEST(ChangeBox, RangesAndCostsAgreeWithAGrid) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Vector slopes = fixtures::random_vector(2, seed, -2, 2);
    const Vector costs = fixtures::random_vector(2, seed + 100, 0.2, 3);
    const Vector ends = fixtures::random_vector(4, seed + 200, -1, 1);
    const ChangeBox box{{std::min(ends[0], ends[1]), std::max(ends[0], ends[1])},
                        {std::min(ends[2], ends[3]), std::max(ends[2], ends[3])}};
    const double budget = change_cost(costs, cheapest_change(box)) + 0.5;
    const Interval range = linear_range(costs, budget, box, slopes);
    const double value = -0.3;
    Vector reached;
    const double cost = cost_to_reach(costs, box, slopes, value, &reached);
    double least = kInfinite;
    double most = -kInfinite;
    double cheapest = kInfinite;
    constexpr int kSteps = 400;
    for (int a = 0; a <= kSteps; ++a) {
      for (int b = 0; b <= kSteps; ++b) {
        const Vector at{box[0].lower + (box[0].upper - box[0].lower) * a / kSteps,
                        box[1].lower + (box[1].upper - box[1].lower) * b / kSteps};
        const double linear = slopes[0] * at[0] + slopes[1] * at[1];
        if (change_cost(costs, at) <= budget) {
          least = std::min(least, linear);
          most = std::max(most, linear);
        }
        if (value + linear >= 0) cheapest = std::min(cheapest, change_cost(costs, at));
      }
    }
    EXPECT_LE(range.lower, least + 1e-12) << seed;
    EXPECT_GE(range.upper, most - 1e-12) << seed;
    EXPECT_NEAR(range.lower, least, 0.03) << seed;
    EXPECT_NEAR(range.upper, most, 0.03) << seed;
    EXPECT_LE(cost, cheapest + 1e-12) << seed;
    if (std::isfinite(cost)) {
      EXPECT_NEAR(change_cost(costs, reached), cost, 1e-9) << seed;
      EXPECT_GE(value + slopes[0] * reached[0] + slopes[1] * reached[1], -1e-9) << seed;
    } else {
      EXPECT_EQ(cheapest, kInfinite) << seed;
    }
  }
}

TEST(ChangeBox, EquallyGoodSidesAreAllSpent) {
  const ChangeBox box{{0, 1}, {0, 1}, {0, 1}};
  EXPECT_DOUBLE_EQ(cost_to_reach(Vector{1, 1, 1}, box, Vector{2, 2, 2}, -5), 2.5);
  EXPECT_EQ(cost_to_reach(Vector{1, 1, 1}, box, Vector{2, 2, 2}, -7), kInfinite);
  EXPECT_EQ(cost_to_reach(Vector{1, 1, 1}, box, Vector{2, -2, 0}, -3), kInfinite);
}

}  // namespace
}  // namespace croco
