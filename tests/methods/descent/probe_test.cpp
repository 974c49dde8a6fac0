// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <croco/methods/make_search.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/space/admissible.hpp>

#include "tests/fixtures.hpp"
#include "tests/golden.hpp"

namespace croco {
namespace {

TEST(Probe, FollowsTheGoldenPath) {
  const auto golden_file = golden::read("probe_path");
  ASSERT_EQ(golden_file.at("settings").at("learning_rate"), Probe{}.learning_rate);
  ASSERT_EQ(golden_file.at("settings").at("lambda"), Probe{}.lambda);
  for (const auto& entry : golden_file.at("cases")) {
    const ModelFile file = golden::model(entry.at("model"));
    const Space space = space_of(file.inputs, true);
    const Problem problem{
        *file.model, space, {.scale = std::sqrt(entry.at("variance").get<double>())}, Goal()};
    const Vector origin = golden::vector(entry.at("origin"));
    const Matrix path = golden::matrix(entry.at("iterates"));
    const auto steps = entry.at("steps").get<std::vector<std::size_t>>();
    for (std::size_t i = 1; i < steps.size(); ++i) {
      const Probe options{.target = entry.at("target"),
                          .block_steps = steps[i],
                          .max_blocks = 1,
                          .check_samples = 10,
                          .as_published = true};
      const Counterfactual found = make_search(problem, options)->find(origin, {});
      EXPECT_EQ(found.steps, steps[i]);
      for (std::size_t j = 0; j < origin.size(); ++j) {
        EXPECT_NEAR(found.point[j], path[i][j], 1e-9) << file.name << ", step " << steps[i];
      }
    }
  }
}

class ProbeTest : public ::testing::Test {
 protected:
  [[nodiscard]] Problem problem(const Goal& goal = Goal()) const {
    return {model_, space_, {.scale = 0.1}, goal, 3};
  }
  /// Larger steps than published reach the goal sooner.
  [[nodiscard]] static Probe options(double target) {
    return {.target = target, .learning_rate = 0.01, .check_samples = 2000};
  }

  Mlp model_ = fixtures::logistic({3.0, -2.0}, -1.0);
  Space space_ = fixtures::free_space(2);
  const Vector origin_{0.0, 0.0};
};

TEST_F(ProbeTest, ConvergesWhereItsRateMeetsTheTarget) {
  for (const double target : {0.1, 0.3}) {
    const Problem asked = problem();
    const auto search = make_search(asked, options(target));
    const Counterfactual found = search->find(origin_, {});
    ASSERT_EQ(found.termination, Termination::converged);
    const Judgement judged = search->judge(origin_, found.point);
    EXPECT_TRUE(judged.reached);
    EXPECT_LE(judged.rate.value(), target);
    EXPECT_EQ(judged.rate, found.method_rate);
    EXPECT_FALSE(found.method_bound.has_value());
    EXPECT_GE(found.lambda, 0.0);
  }
}

TEST_F(ProbeTest, JudgesByTheDrawsOfItsCheck) {
  const Problem asked = problem();
  const Vector point{0.4, 0.0};
  const Advice advice{origin_, point, 0};
  const Tally expected =
      tally(asked, {&advice, 1}, {.purpose = Purpose::check, .samples = 2000})[0];
  const auto search = make_search(asked, options(0.3));
  EXPECT_EQ(search->judge(origin_, point).rate, expected.rate());
}

TEST_F(ProbeTest, AcceptsTheSlackOfThePublishedCodeOnlyThere) {
  const Problem asked = problem();
  const Vector point{0.4, 0.0};
  const double rate = make_search(asked, options(0.3))->judge(origin_, point).rate.value();
  Probe tight = options(rate - 0.005);
  EXPECT_FALSE(make_search(asked, tight)->judge(origin_, point).satisfied);
  tight.as_published = true;
  EXPECT_TRUE(make_search(asked, tight)->judge(origin_, point).satisfied);
  tight.target = rate - 0.015;
  EXPECT_FALSE(make_search(asked, tight)->judge(origin_, point).satisfied);
}

TEST_F(ProbeTest, MirrorsForTheOtherClass) {
  const Mlp mirrored = fixtures::negated(model_);
  for (const double threshold : {0.3, 0.5, 0.7}) {
    const Problem one = problem(Goal(threshold, 1));
    const Problem zero{mirrored, space_, {.scale = 0.1}, Goal(1 - threshold, 0), 3};
    const Counterfactual first = make_search(one, options(0.2))->find(origin_, {});
    const Counterfactual second = make_search(zero, options(0.2))->find(origin_, {});
    EXPECT_EQ(first.termination, Termination::converged);
    EXPECT_EQ(first.steps, second.steps);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(first.point[j], second.point[j], 1e-9);
  }
}

TEST_F(ProbeTest, KeepsBoundsUnlessAsPublished) {
  space_.columns[0].upper = 0.05;
  space_.columns[1].movement = Movement::fixed;
  const Problem asked = problem();
  Probe cut = options(0.3);
  cut.max_blocks = 8;
  const Counterfactual bounded = make_search(asked, cut)->find(origin_, {});
  EXPECT_EQ(bounded.termination, Termination::infeasible);
  EXPECT_TRUE(is_admissible(space_, origin_, bounded.point));
  EXPECT_EQ(bounded.point[1], 0.0);
  EXPECT_GE(bounded.lambda, 0.0);

  cut.as_published = true;
  const Counterfactual free = make_search(asked, cut)->find(origin_, {});
  EXPECT_EQ(free.termination, Termination::converged);
  EXPECT_GT(free.point[0], 0.05);
  EXPECT_NE(free.point[1], 0.0);
}

}  // namespace
}  // namespace croco
