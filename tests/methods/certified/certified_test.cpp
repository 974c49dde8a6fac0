// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/methods/certified/order_statistic.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/space/distance.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

TEST(OrderStatistic, GradientAgreesWithDifferencesOfALinearModel) {
  const Mlp model = fixtures::logistic({1.0, -2.0, 0.5}, -1.0);
  const Space space = fixtures::free_space(3);
  const Problem problem{model, space, Noise{.scale = 0.2}, Goal(0.4), 3, true};
  const NoiseBank bank(problem, {3, Purpose::search, 0}, 0, 2000);
  const Vector origin{0.1, 0.2, 0.3};
  OrderStatistic statistic(problem, bank, origin, bank.count(), 100);
  const ConstraintValue at = statistic.evaluate(Vector{0.2, -0.1, 0.0});
  for (std::size_t j = 0; j < 3; ++j) {
    Vector up{0.2, -0.1, 0.0};
    Vector down = up;
    up[j] += 1e-2;
    down[j] -= 1e-2;
    EXPECT_NEAR(at.gradient[j],
                (statistic.evaluate(up).value - statistic.evaluate(down).value) / 2e-2, 1e-4);
  }
}

TEST(OrderStatistic, IsPositiveExactlyWhenNoMoreThanAllowedAreInvalid) {
  const Mlp model = fixtures::random_mlp({4, 9}, Activation::relu, 5);
  const Space space = fixtures::free_space(4);
  const Problem problem{model, space, Noise{.scale = 0.3}, Goal(), 3, true};
  const NoiseBank bank(problem, {3, Purpose::search, 0}, 0, 500);
  const Vector origin(4, 0.0);
  std::size_t checked = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Vector change = fixtures::random_vector(4, seed, -2, 2);
    OrderStatistic statistic(problem, bank, origin, 500, 40);
    const double value = statistic.evaluate(change).value;
    if (!problem.goal.reached(model.logit(change)) || std::abs(value) < 2e-3) continue;
    EXPECT_EQ(value > 0, statistic.invalid(change) <= 40) << seed;
    ++checked;
  }
  EXPECT_GT(checked, 20U);
}

/// For a linear model the optimum is known: all of the change on the steepest column, up to
/// `z / (sd |w|) = Phi^-1(1 - rate)`.
TEST(Certified, IsTheShortestForALinearModel) {
  const Vector weights{0.5, -2.0, 1.0};
  const Mlp model = fixtures::logistic(weights, -0.5);
  const Space space = fixtures::free_space(3);
  const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 7, true};
  const Vector origin{0.2, 0.6, 0.1};
  const auto search = make_search(problem, Certified{.target = 0.05});
  const Counterfactual found = search->find(origin, {});
  ASSERT_EQ(found.termination, Termination::converged);
  const double needed = 0.1 * std::sqrt(0.25 + 4 + 1) * normal_quantile(0.95);
  const double shortest = (needed - model.logit(origin)) / 2;
  const double l1 = distances(space, origin, found.point).l1;
  EXPECT_GE(l1, shortest);
  EXPECT_LE(l1, 1.03 * shortest);
  EXPECT_EQ(found.point[0], origin[0]);
  EXPECT_EQ(found.point[2], origin[2]);
}

class CertifiedGoals : public testing::TestWithParam<std::pair<double, int>> {};

TEST_P(CertifiedGoals, PassItsCertificateOnFreshDraws) {
  const auto [threshold, wanted] = GetParam();
  const Mlp model = fixtures::random_mlp({5, 12}, Activation::relu, 11);
  const Space space = fixtures::free_space(5);
  const Problem problem{model, space, Noise{.scale = 0.1}, Goal(threshold, wanted), 1, true};
  const CertificatePlan plan{.samples = 20'000};
  const Certified options{.target = 0.1, .certificate = plan};
  const auto search = make_search(problem, options);
  std::size_t people = 0;
  std::size_t passed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Vector origin = fixtures::random_vector(5, seed);
    if (problem.goal.reached(model.logit(origin))) continue;
    const Counterfactual found = search->find(origin, {});
    if (found.termination != Termination::converged) continue;
    ++people;
    EXPECT_TRUE(problem.goal.reached(model.logit(found.point)));
    const Advice advice{origin, found.point, 0};
    const Certificate certificate = certify(
        problem, {&advice, 1},
        {.samples = plan.samples, .confidence = attempt_confidence(plan.confidence, 0)}, 1)[0];
    passed += certificate.upper <= options.target ? 1U : 0U;
  }
  EXPECT_GE(people, 5U);
  EXPECT_GE(passed, people * 7 / 10);  // the first of three attempts is a little greedy
}

INSTANTIATE_TEST_SUITE_P(Goals, CertifiedGoals,
                         testing::Values(std::pair{0.5, 1}, std::pair{0.5, 0}, std::pair{0.3, 1},
                                         std::pair{0.7, 0}));

TEST(Certified, RespectsIntervalsDirectionsAndFixedColumns) {
  const Mlp model = fixtures::random_mlp({4, 10}, Activation::relu, 21);
  Space space = fixtures::free_space(4);
  space.columns[0].movement = Movement::fixed;
  space.columns[1].movement = Movement::up;
  space.columns[2].movement = Movement::down;
  for (Column& column : space.columns) {
    column.lower = -1.5;
    column.upper = 1.5;
  }
  const Problem problem{model, space, Noise{.scale = 0.05}, Goal(), 1, true};
  const auto search = make_search(problem, Certified{.target = 0.2});
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Vector origin = fixtures::random_vector(4, seed);
    if (problem.goal.reached(model.logit(origin))) continue;
    const Vector point = search->find(origin, {}).point;
    EXPECT_EQ(point[0], origin[0]);
    EXPECT_GE(point[1], origin[1]);
    EXPECT_LE(point[2], origin[2]);
    for (const double value : point) EXPECT_LE(std::abs(value), 1.5);
  }
}

TEST(Certified, IsInfeasibleWhenNothingMayMove) {
  const Mlp model = fixtures::logistic({1.0}, -1.0);
  Space space = fixtures::free_space(1);
  space.columns[0].movement = Movement::fixed;
  const Problem problem{model, space, Noise{.scale = 0.05}, Goal(), 1, true};
  const Counterfactual found = make_search(problem, Certified{})->find(Vector{0.0}, {});
  EXPECT_EQ(found.termination, Termination::infeasible);
}

TEST(Certified, RefusesDrawsThatCannotCertifyTheTarget) {
  const Goal goal;
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] {
              validate(Certified{.target = 0.01, .certificate = CertificatePlan{.samples = 100}},
                       goal);
            }),
            "samples is 100; even without a failure they cannot certify a target of 0.01 at "
            "confidence 0.999");
}

TEST(AttemptConfidence, SpendsNoMoreThanTheWholeBudget) {
  double spent = 0;
  for (std::size_t attempt = 0; attempt < kCertifiedAttempts; ++attempt) {
    spent += 1 - attempt_confidence(0.99, attempt);
  }
  EXPECT_LE(spent, 0.01);
  EXPECT_DOUBLE_EQ(attempt_confidence(0.99, 0), 0.995);
}

TEST(LargestPassingCount, IsTheLastThatStaysBelowTheTarget) {
  for (const double target : {0.01, 0.05, 0.3}) {
    const auto most = largest_passing_count(5000, target, 0.999);
    ASSERT_TRUE(most);
    EXPECT_LE(clopper_pearson_upper(*most, 5000, 0.999), target);
    EXPECT_GT(clopper_pearson_upper(*most + 1, 5000, 0.999), target);
  }
  EXPECT_FALSE(largest_passing_count(10, 0.05, 0.999));
}

}  // namespace
}  // namespace croco
