// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/lowest_rate.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

Space box(std::size_t width) {
  Space space = fixtures::free_space(width);
  for (Column& column : space.columns) {
    column.lower = 0;
    column.upper = 1;
  }
  return space;
}

TEST(RateMinimiser, GoesToTheCornerOfALinearModel) {
  const Mlp model = fixtures::logistic({1.0, -2.0, 0.5}, -1.2);
  Space space = box(3);
  space.columns[2].movement = Movement::fixed;
  const Problem problem{model, space, Noise{.scale = 0.2}, Goal(), 3, true};
  const Vector origin{0.1, 0.6, 0.9};
  for (const bool with_gradient : {true, false}) {
    const fixtures::PlainModel plain(model, with_gradient);
    const Problem asked{plain, space, problem.noise, problem.goal, 3, true};
    const RateMinimiser minimiser(asked, 2048);
    const LowestRate lowest = minimiser.find(origin, {}, {});
    EXPECT_EQ(lowest.point, (Vector{1, 0, 0.9})) << with_gradient;
    EXPECT_NEAR(lowest.own_margin, 0.25, 1e-12);
    const double rate = normal_cdf(-0.25 / (0.2 * std::sqrt(1 + 4 + 0.25)));
    EXPECT_NEAR(static_cast<double>(lowest.invalid) / 2048, rate, 0.035);
  }
}

TEST(RateMinimiser, IsAtLeastAsGoodAsManyRandomPoints) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Mlp model = fixtures::random_mlp({4, 12}, Activation::relu, 100 + seed);
    const Space space = box(4);
    const Problem problem{model, space, Noise{.scale = 0.2}, Goal(), 1, true};
    const Vector origin = fixtures::random_vector(4, seed, 0, 1);
    if (problem.goal.reached(model.logit(origin))) continue;
    const RateMinimiser minimiser(problem, 1024);
    const LowestRate lowest = minimiser.find(origin, {}, {});
    LowestRate random = minimiser.judge(origin, origin);
    for (std::uint64_t draw = 0; draw < 500; ++draw) {
      const LowestRate seen =
          minimiser.judge(origin, fixtures::random_vector(4, 1000 * seed + draw, 0, 1));
      if (better(seen, random)) random = seen;
    }
    EXPECT_FALSE(better(random, lowest) && random.invalid + 10 < lowest.invalid)
        << seed << ": " << random.invalid << " against " << lowest.invalid;
    EXPECT_TRUE(!random.valid() || lowest.valid()) << seed;
    for (const double value : lowest.point) EXPECT_TRUE(value >= 0 && value <= 1);
    ++compared;
  }
  EXPECT_GE(compared, 4);
}

TEST(RateMinimiser, StaysWhereNothingMayMove) {
  const Mlp model = fixtures::logistic({1.0, 1.0}, -3.0);
  Space space = fixtures::free_space(2);
  for (Column& column : space.columns) column.movement = Movement::fixed;
  const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 3, true};
  const Vector origin{0.5, 0.5};
  const LowestRate lowest = RateMinimiser(problem, 256).find(origin, {}, {});
  EXPECT_EQ(lowest.point, origin);
  EXPECT_FALSE(lowest.valid());
  EXPECT_EQ(lowest.invalid, 256);
}

}  // namespace
}  // namespace croco
