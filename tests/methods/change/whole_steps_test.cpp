// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/whole_steps.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <croco/space/admissible.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

Space stepped(std::vector<double> steps) {
  Space space = fixtures::free_space(steps.size());
  for (std::size_t j = 0; j < steps.size(); ++j) space.columns[j].step = steps[j];
  return space;
}

bool contains(const std::vector<Vector>& changes, const Vector& wanted) {
  return std::ranges::any_of(changes, [&](const Vector& change) {
    return std::ranges::equal(change, wanted,
                              [](double a, double b) { return std::abs(a - b) < 1e-9; });
  });
}

TEST(WholeSteps, KnowsWhichChangesHaveThem) {
  const Space space = stepped({0.5, 0.0});
  EXPECT_TRUE(has_steps(space, Vector{0.3, 0.0}));
  EXPECT_FALSE(has_steps(space, Vector{0.0, 0.3}));
  EXPECT_TRUE(only_steps(space, Vector{0.3, 0.0}));
  EXPECT_FALSE(only_steps(space, Vector{0.3, 0.1}));
  EXPECT_TRUE(only_steps(space, Vector{0.0, 0.0}));
}

TEST(WholeSteps, AreTheOnesInsideAndOutsideAndOneBeyond) {
  const Space space = stepped({1.0, 0.0});
  const Vector origin{2.0, 0.25};
  const ChangeProblem changes = change_problem(space, origin);
  const auto found = whole_step_changes(space, changes, origin, Vector{3.4, -0.7});
  ASSERT_EQ(found.size(), 4U);
  for (const double step : {2.0, 3.0, 4.0, 5.0}) {
    EXPECT_TRUE(contains(found, {step, -0.7})) << step;
  }
}

TEST(WholeSteps, CombineColumnsCheapestFirst) {
  const Space space = stepped({1.0, 0.25});
  const Vector origin{0.0, 0.0};
  const ChangeProblem changes = change_problem(space, origin);
  const auto found = whole_step_changes(space, changes, origin, Vector{-2.5, 0.6});
  EXPECT_TRUE(contains(found, {-3.0, 0.75}));  // outward in both
  EXPECT_TRUE(contains(found, {-2.0, 0.75}));
  EXPECT_TRUE(contains(found, {-3.0, 0.5}));
  EXPECT_EQ(found.size(), 16U);
  EXPECT_TRUE(std::ranges::is_sorted(
      found, {}, [&](const Vector& change) { return cost_of(changes, change); }));
}

TEST(WholeSteps, FindTheCoarseColumns) {
  const Space space = stepped({0.5, 0.001, 0.25, 0.0});
  const ChangeProblem changes = change_problem(space, Vector(4, 0.0));
  EXPECT_EQ(coarse_columns(space, changes, Vector{0.6, 0.3, -0.1, 1.0}),
            (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(coarse_columns(space, changes, Vector{0.0, 0.3, 0.1, 0.0}),
            (std::vector<std::size_t>{2}));
  EXPECT_TRUE(coarse_columns(space, changes, Vector{0.0, 0.3, 0.0, 0.0}).empty());
}

TEST(WholeSteps, StandOnBothSidesOfAChange) {
  Space space = stepped({0.5});
  const Vector origin{0.2};
  const auto at = [&](double change, bool outward) {
    return origin[0] + change_on_step(space, origin, Vector{change}, 0, outward);
  };
  EXPECT_NEAR(at(0.9, true), 1.5, 1e-12);
  EXPECT_NEAR(at(0.9, false), 1.0, 1e-12);
  EXPECT_NEAR(at(0.1, false), 0.2, 1e-12);  // no step between: as it is
  EXPECT_NEAR(at(-0.9, true), -1.0, 1e-12);
  EXPECT_NEAR(at(-0.9, false), -0.5, 1e-12);
  EXPECT_NEAR(at(0.8, true), 1.0, 1e-12);  // on a step already
  EXPECT_NEAR(at(0.8, false), 1.0, 1e-12);
  space.columns[0].upper = 1.2;
  EXPECT_NEAR(at(0.95, true), 1.0, 1e-12);
}

TEST(WholeSteps, NeverCrossThePersonOrTheRange) {
  Space space = stepped({1.0});
  space.columns[0].upper = 1.5;
  const Vector origin{0.4};  // between two steps
  const ChangeProblem changes = change_problem(space, origin);
  const auto found = whole_step_changes(space, changes, origin, Vector{0.9});
  EXPECT_TRUE(contains(found, {0.6}));  // to 1, the last step inside
  EXPECT_TRUE(contains(found, {0.0}));  // the present value is always admissible
  for (const Vector& change : found) {
    EXPECT_TRUE(is_admissible(space, origin, moved(origin, change))) << change[0];
    EXPECT_GE(change[0], 0.0);
  }
}

TEST(WholeSteps, PropertyEveryOneIsAdmissible) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Space space = stepped({0.1, 0.0, 0.3, 1.0, 0.05});
    const Vector bounds = fixtures::random_vector(10, seed, 0, 2);
    for (std::size_t j = 0; j < 5; ++j) {
      space.columns[j].lower = -bounds[j];
      space.columns[j].upper = bounds[5 + j];
      space.columns[j].step_origin = 0.03 * static_cast<double>(j);
      space.columns[j].movement = static_cast<Movement>((seed + j) % 4);
    }
    const Vector origin = fixtures::random_vector(5, 1000 + seed, -1, 1);
    const ChangeProblem changes = change_problem(space, origin);
    const Vector change =
        scaled_change(changes, fixtures::random_vector(5, 2000 + seed, -2, 2), 1.0);
    const auto found = whole_step_changes(space, changes, origin, change);
    EXPECT_FALSE(found.empty());
    EXPECT_LE(found.size(), 64U);
    for (const Vector& one : found) {
      EXPECT_TRUE(is_admissible(space, origin, moved(origin, one))) << seed;
    }
  }
}

TEST(ExchangedSteps, ADearStepIsGivenUpForManyCheapOnes) {
  Space space = fixtures::free_space(3);
  space.columns[0].step = 0.3;
  space.columns[1].step = 0.01;
  space.columns[1].upper = 0.9;
  space.columns[2].step = 0.1;
  const Vector origin(3);
  const ChangeProblem changes = change_problem(space, origin);
  const Vector change{0.3, 0.2, 0};
  const auto keeps = [](View d) { return 0.1 * d[0] + d[1] > 0.2299; };
  const std::vector<Vector> found = exchanged_steps(space, changes, origin, change, keeps);
  ASSERT_FALSE(found.empty());
  EXPECT_NEAR(found.front()[0], 0, 1e-12);
  EXPECT_NEAR(found.front()[1], 0.23, 1e-12);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_TRUE(keeps(found[k]));
    EXPECT_EQ(found[k][2], 0) << "what did not move stays";
    EXPECT_LT(cost_of(changes, found[k]), cost_of(changes, change));
    if (k > 0) {
      EXPECT_GE(cost_of(changes, found[k]), cost_of(changes, found[k - 1]));
    }
  }
  // Steps too many are taken back, one round after the other.
  const std::vector<Vector> back =
      exchanged_steps(space, changes, origin, Vector{0, 0.26, 0}, keeps);
  ASSERT_FALSE(back.empty());
  EXPECT_NEAR(back.front()[1], 0.23, 1e-12);
  // Where the range ends before the other column makes up for it, nothing is exchanged.
  space.columns[1].upper = 0.21;
  EXPECT_TRUE(exchanged_steps(space, changes, origin, change, keeps).empty());
}

}  // namespace
}  // namespace croco
