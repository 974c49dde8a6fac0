// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/certified/starts.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

struct StartWorld {
  Mlp model;
  Space space;
  Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 3, true};
  NoiseBank bank{problem, {3, Purpose::search, 0}, 0, 512};
};

TEST(SingleMoves, AreTheCheapestOfALinearModel) {
  StartWorld world{.model = fixtures::logistic({1.0, -4.0, 2.0, 0.5, 0.1}, -2.0),
                   .space = fixtures::free_space(5)};
  const Vector origin(5, 0.0);
  const ChangeProblem changes = change_problem(world.space, origin);
  OrderStatistic statistic(world.problem, world.bank, origin, 512, 25);
  const auto starts = single_moves(changes, statistic);
  ASSERT_EQ(starts.size(), 4U);
  // The four steepest columns in their order, each in the direction that helps.
  const std::size_t columns[] = {1, 2, 0, 3};
  const double signs[] = {-1, 1, 1, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      if (j == columns[i]) {
        EXPECT_GT(signs[i] * starts[i][j], 0) << i;
      } else {
        EXPECT_EQ(starts[i][j], 0) << i;
      }
    }
    EXPECT_LE(statistic.invalid(starts[i]), 25U);
    // Not much longer than needed.
    Vector shorter = starts[i];
    for (double& value : shorter) value *= 0.93;
    EXPECT_GT(statistic.invalid(shorter), 25U) << i;
  }
}

TEST(SingleMoves, StayInsideTheirIntervals) {
  StartWorld world{.model = fixtures::logistic({1.0, -4.0, 2.0}, -2.0),
                   .space = fixtures::free_space(3)};
  world.space.columns[1].movement = Movement::up;  // the wrong way
  world.space.columns[2].upper = 0.5;              // not far enough
  const Vector origin(3, 0.0);
  const ChangeProblem changes = change_problem(world.space, origin);
  OrderStatistic statistic(world.problem, world.bank, origin, 512, 25);
  const auto starts = single_moves(changes, statistic);
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_GT(starts[0][0], 2.0);
}

TEST(SingleMoves, AreNoneWhenNoneSuffices) {
  StartWorld world{.model = fixtures::logistic({1.0, 1.0}, -2.0), .space = fixtures::free_space(2)};
  for (Column& column : world.space.columns) column.upper = 1.2;
  const Vector origin(2, 0.0);
  OrderStatistic statistic(world.problem, world.bank, origin, 512, 25);
  EXPECT_TRUE(single_moves(change_problem(world.space, origin), statistic).empty());
}

}  // namespace
}  // namespace croco
