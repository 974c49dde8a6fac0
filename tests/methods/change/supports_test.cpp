// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/supports.hpp>

#include <limits>
#include <string>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/methods/certified/shortest_search.hpp>
#include <croco/methods/change/level_sets.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/distance.hpp>
#include <tests/fixtures.hpp>
#include <tests/methods/mixed_worlds.hpp>

namespace croco {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr double kRate = 0.1;
const Stream kStream{3, Purpose::search, Stream::kShared};

/// The cheapest change of exactly these features or fewer, each set of numbers and of moves of up
/// to two categories solved in full: a space of its own for each, in which nothing else may change.
double cheapest_by_enumeration(const Problem& problem, const NoiseBank& bank, View origin,
                               std::size_t most) {
  std::vector<std::size_t> numbers;
  for (std::size_t j = 0; j < problem.space.width(); ++j) {
    if (problem.space.columns[j].continuous) numbers.push_back(j);
  }
  std::vector<LevelSet> sets{LevelSet{}};
  for (const LevelSet& one : extended(problem.space, origin, {})) {
    sets.push_back(one);
    for (const LevelSet& two : extended(problem.space, origin, one)) sets.push_back(two);
  }
  double best = kUnlimited;
  for (const LevelSet& set : sets) {
    const Vector base =
        moved(origin, fixed_change(with_levels(problem.space, origin,
                                               change_problem(problem.space, origin), set)));
    for (unsigned mask = 0; mask < (1U << numbers.size()); ++mask) {
      Space part = problem.space;
      part.most_changed = Space::kAnyNumber;
      for (OneHotGroup& group : part.groups) group.moves.clear();
      std::size_t size = set.moves.size();
      double prices = set.price;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        Column& column = part.columns[numbers[i]];
        if ((mask >> i & 1U) != 0) {
          ++size;
          prices += column.touch_price;
        } else {
          column.movement = Movement::fixed;
        }
        column.touch_price = 0;
      }
      if (size > most) continue;
      const Problem fixed{problem.model, part, problem.noise, problem.goal, problem.seed};
      const ShortestChange found = shortest_change(fixed, {bank, bank}, base, kRate);
      if (found.feasible) best = std::min(best, prices + found.cost);
    }
  }
  return best;
}

struct Comparison {
  std::size_t people = 0;
  std::size_t lost = 0;   ///< feasible by enumeration alone
  std::size_t worse = 0;  ///< by more than 2 %
  double ratio = 0;       ///< of the sums
};

/// Random people of random worlds, with this many features at most.
Comparison compare(std::size_t most, double touch_price, std::uint64_t worlds) {
  Comparison out;
  double ours = 0;
  double theirs = 0;
  for (std::uint64_t seed = 0; seed < worlds; ++seed) {
    Space space = fixtures::mixed_space(100 + seed);
    space.most_changed = most;
    for (std::size_t j = 0; j < fixtures::kNumbers; ++j) {
      space.columns[j].touch_price = touch_price * double(j + 1);
    }
    const Mlp model = fixtures::random_mlp({space.width(), 12}, Activation::relu, 50 + seed);
    const Problem problem{model, space, parse_noise("gaussian:sd=0.1"), Goal(), 3};
    const NoiseBank whole(problem, kStream, 0, 1024);
    const NoiseBank coarse(problem, kStream, 0, 512);
    for (std::uint64_t k = 0; k < 3; ++k) {
      const Vector origin = fixtures::person(space, 1000 * seed + k);
      if (problem.goal.reached(model.logit(origin))) continue;
      const double best = cheapest_by_enumeration(problem, whole, origin, most);
      const ShortestChange found = shortest_change(problem, {whole, coarse}, origin, kRate);
      const Vector point = moved(origin, found.change);
      EXPECT_TRUE(is_admissible(space, origin, point));
      EXPECT_NEAR(found.cost, distances(space, origin, point).cost, 1e-9);
      if (best == kUnlimited) continue;
      ++out.people;
      out.lost += found.feasible ? 0U : 1U;
      if (!found.feasible) continue;
      ours += found.cost;
      theirs += std::min(best, found.cost);  // three moves may be better still
      out.worse += found.cost > 1.02 * best ? 1U : 0U;
    }
  }
  out.ratio = ours / theirs;
  return out;
}

class SlowAtMost : public testing::TestWithParam<std::size_t> {};

TEST_P(SlowAtMost, SoManyFeaturesAreChosenAsEnumerationWould) {
  const Comparison result = compare(GetParam(), 0.0, 24);
  ASSERT_GT(result.people, 5U);
  EXPECT_EQ(result.lost, 0U);
  EXPECT_LT(result.ratio, 1.01);
  EXPECT_LE(result.worse, 1U);
}

INSTANTIATE_TEST_SUITE_P(Features, SlowAtMost, testing::Values(1, 2, 3));

TEST(SlowTouchPrices, AreWeighedAgainstTheWay) {
  const Comparison result = compare(Space::kAnyNumber, 0.05, 24);
  ASSERT_GT(result.people, 5U);
  EXPECT_EQ(result.lost, 0U);
  EXPECT_LT(result.ratio, 1.01);
  EXPECT_LE(result.worse, 1U);
}

TEST(TouchPrices, MakeOneLongWayBetterThanTwoShortOnes) {
  // Two equal columns: half of the way each costs as much as the whole way of one, until touching
  // the second has a price.
  Space space;
  space.columns.resize(2, {.lower = -4, .upper = 4});
  space.columns[1].max_change = 0.5;
  const Mlp model = fixtures::logistic({1.0, 1.2}, -1.0);
  for (const double price : {0.0, 0.3}) {
    space.columns[1].touch_price = price;
    const Problem problem{model, space, parse_noise("gaussian:sd=0.05"), Goal(), 3};
    const NoiseBank bank(problem, kStream, 0, 1024);
    const ShortestChange found = shortest_change(problem, {bank, bank}, Vector{0, 0}, kRate);
    ASSERT_TRUE(found.feasible);
    EXPECT_EQ(found.change[1] != 0, price == 0.0);
  }
}

/// Remembers what it is asked for; the more of the wanted numbers, the cheaper.
struct Asked {
  FeatureSet wanted;
  std::vector<FeatureSet> sets = {};

  ShortestChange operator()(const FeatureSet& numbers) {
    sets.push_back(numbers);
    double cost = 10;
    for (const std::size_t feature : wanted) cost -= contains(numbers, feature) ? 1.0 : 0.0;
    return {.feasible = true, .cost = cost};
  }
};

TEST(Supports, OfFewNumbersAreAllLookedAt) {
  Space space;
  space.columns.resize(6);
  const ChangeProblem changes = change_problem(space, Vector(6));
  Asked asked{{1, 3}};
  search_supports({.space = space, .changes = changes, .most = 2}, {0, 1, 2, 3}, std::ref(asked));
  EXPECT_EQ(asked.sets.size(), 15U);
  std::ranges::sort(asked.sets);
  EXPECT_EQ(std::unique(asked.sets.begin(), asked.sets.end()), asked.sets.end());
}

TEST(Supports, OfManyNumbersAreFoundStepByStep) {
  Space space;
  space.columns.resize(40);
  const ChangeProblem changes = change_problem(space, Vector(40));
  FeatureSet all(40);
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
  Asked asked{{7, 20, 33}};
  search_supports({.space = space, .changes = changes, .most = 3}, all, std::ref(asked));
  EXPECT_THAT(asked.sets, testing::Contains(FeatureSet{7, 20, 33}));
  EXPECT_LT(asked.sets.size(), 1000U);
}

TEST(Supports, LimitsAreForTheCertifiedMethod) {
  Space space = fixtures::mixed_space(1);
  space.most_changed = 2;
  const Mlp model = fixtures::random_mlp({space.width(), 4}, Activation::relu, 5);
  const Problem problem{model, space, parse_noise("gaussian:sd=0.1"), Goal(), 3};
  const auto message = [&](const Method& method) {
    try {
      static_cast<void>(make_search(problem, method));
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(Croco{}),
            "at most 2 changed features can only be had with method certified; this is method "
            "croco");
  EXPECT_EQ(message(Certified{.search = SearchKind::gradient_free}), "");
  EXPECT_EQ(message(Certified{}), "");
}

}  // namespace
}  // namespace croco
