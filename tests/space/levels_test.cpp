// SPDX-License-Identifier: Apache-2.0
#include <croco/space/levels.hpp>

#include <gmock/gmock.h>

#include <croco/space/admissible.hpp>
#include <croco/space/distance.hpp>

namespace croco {
namespace {

using testing::ElementsAre;

/// A number, and a category of three levels that may go from 0 to 1 and from 0 to 2.
Space space() {
  Space out;
  out.columns.resize(4);
  out.columns[0] = {.step = 0.5};
  for (std::size_t j = 1; j < 4; ++j) {
    out.columns[j] = {
        .lower = 0, .upper = 1, .movement = Movement::fixed, .cost = 3, .continuous = false};
  }
  out.groups = {{1, 3, {{0, 1, 0.25}, {0, 2, 0.75}}}};
  return out;
}

TEST(Levels, AreRead) {
  const OneHotGroup group{1, 3};
  EXPECT_EQ(level_at(group, Vector{9, 0, 1, 0}), 1U);
  EXPECT_EQ(level_at(group, Vector{9, 0.5, 0.5, 0}), 0U);  // the first of equals
  Vector point{9, 0.2, 0.1, 0.7};
  set_level(group, 1, point);
  EXPECT_THAT(point, ElementsAre(9, 0, 1, 0));
}

TEST(Levels, MoveWhereTheyMay) {
  const Space open = space();
  const OneHotGroup& group = open.groups[0];
  EXPECT_EQ(find_move(group, 0, 2)->price, 0.75);
  EXPECT_EQ(find_move(group, 1, 0), nullptr);
  EXPECT_TRUE(has_level_moves(open));
  Space frozen = space();
  frozen.groups[0].moves.clear();
  EXPECT_FALSE(has_level_moves(frozen));
}

TEST(Levels, HaveAPrice) {
  const Vector origin{0, 1, 0, 0};
  const Distances moved = distances(space(), origin, Vector{0.5, 0, 1, 0});
  EXPECT_EQ(moved.level_price, 0.25);
  EXPECT_EQ(moved.cost, 0.75);
  EXPECT_EQ(moved.l1, 2.5);
  // What no advice may tell costs what the columns cost.
  EXPECT_EQ(distances(space(), Vector{0, 0, 1, 0}, Vector{0, 1, 0, 0}).level_price, 3);
}

TEST(Levels, SurviveRoundingOnlyWhereTheyMayMove) {
  const Vector origin{0, 1, 0, 0};
  Vector point{0.7, 0, 1, 0};
  round(space(), origin, point, Rounding::nearest);
  EXPECT_THAT(point, ElementsAre(0.5, 0, 1, 0));
  EXPECT_TRUE(is_admissible(space(), origin, point));
  // From level 1 there is nowhere to go.
  const Vector other{0, 0, 1, 0};
  Vector back{0, 1, 0, 0};
  EXPECT_FALSE(is_admissible(space(), other, back));
  round(space(), other, back, Rounding::nearest);
  EXPECT_THAT(back, ElementsAre(0, 0, 1, 0));
  // Half a level is none.
  EXPECT_FALSE(is_admissible(space(), origin, Vector{0, 0.4, 0.6, 0}));
}

}  // namespace
}  // namespace croco
