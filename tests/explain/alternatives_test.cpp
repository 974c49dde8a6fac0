// SPDX-License-Identifier: Apache-2.0
// Several ways for one person, and advice that changes few features.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/space/features.hpp>
#include <tests/fixtures.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

constexpr std::size_t kColumns = 5;

Codec numbers() {
  Space space;
  space.columns.resize(kColumns, {.lower = -2, .upper = 2, .step = 0.05});
  return Codec::identity({"a", "b", "c", "d", "e"}, std::move(space));
}

std::shared_ptr<const Model> network(std::uint64_t seed) {
  return std::make_shared<Mlp>(fixtures::random_mlp({kColumns, 10}, Activation::relu, seed));
}

std::vector<Person> crowd(std::uint64_t seed) {
  std::vector<Person> out;
  for (std::size_t i = 0; i < 30; ++i) {
    const Vector values = fixtures::random_vector(kColumns, 100 * seed + i, -1.0, 1.0);
    Record record;
    for (const double value : values) record.push_back(fmt::format("{:.2f}", value));
    out.push_back(people::person(i, std::move(record)));
  }
  return out;
}

ExplainOptions asking(std::size_t options, SearchKind search = SearchKind::automatic) {
  ExplainOptions out = people::options();
  out.method = Certified{
      .target = 0.1, .search_samples = 1024, .calibration_samples = 8192, .search = search};
  out.noise = parse_noise("gaussian:sd=0.1");
  out.certify.samples = 20'000;
  out.reasons = false;
  out.alternatives = options;
  return out;
}

std::vector<Explanation> ways_of(const Explanation& answer) {
  std::vector<Explanation> ways{answer};
  ways.insert(ways.end(), answer.alternatives.begin(), answer.alternatives.end());
  return ways;
}

/// With the model's gradient, and from its answers alone.
class SlowOptionsBy : public testing::TestWithParam<SearchKind> {};
INSTANTIATE_TEST_SUITE_P(Searches, SlowOptionsBy,
                         testing::Values(SearchKind::gradient, SearchKind::gradient_free));

TEST_P(SlowOptionsBy, DifferAreCertifiedTogetherAndCheapestFirst) {
  std::size_t several = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (const bool disjoint : {false, true}) {
      ExplainOptions options = asking(3, GetParam());
      options.disjoint = disjoint;
      const Explainer explainer(network(seed), numbers(), options);
      const Space& space = explainer.codec().space();
      for (const Explanation& answer : explainer.explain(crowd(seed))) {
        if (answer.status != Status::found) {
          EXPECT_TRUE(answer.alternatives.empty());
          continue;
        }
        const std::vector<Explanation> ways = ways_of(answer);
        ASSERT_LE(ways.size(), 3U);
        several += ways.size() == 3 ? 1U : 0U;
        for (std::size_t k = 0; k < ways.size(); ++k) {
          const Explanation& way = ways[k];
          EXPECT_EQ(way.alternative, k + 1);
          EXPECT_EQ(way.row, answer.row);
          EXPECT_EQ(way.before, answer.before);
          ASSERT_TRUE(way.certificate);
          EXPECT_TRUE(way.target_met.value_or(false));
          EXPECT_LE(way.certificate->upper, 0.1);
          EXPECT_EQ(way.certificate->family, 3U);
          const FeatureSet changed = changed_features(space, way.origin, way.point);
          EXPECT_EQ(changed.size(), way.features_changed);
          for (std::size_t earlier = 0; earlier < k; ++earlier) {
            const FeatureSet other =
                changed_features(space, ways[earlier].origin, ways[earlier].point);
            EXPECT_LE(ways[earlier].distance.cost, way.distance.cost);
            EXPECT_FALSE(contains(changed, other));
            const bool common =
                std::ranges::any_of(changed, [&](std::size_t f) { return contains(other, f); });
            EXPECT_FALSE(disjoint && common);
          }
        }
      }
    }
  }
  EXPECT_GT(several, 40U);
}

TEST(Options, CostTheFirstNearlyNothing) {
  double alone = 0;
  double first = 0;
  const std::vector<Person> people = crowd(1);
  const std::vector<Explanation> one = Explainer(network(1), numbers(), asking(1)).explain(people);
  const std::vector<Explanation> three =
      Explainer(network(1), numbers(), asking(3)).explain(people);
  for (std::size_t i = 0; i < people.size(); ++i) {
    EXPECT_EQ(one[i].alternative, 0U);
    if (one[i].status != Status::found || three[i].status != Status::found) continue;
    alone += one[i].distance.cost;
    first += three[i].distance.cost;
  }
  ASSERT_GT(alone, 0);
  EXPECT_LT(first, 1.05 * alone);
}

TEST_P(SlowOptionsBy, DependOnNeitherThreadsNorOtherPeople) {
  const std::vector<Person> people = crowd(2);
  ExplainOptions options = asking(3, GetParam());
  const std::vector<Explanation> together =
      Explainer(network(2), numbers(), options).explain(people);
  options.threads = 3;
  const Explainer threaded(network(2), numbers(), options);
  const std::vector<Explanation> again = threaded.explain(people);
  for (std::size_t i = 0; i < people.size(); ++i) {
    const Explanation alone = threaded.explain({&people[i], 1}).at(0);
    for (const Explanation* other : {&again[i], &alone}) {
      ASSERT_EQ(together[i].status, other->status);
      ASSERT_EQ(together[i].alternatives.size(), other->alternatives.size());
      EXPECT_EQ(together[i].after, other->after);
      for (std::size_t k = 0; k < together[i].alternatives.size(); ++k) {
        EXPECT_EQ(together[i].alternatives[k].after, other->alternatives[k].after);
        EXPECT_EQ(together[i].alternatives[k].certificate->invalid,
                  other->alternatives[k].certificate->invalid);
      }
    }
  }
}

TEST(Options, NeedAMethodAndANumber) {
  const auto message = [](const ExplainOptions& options) {
    try {
      const Explainer explainer(network(1), numbers(), options);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(asking(0)), "alternatives is 0; it must be a whole number from 1 to 16");
  EXPECT_EQ(message(asking(17)), "alternatives is 17; it must be a whole number from 1 to 16");
  ExplainOptions options = asking(1);
  options.disjoint = true;
  EXPECT_EQ(message(options), "disjoint is about several alternatives; only one is asked for");
  options = asking(2);
  options.method = Wachter{};
  EXPECT_EQ(message(options),
            "alternatives is 2; several can only be had with method certified, not wachter");
  options = asking(1);
  options.max_changes = 0;
  EXPECT_EQ(message(options), "max_changes is 0; it must be at least 1");
}

TEST_P(SlowOptionsBy, FewChangesLimitWhatIsToldAndCostSomething) {
  std::size_t limited = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::vector<Person> people = crowd(seed);
    const std::vector<Explanation> free =
        Explainer(network(seed), numbers(), asking(1, GetParam())).explain(people);
    ExplainOptions options = asking(1, GetParam());
    options.max_changes = 1;
    const std::vector<Explanation> few =
        Explainer(network(seed), numbers(), options).explain(people);
    for (std::size_t i = 0; i < people.size(); ++i) {
      if (few[i].status != Status::found) continue;
      EXPECT_EQ(few[i].features_changed, 1U);
      if (free[i].status != Status::found || free[i].features_changed == 1) continue;
      ++limited;
      EXPECT_GT(few[i].distance.cost, 0.98 * free[i].distance.cost);
    }
  }
  EXPECT_GT(limited, 5U);
}

/// The closed form knows one way: a linear model that is asked for more is searched on draws.
TEST(Options, OfALinearModelAreFoundOnDraws) {
  const auto linear = std::make_shared<Mlp>(fixtures::logistic({1.0, -0.8, 0.6, 0.4, -0.9}, -1.5));
  const std::vector<Person> people = crowd(3);
  ExplainOptions several = asking(3);
  ExplainOptions few = asking(1);
  few.max_changes = 1;
  std::size_t with_others = 0;
  std::size_t with_one = 0;
  for (const Explanation& answer : Explainer(linear, numbers(), several).explain(people)) {
    if (answer.status == Status::found) with_others += answer.alternatives.empty() ? 0U : 1U;
  }
  for (const Explanation& answer : Explainer(linear, numbers(), few).explain(people)) {
    if (answer.status != Status::found) continue;
    ++with_one;
    EXPECT_EQ(answer.features_changed, 1U);
  }
  EXPECT_GT(with_others, 5U);
  EXPECT_GT(with_one, 5U);
}

}  // namespace
}  // namespace croco
