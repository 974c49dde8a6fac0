// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/change_region.hpp>

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include <tests/fixtures.hpp>

namespace croco {
namespace {

ChangeRegion random_region(std::uint64_t seed) {
  ChangeRegion region{{{-0.4, 0.6}, {0.1, 0.5}}};
  for (std::uint64_t c = 0; c < 3; ++c) {
    const Vector prices = fixtures::random_vector(1 + c, 10 * seed + c, 0, 0.6);
    LevelOptions options{{0, 0.0}};
    for (const double price : prices) options.push_back({options.size(), price});
    std::ranges::stable_sort(options, {}, &LevelOption::price);
    region.levels.push_back(options);
  }
  return region;
}

/// Every combination of levels, its price and its gain.
template <class Visit>
void for_all_levels(const ChangeRegion& region, const LinearBound& bound, const Visit& visit) {
  for (std::size_t a = 0; a < region.levels[0].size(); ++a) {
    for (std::size_t b = 0; b < region.levels[1].size(); ++b) {
      for (std::size_t c = 0; c < region.levels[2].size(); ++c) {
        visit(region.levels[0][a].price + region.levels[1][b].price + region.levels[2][c].price,
              bound.gains[0][a] + bound.gains[1][b] + bound.gains[2][c]);
      }
    }
  }
}

TEST(ChangeRegion, CostToReachIsNeverAboveTheBestCombination) {
  std::size_t reached = 0;
  std::size_t impossible = 0;
  double ratios = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const ChangeRegion region = random_region(seed);
    const Vector costs = fixtures::random_vector(2, seed + 1, 0.3, 2);
    LinearBound bound{
        -1.5 + 0.01 * static_cast<double>(seed % 100), fixtures::random_vector(2, seed + 2), {}};
    for (std::size_t c = 0; c < 3; ++c) {
      bound.gains.push_back(fixtures::random_vector(region.levels[c].size(), 7 * seed + c));
      for (std::size_t o = bound.gains[c].size(); o-- > 0;) bound.gains[c][o] -= bound.gains[c][0];
    }
    double best = kInfinite;
    for_all_levels(region, bound, [&](double price, double gain) {
      best = std::min(best,
                      price + cost_to_reach(costs, region.box, bound.slopes, bound.value + gain));
    });
    RegionChange change;
    const double cost = cost_to_reach(costs, region, bound, &change);
    EXPECT_LE(cost, best + 1e-12) << seed;
    EXPECT_EQ(cost == kInfinite, best == kInfinite) << seed;
    if (best == kInfinite) {
      ++impossible;
      continue;
    }
    ++reached;
    ratios += best > 0 ? cost / best : 1;
    // What is proposed takes whole levels, so it reaches.
    double value = bound.value;
    for (std::size_t i = 0; i < 2; ++i) {
      value += bound.slopes[i] * change.numbers[i];
      EXPECT_GE(change.numbers[i], region.box[i].lower);
      EXPECT_LE(change.numbers[i], region.box[i].upper);
    }
    for (std::size_t c = 0; c < 3; ++c) {
      const auto at = std::ranges::find(region.levels[c], change.levels[c], &LevelOption::level);
      ASSERT_NE(at, region.levels[c].end());
      value += bound.gains[c][static_cast<std::size_t>(at - region.levels[c].begin())];
    }
    EXPECT_GE(value, -1e-9) << seed;
    EXPECT_GE(levels_price(region, change) + change_cost(costs, change.numbers), best - 1e-9);
  }
  EXPECT_GT(reached, 100U);
  EXPECT_GT(impossible, 10U);
  EXPECT_GT(ratios / static_cast<double>(reached), 0.8);  // no idle bound either
}

TEST(ChangeRegion, ABudgetCutsOffOnlyWhatItCannotPay) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ChangeRegion whole = random_region(seed);
    const Vector costs = fixtures::random_vector(2, seed + 1, 0.3, 2);
    const double least = cheapest_cost(costs, whole);
    EXPECT_GE(largest_cost(costs, whole), least);
    for (const double extra : {-0.01, 0.0, 0.2, 5.0}) {
      ChangeRegion cut = whole;
      ASSERT_EQ(cut_to_budget(costs, least + extra, cut), extra >= 0);
      if (extra < 0) continue;
      for (std::size_t c = 0; c < 3; ++c) {
        for (const LevelOption& option : whole.levels[c]) {
          const bool kept = std::ranges::count(cut.levels[c], option) == 1;
          const double over = option.price - whole.levels[c][0].price - extra;
          EXPECT_TRUE(kept || over > 0) << seed;
          EXPECT_TRUE(!kept || over <= 1e-9) << seed;
        }
      }
    }
  }
}

TEST(ChangeRegion, ALevelOutsideHasNoPrice) {
  const ChangeRegion region{{}, {{{0, 0.0}, {2, 0.3}}}};
  EXPECT_EQ(levels_price(region, {{}, {2}}), 0.3);
  EXPECT_EQ(levels_price(region, {{}, {1}}), kInfinite);
}

}  // namespace
}  // namespace croco
