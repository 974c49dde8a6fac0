// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/level_sets.hpp>

#include <algorithm>
#include <limits>
#include <stop_token>
#include <vector>

#include <gmock/gmock.h>

#include <croco/methods/certified/shortest_search.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/distance.hpp>
#include <croco/space/levels.hpp>
#include <tests/fixtures.hpp>
#include <tests/methods/mixed_worlds.hpp>

namespace croco {
namespace {

using fixtures::kLevels;
using fixtures::mixed_space;
using fixtures::person;

TEST(LevelSets, GrowByOneMoveOfAnotherCategory) {
  const Space space = mixed_space(1);
  const Vector origin = person(space, 2);
  const std::vector<LevelSet> first = extended(space, origin, {});
  std::size_t expected = 0;
  for (const OneHotGroup& group : space.groups) {
    for (const LevelMove& move : group.moves) {
      expected += move.from == level_at(group, origin) ? 1U : 0U;
    }
  }
  ASSERT_EQ(first.size(), expected);
  for (const LevelSet& set : first) {
    for (const LevelSet& two : extended(space, origin, set)) {
      ASSERT_EQ(two.moves.size(), 2U);
      EXPECT_LT(two.moves[0].group, two.moves[1].group);
      EXPECT_GT(two.price, set.price);
    }
  }
}

TEST(LevelSets, FixTheirColumnsAtTheirPrice) {
  const Space space = mixed_space(1);
  const Vector origin = person(space, 2);
  for (const LevelSet& set : extended(space, origin, {})) {
    const ChangeProblem changes = with_levels(space, origin, change_problem(space, origin), set);
    const Vector change = fixed_change(changes);
    EXPECT_NEAR(cost_of(changes, change), set.price, 1e-15);
    const Vector point = moved(origin, change);
    EXPECT_TRUE(is_admissible(space, origin, point));
    EXPECT_NEAR(distances(space, origin, point).cost, set.price, 1e-15);
    EXPECT_EQ(levels_between(space, origin, point), set);
    // Growing a change leaves its moves alone.
    EXPECT_EQ(fixed_change(changes), scaled_change(changes, change, 1.7));
  }
}

/// The best over all sets of up to two moves, each solved in full on the same draws.
double cheapest_of_all(const Problem& problem, const NoiseBank& bank, View origin, double rate) {
  double best = std::numeric_limits<double>::infinity();
  const auto consider = [&](const LevelSet& set) {
    // A space without moves, from a person who has made them.
    Space frozen = problem.space;
    for (OneHotGroup& group : frozen.groups) group.moves.clear();
    const Problem fixed{problem.model, frozen, problem.noise, problem.goal, problem.seed};
    const Vector base =
        moved(origin, fixed_change(with_levels(problem.space, origin,
                                               change_problem(problem.space, origin), set)));
    const ShortestChange found = shortest_change(fixed, {bank, bank}, base, rate);
    if (found.feasible) best = std::min(best, set.price + found.cost);
  };
  consider({});
  for (const LevelSet& one : extended(problem.space, origin, {})) {
    consider(one);
    for (const LevelSet& two : extended(problem.space, origin, one)) consider(two);
  }
  return best;
}

TEST(LevelSets, ASearchThatIsStoppedTellsWhatItHas) {
  const Space space = mixed_space(100);
  const Mlp model = fixtures::random_mlp({space.width(), 12}, Activation::relu, 50);
  const Problem problem{model, space, parse_noise("gaussian:sd=0.1"), Goal(), 3};
  const NoiseBank bank(problem, {3, Purpose::search, Stream::kShared}, 0, 512);
  Vector origin = person(space, 0);
  for (std::uint64_t k = 1; problem.goal.reached(model.logit(origin)); ++k) {
    origin = person(space, k);
  }
  std::stop_source source;
  const auto search = [&] {
    return shortest_changes(problem, {bank, bank}, origin, 0.1, {}, source.get_token());
  };
  const std::vector<ShortestChange> whole = search();
  source.request_stop();
  const std::vector<ShortestChange> stopped = search();
  ASSERT_EQ(stopped.size(), 1U);
  EXPECT_LT(stopped[0].evaluations, 20U);
  EXPECT_GT(whole[0].evaluations, 10 * stopped[0].evaluations);
  EXPECT_TRUE(is_admissible(space, origin, moved(origin, stopped[0].change)));
  EXPECT_TRUE(std::ranges::is_sorted(
      whole, [](const ShortestChange& a, const ShortestChange& b) { return is_better(a, b); }));
}

TEST(SlowLevelSets, AreChosenAsEnumerationWould) {
  double ours = 0;
  double theirs = 0;
  std::size_t worse = 0;
  std::size_t people = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Space space = mixed_space(100 + seed);
    const Mlp model = fixtures::random_mlp({space.width(), 12}, Activation::relu, 50 + seed);
    const Problem problem{model, space, parse_noise("gaussian:sd=0.1"), Goal(), 3};
    const Stream stream{3, Purpose::search, Stream::kShared};
    const NoiseBank whole(problem, stream, 0, 1024);
    const NoiseBank coarse(problem, stream, 0, 512);
    for (std::uint64_t k = 0; k < 6; ++k) {
      const Vector origin = person(space, 1000 * seed + k);
      if (problem.goal.reached(model.logit(origin))) continue;
      const double best = cheapest_of_all(problem, whole, origin, 0.1);
      const ShortestChange found = shortest_change(problem, {whole, coarse}, origin, 0.1);
      if (!found.feasible) {
        EXPECT_EQ(best, std::numeric_limits<double>::infinity());
        continue;
      }
      EXPECT_NEAR(found.cost, distances(space, origin, moved(origin, found.change)).cost, 1e-9);
      EXPECT_TRUE(is_admissible(space, origin, moved(origin, found.change)));
      ++people;
      ours += found.cost;
      theirs += std::min(best, found.cost);  // three moves may be better still
      worse += found.cost > 1.02 * best ? 1U : 0U;
    }
  }
  ASSERT_GT(people, 10U);
  EXPECT_LE(ours, 1.01 * theirs);
  EXPECT_LE(worse, people / 20);
}

TEST(SlowLevelSets, AreSearchedToACalibratedPoint) {
  std::size_t moved_levels = 0;
  for (std::uint64_t k = 0; k < 24; ++k) {
    const Space space = mixed_space(100 + k / 4);
    const Mlp model = fixtures::random_mlp({space.width(), 12}, Activation::relu, 50 + k / 4);
    const Problem problem{model, space, parse_noise("gaussian:sd=0.1"), Goal(), 3};
    const auto search = make_search(problem, Certified{.target = 0.1});
    const Vector origin = person(space, 1000 * (k / 4) + k % 4);
    if (problem.goal.reached(model.logit(origin))) continue;
    const Counterfactual found = search->find(origin, {});
    if (found.termination != Termination::converged) continue;
    EXPECT_TRUE(is_admissible(space, origin, found.point));
    for (const OneHotGroup& group : space.groups) {
      double sum = 0;
      for (std::size_t l = 0; l < kLevels; ++l) {
        const double value = found.point[group.first + l];
        EXPECT_TRUE(value == 0.0 || value == 1.0);
        sum += value;
      }
      EXPECT_EQ(sum, 1.0);
    }
    moved_levels += levels_between(space, origin, found.point).moves.size();
    const Advice advice{origin, found.point, 0};
    EXPECT_LE(tally(problem, {&advice, 1}, {.samples = 100'000})[0].rate(), 0.1);
  }
  EXPECT_GT(moved_levels, 0U);
}

}  // namespace
}  // namespace croco
