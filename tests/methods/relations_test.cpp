// SPDX-License-Identifier: Apache-2.0
// Every method on random spaces with relations: no point that it calls a success breaks one.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <croco/methods/change/change.hpp>
#include <croco/methods/change/relation_steps.hpp>
#include <croco/methods/lowest_rate.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/distance.hpp>

#include "tests/fixtures.hpp"
#include "tests/methods/relation_worlds.hpp"

namespace croco {
namespace {

using fixtures::relation_world;
using fixtures::RelationWorld;

bool keeps_relations(const RelationWorld& world, View point) {
  return std::ranges::all_of(world.space.relations, [&](const Relation& relation) {
    return row_of(relation, world.origin).holds(point);
  });
}

/// How often a method succeeds, and that its points keep the relations and the intervals. With
/// `steps` they are on steps already.
struct Counts {
  std::size_t asked = 0;
  std::size_t accepted = 0;  ///< points with the wanted answer
  std::size_t found = 0;
  std::size_t moved_by_relations = 0;
};

Counts run(const Method& method, std::uint64_t worlds, bool steps) {
  Counts out;
  for (std::uint64_t seed = 0; seed < worlds; ++seed) {
    const RelationWorld world = relation_world(seed, 4, steps);
    const Mlp model = fixtures::random_mlp({4, 6}, Activation::relu, seed);
    const Goal goal(sigmoid(model.logit(world.origin) + 0.3));
    const Problem problem{model, world.space, {.scale = 0.05}, goal, seed, true};
    const Counterfactual result = make_search(problem, method)->find(world.origin, {});
    ++out.asked;
    if (result.termination == Termination::infeasible) continue;
    ++out.accepted;
    EXPECT_TRUE(keeps_relations(world, result.point)) << seed;
    Vector clamped = result.point;
    clamp(world.space, world.origin, clamped);
    for (std::size_t j = 0; j < clamped.size(); ++j) {
      EXPECT_NEAR(clamped[j], result.point[j], 1e-9) << seed;
    }
    if (result.termination != Termination::converged) continue;
    ++out.found;
    Space unbound = world.space;
    unbound.relations.clear();
    const Problem free{model, unbound, {.scale = 0.05}, goal, seed, true};
    const Counterfactual other = make_search(free, method)->find(world.origin, {});
    out.moved_by_relations += keeps_relations(world, other.point) ? 0U : 1U;
  }
  return out;
}

Certified quick() {
  return {.target = 0.1,
          .search_samples = 256,
          .calibration_samples = 1024,
          .certificate = CertificatePlan{.samples = 5000}};
}

TEST(Relations, AreKeptByTheCertifiedSearch) {
  const Counts counts = run(quick(), 300, true);
  EXPECT_GE(counts.found, 100U) << counts.asked;
  EXPECT_GE(counts.moved_by_relations, 30U) << "where the free search breaks one";
}

TEST(Relations, AreKeptByTheGradientFreeSearch) {
  Certified method = quick();
  method.search = SearchKind::gradient_free;
  method.search_budget = 60'000;
  const Counts counts = run(method, 20, false);
  EXPECT_GE(counts.found, 5U) << counts.asked;
  EXPECT_GE(counts.moved_by_relations, 2U);
}

TEST(Relations, AreKeptByThePublishedLoops) {
  const Counts wachter = run(Wachter{.block_steps = 200, .max_blocks = 3}, 60, false);
  EXPECT_GE(wachter.found, 20U) << wachter.asked;
  EXPECT_GE(wachter.moved_by_relations, 5U);
  const Counts probe =
      run(Probe{.target = 0.2, .learning_rate = 0.01, .max_blocks = 4, .check_samples = 500}, 30,
          false);
  EXPECT_GE(probe.found, 2U) << probe.asked;
  const Counts croco = run(
      Croco{.target = 0.6, .margin = 0.05, .samples = 1500, .step_samples = 50, .max_blocks = 4},
      20, false);
  EXPECT_GE(croco.accepted, 8U) << croco.asked;
}

/// The exact path: a linear model under Gaussian noise.
TEST(Relations, AreKeptByTheExactSearch) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const RelationWorld world = relation_world(seed, 4);
    const Mlp model = fixtures::logistic(fixtures::random_vector(4, seed, -2, 2), 0.0);
    const Goal goal(sigmoid(model.logit(world.origin) + 0.4));
    const Problem problem{model, world.space, {.scale = 0.05}, goal, seed, true};
    const auto search = make_search(problem, Certified{.target = 0.1});
    const Counterfactual result = search->find(world.origin, {});
    if (result.termination == Termination::infeasible) continue;
    EXPECT_TRUE(is_admissible(world.space, world.origin, result.point)) << seed;
    found += result.termination == Termination::converged ? 1U : 0U;
  }
  EXPECT_GE(found, 600U);
}

/// A grid over a plane: the search is within a few per cent of the best point that keeps the
/// relation and the rate.
TEST(Relations, CostWhatTheyMustInAPlane) {
  std::size_t compared = 0;
  std::size_t worse = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const RelationWorld world = relation_world(seed, 2, false);
    const Mlp model = fixtures::random_mlp({2, 5}, Activation::relu, seed + 3);
    const Goal goal(sigmoid(model.logit(world.origin) + 0.3));
    const Problem problem{model, world.space, {.scale = 0.03}, goal, seed, true};
    const auto search = make_search(problem, quick());
    const Counterfactual result = search->find(world.origin, {});
    double best = std::numeric_limits<double>::infinity();
    std::vector<Vector> points;
    for (int i = -40; i <= 40; ++i) {
      for (int k = -40; k <= 40; ++k) {
        Vector point{world.origin[0] + i / 40.0 * 1.9, world.origin[1] + k / 40.0 * 1.9};
        clamp(world.space, world.origin, point);
        if (keeps_relations(world, point) && goal.reached(model.logit(point))) {
          points.push_back(std::move(point));
        }
      }
    }
    const auto cost = [&](View point) { return distances(world.space, world.origin, point).cost; };
    std::ranges::sort(points, {}, cost);
    for (const Vector& point : points) {
      if (!search->judge(world.origin, point).satisfied) continue;
      best = cost(point);
      break;
    }
    if (!std::isfinite(best)) continue;
    ASSERT_EQ(result.termination, Termination::converged) << seed;
    ++compared;
    worse += cost(result.point) > 1.02 * best + 0.01 ? 1U : 0U;
  }
  EXPECT_GE(compared, 30U);
  EXPECT_LE(worse, 1U) << "one has a local optimum, with and without its relation";
}

TEST(Relations, ThatNothingKeepsEndEverySearch) {
  RelationWorld world{fixtures::free_space(2), {0.0, 0.0}};
  for (Column& column : world.space.columns) column.lower = -1, column.upper = 1;
  world.space.relations.push_back({.numerator = {{{0, -1.0}, {1, -1.0}}, 0.0}, .limit = -2.5});
  const Mlp network = fixtures::random_mlp({2, 4}, Activation::relu, 1);
  const Mlp linear = fixtures::logistic({1.0, 1.0}, 0.0);
  Certified gradient_free = quick();
  gradient_free.search = SearchKind::gradient_free;
  gradient_free.search_budget = 20'000;
  for (const Model* model :
       {static_cast<const Model*>(&network), static_cast<const Model*>(&linear)}) {
    const Goal goal(sigmoid(model->logit(world.origin) + 0.2));
    const Problem problem{*model, world.space, {.scale = 0.05}, goal, 1, true};
    for (const Method& method : {Method(quick()), Method(gradient_free)}) {
      const Counterfactual result = make_search(problem, method)->find(world.origin, {});
      EXPECT_EQ(result.termination, Termination::infeasible);
    }
    EXPECT_EQ(RateMinimiser(problem, 256).find(world.origin, {}, {}).point, world.origin);
  }
}

TEST(Relations, HoldAtTheLowestRate) {
  std::size_t seen = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RelationWorld world = relation_world(seed, 4, false);
    if (!nearest_change(change_problem(world.space, world.origin), Vector(4))) continue;
    ++seen;
    const Mlp model = fixtures::random_mlp({4, 6}, Activation::relu, seed);
    const Goal goal(sigmoid(model.logit(world.origin) + 0.3));
    const Problem problem{model, world.space, {.scale = 0.05}, goal, seed, true};
    const LowestRate lowest = RateMinimiser(problem, 256).find(world.origin, {}, {});
    EXPECT_TRUE(keeps_relations(world, lowest.point)) << seed;
    // No random point that keeps them is much better.
    const RateMinimiser minimiser(problem, 256);
    const ChangeProblem changes = change_problem(world.space, world.origin);
    std::size_t better_points = 0;
    for (std::uint64_t k = 0; k < 50; ++k) {
      const auto change =
          nearest_change(changes, fixtures::random_vector(4, 100 * seed + k, -2, 2));
      if (!change) continue;
      const LowestRate other = minimiser.judge(world.origin, moved(world.origin, *change));
      if (other.valid() && (!lowest.valid() || other.invalid + 13 < lowest.invalid)) {
        ++better_points;
      }
    }
    EXPECT_LE(better_points, 1U) << seed;
  }
  EXPECT_GE(seen, 30U);
}

}  // namespace
}  // namespace croco
