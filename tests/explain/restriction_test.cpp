// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/restriction.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using ::testing::HasSubstr;

Schema with_levels() {
  Schema out = people::schema();
  Feature& home = out.features[3];
  home.movement = Movement::both;
  home.levels = {"none", "rent", "own"};
  home.touch_cost = 0.1;
  home.cost = 0.3;
  return out;
}

Codec codec() {
  return Codec(with_levels(), {{0, 100, "40"}, {0, 50, "10"}, {20, 80, "50"}, {0, 1, "rent"}});
}

std::string refusal(const Restriction& one) {
  try {
    static_cast<void>(restricted(codec(), {&one, 1}));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return {};
}

TEST(Restriction, NoneIsTheCodecItself) {
  EXPECT_EQ(restricted(codec(), {}).space(), codec().space());
}

TEST(Restriction, FixesNumbersAndCategories) {
  const std::vector<Restriction> both{{.feature = 0, .fixed = true}, {.feature = 3, .fixed = true}};
  const Space space = restricted(codec(), both).space();
  EXPECT_FALSE(space.movable(0));
  EXPECT_TRUE(space.groups[0].moves.empty());
}

TEST(Restriction, KeepsTheSchemasOwnRange) {
  const Restriction one{.feature = 0, .minimum = -10, .maximum = 60};
  const Space space = restricted(codec(), {&one, 1}).space();
  EXPECT_DOUBLE_EQ(space.columns[0].lower, 0);
  EXPECT_DOUBLE_EQ(space.columns[0].upper, 0.6);
}

TEST(Restriction, OppositeDirectionsLeaveNothing) {
  const Restriction one{.feature = 1, .movement = Movement::up};  // a debt may only fall
  EXPECT_FALSE(restricted(codec(), {&one, 1}).space().movable(1));
}

TEST(Restriction, LevelsKeepTheirPricesToTheLastBit) {
  const Restriction one{.feature = 3, .levels = {"own"}};
  const auto moves = restricted(codec(), {&one, 1}).space().groups[0].moves;
  ASSERT_EQ(moves.size(), 2U);
  for (const LevelMove& move : moves) {
    EXPECT_EQ(move.to, 2U);
    EXPECT_EQ(move.price, codec().space().groups[0].moves[0].price);
  }
  const Restriction up{.feature = 3, .movement = Movement::up};
  EXPECT_EQ(restricted(codec(), {&up, 1}).space().groups[0].moves.size(), 3U);
}

TEST(Restriction, AppliedTwiceItIsTheSame) {
  const std::vector<Restriction> some{{.feature = 0, .maximum = 60},
                                      {.feature = 3, .levels = {"own", "rent"}}};
  const Codec once = restricted(codec(), some);
  EXPECT_EQ(restricted(once, some).space(), once.space());
}

TEST(Restriction, NamesTheFeatureAndTheRule) {
  EXPECT_THAT(refusal({.feature = 0, .minimum = 60, .maximum = 50}),
              HasSubstr("limit of 'income': nothing is left between 60 and 50"));
  EXPECT_THAT(refusal({.feature = 3, .minimum = 1}), HasSubstr("ranges are for numbers"));
  EXPECT_THAT(refusal({.feature = 0, .levels = {"own"}}), HasSubstr("levels are for categories"));
  EXPECT_THAT(refusal({.feature = 3, .levels = {"castle"}}), HasSubstr("does not have"));
  EXPECT_THAT(refusal({.feature = 9}), HasSubstr("there are 4 features"));
}

}  // namespace
}  // namespace croco
