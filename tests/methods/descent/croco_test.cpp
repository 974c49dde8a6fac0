// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/bounds.hpp>
#include <croco/methods/croco_bound.hpp>
#include <croco/methods/descent/descent.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/soft_rate.hpp>
#include <croco/space/admissible.hpp>

#include "tests/fixtures.hpp"
#include "tests/golden.hpp"

namespace croco {
namespace {

TEST(Croco, FollowsTheGoldenPath) {
  const auto golden_file = golden::read("croco_path");
  const auto& settings = golden_file.at("settings");
  const std::size_t samples = settings.at("samples");
  const std::size_t steps = settings.at("steps");
  for (const auto& entry : golden_file.at("cases")) {
    const ModelFile file = golden::model(entry.at("model"));
    Matrix draws(0, file.model->width());
    for (const auto& step : entry.at("draws")) draws.append(golden::matrix(step).data);
    ASSERT_EQ(draws.count(), samples * steps);
    const fixtures::ReplayModel model(file.model, draws);
    const Space space = space_of(file.inputs, true);
    const Problem problem{model, space, {}, Goal(settings.at("threshold"))};
    const Vector origin = golden::vector(entry.at("origin"));
    const Matrix path = golden::matrix(entry.at("iterates"));
    for (std::size_t step = 1; step <= steps; ++step) {
      // More draws judge a point than are replayed, so that the steps alone meet the given ones.
      const Croco options{.target = settings.at("target"),
                          .margin = settings.at("margin"),
                          .samples = draws.count() + 1,
                          .step_samples = samples,
                          .learning_rate = settings.at("learning_rate"),
                          .lambda = settings.at("lambda"),
                          .block_steps = step,
                          .max_blocks = 1,
                          .as_published = true};
      const Counterfactual found = make_search(problem, options)->find(origin, {});
      for (std::size_t j = 0; j < origin.size(); ++j) {
        ASSERT_NEAR(found.point[j], path[step][j], 1e-6) << file.name << ", step " << step;
      }
    }
  }
}

/// Both classes and several thresholds, on a small network.
class SlowCrocoGoals : public ::testing::TestWithParam<std::tuple<double, int>> {
 protected:
  /// People whom the model does not accept.
  [[nodiscard]] std::vector<Vector> people(std::size_t count) const {
    std::vector<Vector> out;
    for (std::uint64_t seed = 300; out.size() < count; ++seed) {
      Vector point = fixtures::random_vector(4, seed, -1.5, 1.5);
      if (!problem_.goal.reached(model_.logit(point))) out.push_back(std::move(point));
    }
    return out;
  }

  Mlp model_ = [] {
    // Steep enough to reach small soft rates.
    std::vector<DenseLayer> layers = fixtures::random_mlp({4, 8}, Activation::tanh, 130).layers();
    for (double& weight : layers[1].weight) weight *= 6;
    layers[1].bias = {0.2};
    return Mlp(std::move(layers), Activation::tanh);
  }();
  Space space_ = fixtures::free_space(4);
  Problem problem_{
      model_, space_, {.scale = 0.1}, Goal(std::get<0>(GetParam()), std::get<1>(GetParam())), 5};
};

TEST_P(SlowCrocoGoals, GradientIsThatOfTheLoss) {
  const Croco options{.target = 0.4, .step_samples = 40, .block_steps = 15, .max_blocks = 1};
  const double margin = bound_of(options, problem_.goal).margin;
  const double threshold = problem_.goal.wanted_threshold();
  const Vector origin = people(1)[0];
  Matrix draws(600, origin.size());
  sample(problem_.noise, scoped_scales(problem_.noise, problem_.space),
         {problem_.seed, Purpose::search, Stream::kShared}, 0, draws);
  const auto soft_rate_of = [&](View at, std::size_t first) {
    double sum = 0;
    for (std::size_t k = first; k < first + 40; ++k) {
      Vector noisy(at.begin(), at.end());
      for (std::size_t j = 0; j < noisy.size(); ++j) noisy[j] += draws[k][j];
      sum += sigmoid(-problem_.goal.sign() * model_.logit(noisy));
    }
    return sum / 40;
  };
  // The loss of the paper as it is written, differentiated by central differences.
  const Objective objective{
      .gradient =
          [&](View point, std::size_t step, MutableView gradient) {
            const auto loss = [&](View at) {
              const double soft = soft_rate_of(at, step * 40);
              const double excess = (margin + soft) / (1 - threshold) - options.target;
              const double unwanted = sigmoid(-problem_.goal.sign() * model_.logit(at));
              return excess * excess + unwanted * unwanted;
            };
            const Vector found =
                fixtures::central_difference(loss, Vector(point.begin(), point.end()), 1e-5);
            std::ranges::copy(found, gradient.begin());
          },
      .judge = [](View) { return Judgement{}; },
      .stops_at = {}};
  const Counterfactual expected = descend(
      problem_, origin, {.learning_rate = 0.01, .lambda = 1, .block_steps = 15}, objective, {});
  const Counterfactual found = make_search(problem_, options)->find(origin, {});
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(found.point[j], expected.point[j], 1e-6) << j;
  EXPECT_NE(found.point, origin);
}

TEST_P(SlowCrocoGoals, ConvergesOnlyWhereClassAndBoundHold) {
  const double target = 0.2;
  const auto search = make_search(problem_, Croco{.target = target, .step_samples = 200});
  std::size_t converged = 0;
  for (const Vector& origin : people(5)) {
    const Counterfactual found = search->find(origin, {});
    const Judgement judged = search->judge(origin, found.point);
    EXPECT_GE(found.lambda, 0.0);
    EXPECT_EQ(judged.bound, found.method_bound);
    EXPECT_EQ(judged.rate, found.method_rate);
    EXPECT_EQ(judged.reached, problem_.goal.reached(model_.logit(found.point)));
    EXPECT_EQ(judged.satisfied, judged.reached && judged.bound.value() <= target);
    EXPECT_EQ(found.termination == Termination::converged, judged.satisfied);
    EXPECT_EQ(found.termination == Termination::infeasible, !judged.reached);
    if (found.termination != Termination::converged) continue;
    ++converged;
    // The draws of a certificate, which no step and no check has seen, agree.
    const Advice advice{origin, found.point, 0};
    EXPECT_LE(certify(problem_, {&advice, 1}, {.samples = 20'000}, 1)[0].rate, target);
  }
  EXPECT_GE(converged, 2U);
}

TEST_P(SlowCrocoGoals, MirrorsForTheOtherClass) {
  const Mlp mirrored = fixtures::negated(model_);
  const Goal& goal = problem_.goal;
  const Problem other{mirrored, space_, problem_.noise,
                      Goal(1 - goal.threshold(), 1 - goal.wanted()), problem_.seed};
  const Croco options{.target = 0.3, .block_steps = 50, .max_blocks = 3};
  const auto first = make_search(problem_, options);
  const auto second = make_search(other, options);
  for (const Vector& origin : people(4)) {
    const Counterfactual a = first->find(origin, {});
    const Counterfactual b = second->find(origin, {});
    EXPECT_EQ(a.termination, b.termination);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(a.point[j], b.point[j], 1e-8);
    EXPECT_NEAR(a.method_bound.value(), b.method_bound.value(), 1e-8);
  }
}

TEST_P(SlowCrocoGoals, RespectsBoundsAndMovements) {
  const Croco options{.target = 0.3, .block_steps = 100, .max_blocks = 3};
  for (const Vector& origin : people(3)) {
    space_.columns[0].movement = Movement::up;
    space_.columns[1].movement = Movement::down;
    space_.columns[2].movement = Movement::fixed;
    space_.columns[3].lower = origin[3] - 0.3;
    space_.columns[3].upper = origin[3] + 0.2;
    const Counterfactual found = make_search(problem_, options)->find(origin, {});
    EXPECT_TRUE(is_admissible(space_, origin, found.point));
    EXPECT_GE(found.point[0], origin[0]);
    EXPECT_LE(found.point[1], origin[1]);
    EXPECT_EQ(found.point[2], origin[2]);
    EXPECT_NE(found.point, origin);
  }
}

INSTANTIATE_TEST_SUITE_P(Goals, SlowCrocoGoals,
                         ::testing::Combine(::testing::Values(0.3, 0.5, 0.7),
                                            ::testing::Values(0, 1)),
                         [](const auto& test) {
                           return "t" + std::to_string(int(100 * std::get<0>(test.param))) +
                                  "_wanted_" + std::to_string(std::get<1>(test.param));
                         });

class CrocoTest : public ::testing::Test {
 protected:
  Mlp model_ = fixtures::logistic({6.0, -4.0, 1.0}, -1.0);
  Space space_ = fixtures::free_space(3);
  Problem problem_{model_, space_, {.scale = 0.1}, Goal(), 9};
  const Vector origin_{0.0, 0.0, 0.0};
};

TEST_F(CrocoTest, BoundIsPropositionTwoOnTheDrawsOfItsCheck) {
  const Croco options{.target = 0.3, .margin = 0.1, .samples = 700};
  const Vector point{0.5, 0.0, 0.0};
  const Advice advice{origin_, point, 0};
  const Tally expected =
      tally(problem_, {&advice, 1}, {.purpose = Purpose::check, .samples = 700, .soft = true})[0];
  const Judgement judged = make_search(problem_, options)->judge(origin_, point);
  EXPECT_EQ(judged.rate, expected.rate());
  EXPECT_NEAR(judged.bound.value(), (0.1 + expected.soft_rate()) / 0.5, 1e-12);
}

TEST_F(CrocoTest, PlansMarginAndSamplesUnlessGivenOrPublished) {
  const BoundPlan plan = plan_bound({.target = 0.2});
  const CrocoBound planned = bound_of({.target = 0.2}, Goal());
  EXPECT_EQ(planned.margin, plan.margin);
  EXPECT_EQ(planned.samples, plan.samples);
  const CrocoBound published = bound_of({.target = 0.05, .as_published = true}, Goal());
  EXPECT_EQ(published.margin, 0.1);
  EXPECT_EQ(published.samples, 500U);
}

TEST_F(CrocoTest, ThePublishedLoopStopsAtEitherCondition) {
  const Croco strict{.target = 0.25, .margin = 0.1, .samples = 500};
  Croco published = strict;
  published.as_published = true;
  const Vector flipped{0.2, 0.0, 0.0};  // on the wanted side, and far from robust
  const auto judge = [&](const Croco& options) {
    return make_search(problem_, options)->judge(origin_, flipped);
  };
  EXPECT_TRUE(judge(strict).reached);
  EXPECT_FALSE(judge(strict).satisfied);
  EXPECT_TRUE(judge(published).satisfied);
  EXPECT_FALSE(make_search(problem_, published)->judge(origin_, origin_).satisfied);
}

TEST_F(CrocoTest, ThePublishedLoopMovesImmutablesAndLeavesTheBox) {
  space_.columns[0].upper = 0.05;
  space_.columns[1].movement = Movement::fixed;
  const Croco options{.block_steps = 100, .max_blocks = 2, .as_published = true};
  const Counterfactual found = make_search(problem_, options)->find(origin_, {});
  EXPECT_GT(found.point[0], 0.05);
  EXPECT_NE(found.point[1], 0.0);
}

TEST_F(CrocoTest, IsInfeasibleWhenNothingMayMove) {
  for (Column& column : space_.columns) column.movement = Movement::fixed;
  const Counterfactual found = make_search(problem_, Croco{.block_steps = 20})->find(origin_, {});
  EXPECT_EQ(found.termination, Termination::infeasible);
  EXPECT_EQ(found.point, origin_);
  EXPECT_EQ(found.blocks, 8U);
}

TEST_F(CrocoTest, IsUnmetWhenTheRangeEndsBeforeTheTarget) {
  space_.columns[0].upper = 0.25;  // logit .5
  space_.columns[1].movement = Movement::fixed;
  space_.columns[2].movement = Movement::fixed;
  const Counterfactual found = make_search(problem_, Croco{.target = 0.1})->find(origin_, {});
  EXPECT_EQ(found.termination, Termination::unmet);
  EXPECT_GT(found.method_bound.value(), 0.1);
  EXPECT_EQ(found.lambda, 0.0);
}

TEST_F(CrocoTest, IsCancelledFromOutside) {
  std::stop_source source;
  source.request_stop();
  const Counterfactual found = make_search(problem_, Croco{})->find(origin_, source.get_token());
  EXPECT_EQ(found.termination, Termination::cancelled);
  EXPECT_EQ(found.point, origin_);
  EXPECT_EQ(found.steps, 0U);
}

TEST_F(CrocoTest, ResultsDoNotDependOnWhatWasSearchedBefore) {
  const Croco options{.target = 0.2, .block_steps = 60, .max_blocks = 3};
  const Vector other{-0.3, 0.2, 0.5};
  const auto search = make_search(problem_, options);
  const Counterfactual first = search->find(origin_, {});
  const Counterfactual between = search->find(other, {});
  EXPECT_EQ(search->find(origin_, {}).point, first.point);
  EXPECT_EQ(make_search(problem_, options)->find(other, {}).point, between.point);
  // At the same time on two threads.
  Vector one;
  Vector two;
  {
    const std::jthread left([&] { one = search->find(origin_, {}).point; });
    const std::jthread right([&] { two = search->find(other, {}).point; });
  }
  EXPECT_EQ(one, first.point);
  EXPECT_EQ(two, between.point);
  problem_.shared_draws = false;  // certificates change with it; the search does not
  EXPECT_EQ(make_search(problem_, options)->find(origin_, {}).point, first.point);
}

TEST_F(CrocoTest, TakesNoiseThatDependsOnThePoint) {
  for (const Noise& noise : {Noise{.scale = 0.1, .scope = NoiseScope::changed},
                             Noise{.shape = NoiseShape::laplace, .falls_short = true}}) {
    problem_.noise = noise;
    const auto search = make_search(problem_, Croco{.target = 0.3});
    const Counterfactual found = search->find(origin_, {});
    EXPECT_EQ(found.termination, Termination::converged) << noise_text(noise);
    EXPECT_LE(search->judge(origin_, found.point).bound.value(), 0.3);
  }
}

}  // namespace
}  // namespace croco
