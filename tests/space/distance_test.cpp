// SPDX-License-Identifier: Apache-2.0
#include <croco/space/distance.hpp>

#include <gtest/gtest.h>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

TEST(Distances, MeasureTheChange) {
  Space space = fixtures::free_space(4);
  space.columns[0].cost = 2.0;
  space.columns[1].cost = 0.5;
  const Distances found = distances(space, Vector{1.0, 2.0, 3.0, 4.0}, Vector{4.0, -2.0, 3.0, 4.0});
  EXPECT_EQ(found.l0, 2U);
  EXPECT_DOUBLE_EQ(found.l1, 7.0);
  EXPECT_DOUBLE_EQ(found.l2, 5.0);
  EXPECT_DOUBLE_EQ(found.linf, 4.0);
  EXPECT_DOUBLE_EQ(found.cost, 2.0 * 3.0 + 0.5 * 4.0);
}

TEST(Distances, AreZeroFromAPointToItself) {
  const Vector point{0.1, -7.0};
  const Distances found = distances(fixtures::free_space(2), point, point);
  EXPECT_EQ(found.l0, 0U);
  EXPECT_EQ(found.l1, 0.0);
  EXPECT_EQ(found.l2, 0.0);
  EXPECT_EQ(found.linf, 0.0);
  EXPECT_EQ(found.cost, 0.0);
}

TEST(Distances, CountTheSmallestChange) {
  const Distances found = distances(fixtures::free_space(1), Vector{0.0}, Vector{5e-324});
  EXPECT_EQ(found.l0, 1U);
}

TEST(Distances, ChargeForTouchingAValueHoweverLittle) {
  Space space = fixtures::free_space(3);
  for (Column& column : space.columns) column.touch_price = 0.25;
  space.columns[1].touch_price = 1.0;
  const Distances found = distances(space, Vector{0.0, 0.0, 0.0}, Vector{0.5, 5e-324, 0.0});
  EXPECT_DOUBLE_EQ(found.touch_price, 1.25);
  EXPECT_DOUBLE_EQ(found.cost, 0.5 + 1.25);
  EXPECT_EQ(found.level_price, 0.0);
}

}  // namespace
}  // namespace croco
