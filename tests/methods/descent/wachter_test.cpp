// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <croco/methods/make_search.hpp>
#include <croco/space/admissible.hpp>

#include "tests/fixtures.hpp"
#include "tests/golden.hpp"

namespace croco {
namespace {

TEST(Wachter, FollowsTheGoldenPath) {
  const auto golden_file = golden::read("wachter_path");
  ASSERT_EQ(golden_file.at("settings").at("learning_rate"), Wachter{}.learning_rate);
  ASSERT_EQ(golden_file.at("settings").at("lambda"), Wachter{}.lambda);
  for (const auto& entry : golden_file.at("cases")) {
    const ModelFile file = golden::model(entry.at("model"));
    const Space space = space_of(file.inputs, true);
    const Problem problem{*file.model, space, {}, Goal()};
    for (const auto& person : entry.at("people")) {
      const Matrix path = golden::matrix(person.at("iterates"));
      const Vector origin = golden::vector(person.at("origin"));
      const auto expect_point = [&](const Counterfactual& found, std::size_t step) {
        EXPECT_EQ(found.steps, step);
        for (std::size_t j = 0; j < origin.size(); ++j) {
          EXPECT_NEAR(found.point[j], path[step][j], 1e-9) << file.name << ", step " << step;
        }
      };
      const std::size_t last = path.count() - 1;
      const Counterfactual found =
          make_search(problem, Wachter{.as_published = true})->find(origin, {});
      EXPECT_EQ(found.termination, Termination::converged);
      expect_point(found, last);
      for (std::size_t step = 1; step < last; ++step) {
        const Wachter cut{.block_steps = step, .max_blocks = 1, .as_published = true};
        const Counterfactual part = make_search(problem, cut)->find(origin, {});
        EXPECT_EQ(part.termination, Termination::infeasible);
        expect_point(part, step);
      }
    }
  }
}

class WachterTest : public ::testing::Test {
 protected:
  [[nodiscard]] Problem problem(const Goal& goal = Goal()) const {
    return {model_, space_, {}, goal};
  }

  Mlp model_ = fixtures::logistic({2.0, -1.0}, -1.0);
  Space space_ = fixtures::free_space(2);
  const Vector origin_{0.0, 0.0};
};

TEST_F(WachterTest, StopsAtTheFirstPointOnTheWantedSide) {
  for (const double threshold : {0.3, 0.5, 0.7}) {
    const Problem asked = problem(Goal(threshold));
    const auto search = make_search(asked, Wachter{});
    const Counterfactual found = search->find(origin_, {});
    EXPECT_EQ(found.termination, Termination::converged);
    const double margin = asked.goal.margin(model_.logit(found.point));
    EXPECT_GT(margin, 0);
    EXPECT_LT(margin, 0.05);  // a step moves each column by about .01
    EXPECT_FALSE(found.method_rate.has_value());
    EXPECT_TRUE(search->judge(origin_, found.point).satisfied);
    EXPECT_FALSE(search->judge(origin_, origin_).satisfied);
  }
}

TEST_F(WachterTest, MirrorsForTheOtherClass) {
  const Mlp mirrored = fixtures::negated(model_);
  const Problem one = problem(Goal(0.7, 1));
  const Problem zero{mirrored, space_, {}, Goal(0.3, 0)};
  const Counterfactual first = make_search(one, Wachter{})->find(origin_, {});
  const Counterfactual second = make_search(zero, Wachter{})->find(origin_, {});
  EXPECT_EQ(first.steps, second.steps);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(first.point[j], second.point[j], 1e-12);
}

TEST_F(WachterTest, KeepsBoundsUnlessAsPublished) {
  space_.columns[0].upper = 0.1;
  space_.columns[1].movement = Movement::up;
  const Problem asked = problem();
  const Wachter options{.block_steps = 300, .max_blocks = 2};
  const Counterfactual bounded = make_search(asked, options)->find(origin_, {});
  EXPECT_EQ(bounded.termination, Termination::infeasible);
  EXPECT_TRUE(is_admissible(space_, origin_, bounded.point));

  Wachter published = options;
  published.as_published = true;
  const Counterfactual free = make_search(asked, published)->find(origin_, {});
  EXPECT_EQ(free.termination, Termination::converged);
  EXPECT_GT(free.point[0], 0.1);
  EXPECT_LT(free.point[1], 0.0);
}

TEST_F(WachterTest, IsInfeasibleWhenNothingMayMove) {
  for (Column& column : space_.columns) column.movement = Movement::fixed;
  const Problem asked = problem();
  const Counterfactual found =
      make_search(asked, Wachter{.block_steps = 20, .max_blocks = 3})->find(origin_, {});
  EXPECT_EQ(found.termination, Termination::infeasible);
  EXPECT_EQ(found.point, origin_);
  EXPECT_EQ(found.lambda, 0.0);
}

}  // namespace
}  // namespace croco
