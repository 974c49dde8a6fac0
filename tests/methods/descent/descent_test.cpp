// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/descent/descent.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

class DescentTest : public ::testing::Test {
 protected:
  /// Pulls every column towards `goal_` with a constant force.
  [[nodiscard]] Objective pull() const {
    return {.gradient =
                [this](View point, std::size_t, MutableView gradient) {
                  for (std::size_t j = 0; j < point.size(); ++j) {
                    gradient[j] = point[j] < goal_[j] ? -force_ : force_;
                  }
                },
            .judge = [this](View) { return judgement_; },
            .stops_at = {}};
  }

  [[nodiscard]] Counterfactual run(const DescentOptions& options, const Objective& objective,
                                   const std::stop_token& stop = {}) const {
    return descend({model_, space_, {}, Goal()}, origin_, options, objective, stop);
  }

  Mlp model_ = fixtures::logistic({1, 1, 1}, 0);
  Space space_ = fixtures::free_space(3);
  const Vector origin_{0.5, 0.5, 0.5};
  Vector goal_{100, 100, -100};
  double force_ = 2;
  Judgement judgement_;
};

TEST_F(DescentTest, GoesOnUntilTheJudgeIsSatisfied) {
  int asked = 0;
  Objective objective = pull();
  objective.judge = [&](View) {
    return Judgement{.reached = true, .satisfied = ++asked == 3, .rate = 0.25, .bound = 0.5};
  };
  const Counterfactual found =
      run({.lambda = 1, .lambda_step = 0.25, .block_steps = 7, .max_blocks = 10}, objective);
  EXPECT_EQ(found.termination, Termination::converged);
  EXPECT_EQ(found.blocks, 3U);
  EXPECT_EQ(found.steps, 21U);
  EXPECT_DOUBLE_EQ(found.lambda, 0.5);
  EXPECT_EQ(found.method_rate, 0.25);
  EXPECT_EQ(found.method_bound, 0.5);
  EXPECT_GT(found.point[0], 0.6);
  EXPECT_LT(found.point[2], 0.4);
}

TEST_F(DescentTest, EndsAfterTheLastBlock) {
  judgement_ = {.reached = true, .satisfied = false, .rate = {}, .bound = {}};
  EXPECT_EQ(run({.block_steps = 5, .max_blocks = 4}, pull()).termination, Termination::unmet);
  judgement_.reached = false;
  const Counterfactual found = run({.block_steps = 5, .max_blocks = 4}, pull());
  EXPECT_EQ(found.termination, Termination::infeasible);
  EXPECT_EQ(found.blocks, 4U);
  EXPECT_EQ(found.steps, 20U);
}

TEST_F(DescentTest, LambdaIsNeverNegativeUnlessAsPublished) {
  DescentOptions options{.lambda = 0.5, .lambda_step = 0.2, .block_steps = 1, .max_blocks = 5};
  EXPECT_EQ(run(options, pull()).lambda, 0.0);
  options.as_published = true;
  EXPECT_NEAR(run(options, pull()).lambda, -0.3, 1e-15);
}

TEST_F(DescentTest, NegativeLambdaRewardsDistance) {
  // Without a force, only a negative weight moves a point that has left the origin.
  DescentOptions options{.lambda = 0, .lambda_step = 1, .block_steps = 50, .max_blocks = 2};
  Objective objective = pull();
  std::size_t calls = 0;
  objective.gradient = [&](View, std::size_t, MutableView gradient) {
    gradient[0] = calls++ == 0 ? -1e-3 : 0;
    gradient[1] = gradient[2] = 0;
  };
  const double kept = run(options, objective).point[0];
  calls = 0;
  options.as_published = true;
  EXPECT_GT(run(options, objective).point[0], kept + 0.1);
}

TEST_F(DescentTest, StepsCountFromZeroInEachBlock) {
  std::vector<std::size_t> steps;
  Objective objective = pull();
  objective.gradient = [&](View, std::size_t step, MutableView gradient) {
    steps.push_back(step);
    std::ranges::fill(gradient, 0.0);
  };
  const Counterfactual found = run({.block_steps = 3, .max_blocks = 2}, objective);
  EXPECT_EQ(steps, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(found.point, origin_);
}

TEST_F(DescentTest, ThePriceOfAColumnHoldsItBack) {
  // The force of 2 outweighs a price of 1, but not one of 3.
  space_.columns[1].cost = 3;
  const Counterfactual found = run({.lambda = 1, .block_steps = 100}, pull());
  EXPECT_GT(found.point[0], 1.0);
  EXPECT_LT(std::abs(found.point[1] - 0.5), 0.05);
}

TEST_F(DescentTest, StopsAtTheFirstPointThatWillDo) {
  judgement_ = {.reached = true, .satisfied = true, .rate = {}, .bound = {}};
  Objective objective = pull();
  objective.stops_at = [](View point) { return point[0] > 0.6; };
  const Counterfactual found = run({.block_steps = 1000, .max_blocks = 2}, objective);
  EXPECT_EQ(found.termination, Termination::converged);
  EXPECT_EQ(found.blocks, 1U);
  EXPECT_GT(found.point[0], 0.6);
  EXPECT_LT(found.point[0], 0.62);
}

TEST_F(DescentTest, IsCancelledBetweenTwoSteps) {
  std::stop_source source;
  Objective objective = pull();
  const auto force = objective.gradient;
  std::size_t calls = 0;
  objective.gradient = [&](View point, std::size_t step, MutableView gradient) {
    force(point, step, gradient);
    if (++calls == 5) source.request_stop();
  };
  const Counterfactual found =
      run({.block_steps = 1000, .max_blocks = 2}, objective, source.get_token());
  EXPECT_EQ(found.termination, Termination::cancelled);
  EXPECT_EQ(found.steps, 5U);
  EXPECT_EQ(calls, 5U);
  EXPECT_FALSE(found.method_rate.has_value());
}

TEST_F(DescentTest, KeepsBoundsMovementsAndFixedColumns) {
  space_.columns[0].upper = 0.7;
  space_.columns[1].movement = Movement::down;
  space_.columns[2].movement = Movement::fixed;
  const Counterfactual found = run({.block_steps = 200}, pull());
  EXPECT_EQ(found.point, (Vector{0.7, 0.5, 0.5}));
}

TEST_F(DescentTest, AsPublishedMovesEveryNumberWithoutBounds) {
  space_.columns[0].upper = 0.7;
  space_.columns[1].movement = Movement::fixed;
  space_.columns[2].continuous = false;
  space_.columns[2].movement = Movement::fixed;
  const Counterfactual found = run({.block_steps = 200, .as_published = true}, pull());
  EXPECT_GT(found.point[0], 1.0);
  EXPECT_GT(found.point[1], 1.0);
  EXPECT_EQ(found.point[2], 0.5);
}

}  // namespace
}  // namespace croco
