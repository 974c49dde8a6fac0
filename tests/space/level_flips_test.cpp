// SPDX-License-Identifier: Apache-2.0
#include <croco/space/level_flips.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/space/levels.hpp>

#include "tests/fixtures.hpp"
#include "tests/flips.hpp"

namespace croco {
namespace {

constexpr OneHotGroup kGroup{2, 3};

/// What happens to a level at u by its own row alone: staying first, then the others in order.
std::size_t by_row(const LevelFlips& flips, std::size_t level, double u) {
  const std::size_t levels = flips.group().count;
  double end = flips.probability(level, level);
  if (u < end) return level;
  std::size_t last = level;
  for (std::size_t to = 0; to < levels; ++to) {
    if (to == level || flips.probability(level, to) == 0) continue;
    end += flips.probability(level, to);
    last = to;
    if (u < end) return to;
  }
  return last;
}

TEST(LevelFlips, CellsSayWhatEachRowSays) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Sequence random({seed, Purpose::train, 1});
    const std::size_t levels = 1 + random.below(7);
    const LevelFlips flips(
        {0, levels}, fixtures::random_transition(levels, 0.3 + 0.6 * random.uniform(), random));
    for (int trial = 0; trial < 500; ++trial) {
      const double u = random.uniform();
      const std::size_t cell = flips.cell_of(u);
      ASSERT_LT(cell, flips.cells());
      for (std::size_t level = 0; level < levels; ++level) {
        ASSERT_EQ(flips.target(cell, level), by_row(flips, level, u)) << seed << ", u " << u;
      }
    }
  }
}

TEST(LevelFlips, CellsAreAsWideAsTheProbabilities) {
  // The measure of the cells that turn one level into another, by counting an even grid.
  Sequence random({9, Purpose::train, 1});
  const LevelFlips flips({0, 5}, fixtures::random_transition(5, 0.7, random));
  constexpr std::size_t kGrid = 100'000;
  Vector found(25);
  for (std::size_t i = 0; i < kGrid; ++i) {
    const std::size_t cell = flips.cell_of((static_cast<double>(i) + 0.5) / kGrid);
    for (std::size_t level = 0; level < 5; ++level) {
      found[level * 5 + flips.target(cell, level)] += 1.0 / kGrid;
    }
  }
  for (std::size_t i = 0; i < 25; ++i) EXPECT_NEAR(found[i], flips.transition()[i], 2.0 / kGrid);
}

TEST(LevelFlips, TheIdentityHasOneCell) {
  const LevelFlips flips(kGroup, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  EXPECT_EQ(flips.cells(), 1U);
  for (std::size_t level = 0; level < 3; ++level) EXPECT_EQ(flips.target(0, level), level);
}

TEST(LevelFlips, AnAbsorbingLevelTakesAllAndStays) {
  const LevelFlips flips(kGroup, {0, 0, 1, 0, 0, 1, 0, 0, 1});
  for (const double u : {0.0, 0.3, 0.999999}) {
    for (std::size_t level = 0; level < 3; ++level) {
      EXPECT_EQ(flips.target(flips.cell_of(u), level), 2U);
    }
  }
}

TEST(LevelFlips, UniformFlipsNeedAsFewCellsAsThereAreLevels) {
  const LevelFlips flips = LevelFlips::uniform(kGroup, 0.1, {true, true, true});
  EXPECT_EQ(flips.cells(), 3U);
  EXPECT_EQ(flips.usual(), 0U);
  EXPECT_DOUBLE_EQ(flips.probability(1, 1), 0.9);
  EXPECT_DOUBLE_EQ(flips.probability(1, 0), 0.05);
  EXPECT_DOUBLE_EQ(flips.probability(1, 2), 0.05);
}

TEST(LevelFlips, NothingTurnsIntoALevelThatIsNoTarget) {
  const LevelFlips flips = LevelFlips::uniform(kGroup, 0.2, {true, false, true});
  for (const std::size_t from : {0U, 2U}) EXPECT_EQ(flips.probability(from, 1), 0.0);
  EXPECT_DOUBLE_EQ(flips.probability(0, 2), 0.2);
  // Who has such a level all the same can lose it.
  EXPECT_DOUBLE_EQ(flips.probability(1, 0), 0.1);
  EXPECT_DOUBLE_EQ(flips.probability(1, 1), 0.8);
}

TEST(LevelFlips, ScalingLeavesRowsThatSumToOne) {
  Sequence random({3, Purpose::train, 1});
  const LevelFlips flips({0, 4}, fixtures::random_transition(4, 0.5, random));
  const LevelFlips half = flips.scaled(0.5);
  for (std::size_t from = 0; from < 4; ++from) {
    for (std::size_t to = 0; to < 4; ++to) {
      const double expected =
          to == from ? (1 + flips.probability(from, to)) / 2 : flips.probability(from, to) / 2;
      EXPECT_NEAR(half.probability(from, to), expected, 1e-12);
    }
  }
  EXPECT_EQ(flips.scaled(0).cells(), 1U);
}

TEST(LevelFlips, OneHotGroupsStayExactlyThat) {
  const Space space = fixtures::mixed_space(2, {2, 5, 1, 3});
  const std::vector<LevelFlips> flips = fixtures::random_flips(space, 0.4, 5);
  Sequence random({6, Purpose::train, 1});
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Vector point = fixtures::random_person(space, seed);
    std::vector<std::uint32_t> cells;
    for (const LevelFlips& category : flips) {
      cells.push_back(random.below(static_cast<std::uint32_t>(category.cells())));
    }
    Vector draw(space.width());
    add_flips(flips, cells, point, draw);
    EXPECT_EQ(draw[0], 0.0);
    EXPECT_EQ(draw[1], 0.0);
    for (const OneHotGroup& group : space.groups) {
      std::size_t ones = 0;
      for (std::size_t j = group.first; j < group.first + group.count; ++j) {
        const double value = point[j] + draw[j];
        ASSERT_TRUE(value == 0 || value == 1) << value;
        ones += value == 1 ? 1U : 0U;
        changed += draw[j] != 0 ? 1U : 0U;
      }
      ASSERT_EQ(ones, 1U);
    }
  }
  EXPECT_GT(changed, 100U);
}

TEST(LevelFlips, TheLevelIsTheLargestColumn) {
  EXPECT_EQ(level_at(kGroup, Vector{9, 9, 0, 1, 0}), 1U);
  EXPECT_EQ(level_at(kGroup, Vector{9, 9, 0.4, 0.4, 0.2}), 0U);
}

TEST(LevelFlips, MessagesNameTheRowTheValueAndTheRule) {
  const auto text = [](Vector transition) {
    return fixtures::message_of<InvalidArgument>([&] { return LevelFlips(kGroup, transition); });
  };
  EXPECT_EQ(text({1, 0, 0, 0, 1, 0}),
            "the transition matrix has 6 numbers; 3 levels need 3 rows of 3");
  EXPECT_EQ(text({1, 0, 0, 0, 1, 0, -0.1, 0, 1.1}),
            "row 3, column 1 of the transition matrix is -0.1; it must be a number from 0 to 1");
  EXPECT_EQ(text({1, 0, 0, 0, 1.5, 0, 0, 0, 1}),
            "row 2, column 2 of the transition matrix is 1.5; it must be a number from 0 to 1");
  EXPECT_EQ(text({1, 0, std::numeric_limits<double>::quiet_NaN(), 0, 1, 0, 0, 0, 1}),
            "row 1, column 3 of the transition matrix is nan; it must be a number from 0 to 1");
  EXPECT_EQ(text({1, 0, 0, 0.5, 0.4, 0, 0, 0, 1}),
            "row 2 of the transition matrix sums to 0.9; each row must sum to 1");
  EXPECT_EQ(text({1, 0, 0, 0.5, 0.5 + 1e-8, 0, 0, 0, 1}),
            "row 2 of the transition matrix sums to 1.00000001; each row must sum to 1");
  EXPECT_EQ(text({1, 0, 0, 0.5, 0.5 + 1e-10, 0, 0, 0, 1}), "nothing was thrown");
  const auto uniform = [](double probability, const std::vector<bool>& targets) {
    return fixtures::message_of<InvalidArgument>(
        [&] { return LevelFlips::uniform(kGroup, probability, targets); });
  };
  EXPECT_EQ(uniform(1.5, {true, true, true}),
            "the flip probability is 1.5; it must be a number from 0 to 1");
  EXPECT_EQ(uniform(0.5, {true, false, false}),
            "the flip probability is 0.5; there is no other level to turn into");
  EXPECT_EQ(uniform(0, {true, false, false}), "nothing was thrown");
}

}  // namespace
}  // namespace croco
