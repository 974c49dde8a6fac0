// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/problem.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::message_of;

TEST(Goal, IsClassOneAboveTheThreshold) {
  const Goal goal(0.7, 1);
  const double at = logit_of(0.7);
  EXPECT_TRUE(goal.reached(at + 1e-9));
  EXPECT_FALSE(goal.reached(at));
  EXPECT_FALSE(goal.reached(at - 1e-9));
  EXPECT_DOUBLE_EQ(goal.margin(at + 2), 2);
  EXPECT_EQ(goal.sign(), 1);
  EXPECT_EQ(goal.wanted_threshold(), 0.7);
}

TEST(Goal, IsClassZeroAtTheThresholdAndBelow) {
  const Goal goal(0.7, 0);
  const double at = logit_of(0.7);
  EXPECT_FALSE(goal.reached(at + 1e-9));
  EXPECT_TRUE(goal.reached(at));
  EXPECT_TRUE(goal.reached(at - 1e-9));
  EXPECT_DOUBLE_EQ(goal.margin(at - 2), 2);
  EXPECT_EQ(goal.sign(), -1);
  EXPECT_DOUBLE_EQ(goal.wanted_threshold(), 0.3);
}

TEST(Goal, HasItsBorderAtZeroByDefault) {
  EXPECT_EQ(Goal().margin(0.0), 0.0);
  EXPECT_FALSE(Goal().reached(0.0));
  EXPECT_TRUE(Goal().reached(5e-324));
  EXPECT_TRUE(Goal().reached(std::numeric_limits<double>::infinity()));
}

TEST(Goal, NamesTheImpossible) {
  const std::string rule = "; it must be greater than 0 and less than 1";
  EXPECT_EQ(message_of<InvalidArgument>([] { return Goal(0.0); }), "threshold is 0" + rule);
  EXPECT_EQ(message_of<InvalidArgument>([] { return Goal(1.0); }), "threshold is 1" + rule);
  EXPECT_EQ(message_of<InvalidArgument>([] { return Goal(std::nan("")); }),
            "threshold is nan" + rule);
  EXPECT_EQ(message_of<InvalidArgument>([] { return Goal(0.5, 2); }),
            "the wanted class is 2; it must be 0 or 1");
}

TEST(Problem, SharesDrawsUnlessPeopleHaveTheirOwn) {
  const Mlp model = fixtures::logistic({1, 2}, 0);
  const Space space = fixtures::free_space(2);
  Problem problem{model, space, {}, Goal(), 5};
  EXPECT_EQ(problem.stream(Purpose::certify, 3), (Stream{5, Purpose::certify, Stream::kShared}));
  problem.shared_draws = false;
  EXPECT_EQ(problem.stream(Purpose::certify, 3), (Stream{5, Purpose::certify, 3}));
}

TEST(Problem, NamesPartsThatDoNotFit) {
  const Mlp model = fixtures::logistic({1, 2, 3}, 0);
  const Space narrow = fixtures::free_space(2);
  const Space space = fixtures::free_space(3);
  const auto check = [](const Problem& problem) {
    validate(problem);
    return 0;
  };
  EXPECT_EQ(message_of<ModelError>([&] { return check({model, narrow, {}, Goal()}); }),
            "the model takes 3 columns; the data give 2");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { return check({model, space, {.column_scales = {1}}, Goal()}); }),
            "the noise has 1 column scales; the model has 3 columns");
  EXPECT_EQ(message_of<InvalidArgument>([&] { return check({model, space, {}, Goal()}); }),
            "nothing was thrown");
}

}  // namespace
}  // namespace croco
