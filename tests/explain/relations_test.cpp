// SPDX-License-Identifier: Apache-2.0
// Relations from the schema to what is told: kept after rounding, repaired when they are broken
// today, and named when they stand in the way.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/random.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/reasons/relation_conflict.hpp>
#include <croco/space/admissible.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using testing::ElementsAre;

enum FeatureIndex : std::size_t { kIncome = 0, kDebt = 1, kAge = 2, kHome = 3 };

ExplainOptions certified(double target = 0.05) {
  ExplainOptions options = people::options();
  options.method = Certified{.target = target, .search_samples = 1024, .calibration_samples = 8192};
  options.certify.samples = 20'000;
  return options;
}

Codec with_relations(std::vector<RelationRule> relations) {
  Schema schema = people::schema();
  schema.relations = std::move(relations);
  return people::codec().with_schema(std::move(schema));
}

Explanation explain_one(const Codec& codec, const Person& person,
                        const ExplainOptions& options = certified()) {
  return Explainer(people::model(), codec, options).explain({&person, 1}).at(0);
}

TEST(ExplainRelations, AdviceKeepsThem) {
  const Person person = people::person(0, {"40", "10", "30", "rent"});
  const Explanation free = explain_one(people::codec(), person);
  ASSERT_EQ(free.status, Status::found);
  EXPECT_GT(std::stod(free.after[kIncome]), 70);
  // Income is the steeper one; with at most 70 of it, debt has to fall further.
  const Explanation bound =
      explain_one(with_relations({{.name = "cap", .sum = {{"income"}}, .limit = 70.0}}), person);
  ASSERT_EQ(bound.status, Status::found);
  EXPECT_TRUE(bound.target_met.value_or(false));
  EXPECT_LE(std::stod(bound.after[kIncome]), 70);
  EXPECT_LT(std::stod(bound.after[kDebt]), std::stod(free.after[kDebt]));
  EXPECT_GT(bound.distance.cost, free.distance.cost);
}

TEST(ExplainRelations, APresentThatBreaksOneIsRepaired) {
  // Ten times the debt must be at most the income, and today 100 is above 40.
  const Codec codec =
      with_relations({{.name = "covered", .sum = {{"debt", 10.0}}, .than = {{"income"}}}});
  const Person person = people::person(0, {"40", "10", "30", "rent"});
  const Explanation answer = explain_one(codec, person);
  ASSERT_EQ(answer.status, Status::found);
  EXPECT_LE(10 * std::stod(answer.after[kDebt]), std::stod(answer.after[kIncome]) + 1e-6);
}

TEST(ExplainRelations, OnesThatNothingKeepsAreTheReason) {
  const Codec codec =
      with_relations({{.name = "any", .sum = {{"income"}}, .at_least = true, .limit = 1.0},
                      {.name = "grown up", .sum = {{"age"}}, .at_least = true, .limit = 40.0}});
  const Person person = people::person(0, {"40", "10", "30", "rent"});
  const Explanation answer = explain_one(codec, person);
  EXPECT_EQ(answer.status, Status::infeasible);
  EXPECT_EQ(answer.reason, "no admissible change keeps relation 'grown up'");
  ASSERT_TRUE(answer.obstacle);
  EXPECT_EQ(answer.obstacle->kind, ObstacleKind::relations);
  EXPECT_TRUE(answer.obstacle->proved);
  EXPECT_FALSE(answer.obstacle->lowest);
  EXPECT_EQ(answer.obstacle->record, person.record);
  EXPECT_THAT(answer.obstacle->limits,
              ElementsAre(Limit{1, LimitKind::relation}, Limit{kAge, LimitKind::fixed}));
  // Without the relation, and with another age, there is certified advice.
  std::vector<std::pair<RelaxationKind, Limit>> freed;
  for (const Relaxation& relaxation : answer.obstacle->relaxations) {
    freed.emplace_back(relaxation.kind, relaxation.limit);
    EXPECT_LE(relaxation.certificate.upper, 0.05);
  }
  EXPECT_THAT(freed, testing::UnorderedElementsAre(
                         std::pair(RelaxationKind::relation, Limit{1, LimitKind::relation}),
                         std::pair(RelaxationKind::feature, Limit{kAge, LimitKind::fixed})));
  // The same for other methods, without the reasons.
  const Explanation other = explain_one(codec, person, people::options());
  EXPECT_EQ(other.status, Status::infeasible);
  EXPECT_EQ(other.reason, "no admissible change keeps relation 'grown up'");
}

TEST(ExplainRelations, ARatioNeedsAValueToday) {
  const Codec codec = with_relations({{.name = "per year", .sum = {{"debt"}}, .per = "age"}});
  const Explanation answer = explain_one(codec, people::person(3, {"40", "10", "0", "rent"}));
  EXPECT_EQ(answer.status, Status::error);
  EXPECT_EQ(answer.reason,
            "people.csv, line 5: relation 'per year': 'age' is 0, so that there is nothing to "
            "divide by; it must be above 0");
  EXPECT_EQ(explain_one(codec, people::person(0, {"40", "10", "30", "rent"})).status,
            Status::found);
  // Who is accepted already is asked nothing.
  EXPECT_EQ(explain_one(codec, people::person(0, {"99", "0", "0", "own"})).status, Status::already);
}

TEST(ExplainRelations, ThatHoldTheRateUpAreNamedAndLeftOut) {
  // An income of 45 at most and no debt: a logit of -.05 at best.
  const Codec codec = with_relations({{.name = "cap", .sum = {{"income"}}, .limit = 45.0}});
  const Explanation answer = explain_one(codec, people::person(0, {"40", "10", "30", "rent"}));
  EXPECT_EQ(answer.status, Status::infeasible);
  ASSERT_TRUE(answer.obstacle);
  EXPECT_EQ(answer.obstacle->kind, ObstacleKind::no_valid_point);
  EXPECT_EQ(answer.obstacle->record[kIncome], "45");
  EXPECT_THAT(answer.obstacle->limits,
              ElementsAre(Limit{kHome, LimitKind::fixed}, Limit{0, LimitKind::relation},
                          Limit{kDebt, LimitKind::minimum}, Limit{kAge, LimitKind::fixed}));
  const auto found =
      std::ranges::find(answer.obstacle->relaxations, RelaxationKind::relation, &Relaxation::kind);
  ASSERT_NE(found, answer.obstacle->relaxations.end());
  EXPECT_GT(std::stod(found->after[kIncome]), 45);
  EXPECT_TRUE(std::ranges::is_sorted(answer.obstacle->relaxations, {},
                                     [](const Relaxation& r) { return r.distance.cost; }));
}

TEST(ExplainRelations, ThatHoldBetweenStepsOnlyAreStepsInTheWay) {
  // Incomes are whole, and none lies between 80.2 and 80.8.
  const Codec codec =
      with_relations({{.name = "low", .sum = {{"income"}}, .at_least = true, .limit = 80.2},
                      {.name = "high", .sum = {{"income"}}, .limit = 80.8}});
  const Explanation answer = explain_one(codec, people::person(0, {"40", "10", "30", "rent"}));
  EXPECT_EQ(answer.status, Status::infeasible);
  ASSERT_TRUE(answer.obstacle);
  EXPECT_EQ(answer.obstacle->kind, ObstacleKind::steps);
  // Wachter finds a point between the steps and cannot tell it.
  ExplainOptions wachter = people::options();
  wachter.method = Wachter{};
  const Explanation other =
      explain_one(codec, people::person(0, {"40", "10", "30", "rent"}), wachter);
  EXPECT_EQ(other.status, Status::infeasible);
  EXPECT_THAT(other.reason,
              testing::StartsWith("wachter found a change that the model accepts, but on whole "
                                  "steps it breaks relation '"));
}

/// Proofs look at the ranges alone: what they say holds with relations too.
TEST(ExplainRelations, ProofsHoldWithThem) {
  ExplainOptions options = certified();
  options.reasons = false;
  options.prove = ProveOptions{.samples = 4096, .origin_samples = 10'000};
  const Person person = people::person(0, {"40", "10", "30", "rent"});
  const Explanation free = explain_one(people::codec(), person, options);
  const Explanation bound = explain_one(
      with_relations({{.name = "cap", .sum = {{"income"}}, .limit = 70.0}}), person, options);
  ASSERT_TRUE(free.proof && bound.proof);
  EXPECT_GT(bound.proof->lower, 0);
  EXPECT_LE(bound.proof->lower, bound.distance.cost);
  EXPECT_LE(free.proof->lower, bound.distance.cost);
  EXPECT_GE(bound.proven_gap().value_or(-1), free.proven_gap().value_or(9));
}

TEST(ExplainMaxChange, LimitsAndIsLifted) {
  Schema schema = people::schema();
  schema.features[kIncome].max_change = 12.0;
  const Codec codec = people::codec().with_schema(schema);
  const Explanation answer = explain_one(codec, people::person(0, {"40", "10", "30", "rent"}));
  EXPECT_FALSE(answer.target_met.value_or(false));
  ASSERT_TRUE(answer.obstacle);
  EXPECT_EQ(answer.obstacle->record[kIncome], "52");
  EXPECT_THAT(answer.obstacle->limits, testing::Contains(Limit{kIncome, LimitKind::max_change}));
  const auto found = std::ranges::find(answer.obstacle->relaxations,
                                       Limit{kIncome, LimitKind::max_change}, &Relaxation::limit);
  ASSERT_NE(found, answer.obstacle->relaxations.end());
  EXPECT_GT(std::stod(found->after[kIncome]), 52);
}

/// A schema of five numbers with steps, ranges, directions and relations, none contradictory.
struct Drawn {
  Codec codec;
  std::vector<Person> people;
};

Drawn drawn(std::uint64_t seed) {
  Sequence random({seed, Purpose::train, 79});
  const auto between = [&](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  Schema schema;
  std::vector<FeatureScale> scales;
  for (std::size_t k = 0; k < 5; ++k) {
    Feature feature{.name = fmt::format("f{}", k)};
    const double unit = std::pow(10.0, random.below(4));
    feature.minimum = unit;
    feature.maximum = 20 * unit;
    if (random.below(3) != 0) feature.step = unit * (1 + random.below(3)) / 4;
    if (random.below(4) == 0) feature.movement = k % 2 == 0 ? Movement::up : Movement::down;
    if (random.below(5) == 0) feature.max_change = 7.3 * unit;
    schema.features.push_back(std::move(feature));
    scales.push_back({unit, 20 * unit, ""});
  }
  const std::size_t relations = 1 + random.below(3);
  for (std::size_t i = 0; i < relations; ++i) {
    RelationRule rule{.name = fmt::format("r{}", i), .sum = {}};
    const std::size_t first = random.below(5);
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t f = (first + k) % 5;
      rule.sum.push_back({fmt::format("f{}", f), between(0.5, 2) / *schema.features[f].minimum});
    }
    rule.at_least = random.below(2) == 0;
    const std::uint32_t kind = random.below(4);
    if (kind == 0) rule.limit = between(15, 35);
    if (kind == 1) rule.per = fmt::format("f{}", (first + 2) % 5);
    if (kind == 2) {
      const std::size_t f = (first + 3) % 5;
      rule.than = {{fmt::format("f{}", f), between(1, 3) / *schema.features[f].minimum}};
    }
    schema.relations.push_back(std::move(rule));
  }
  Drawn out{Codec(schema, scales), {}};
  for (std::size_t i = 0; i < 20; ++i) {
    Record record;
    for (const Feature& feature : schema.features) {
      record.push_back(fmt::format("{:.4f}", between(*feature.minimum, *feature.maximum)));
    }
    out.people.push_back(people::person(i, std::move(record)));
  }
  return out;
}

/// From the texts alone, in the features' own units.
bool text_keeps(const Schema& schema, const RelationRule& rule, const Record& before,
                const Record& after) {
  const auto sum = [&](const std::vector<FeatureTerm>& terms, const Record& record) {
    double total = 0;
    for (const FeatureTerm& term : terms) {
      total += term.weight * std::stod(record[schema.index_of(term.feature)]);
    }
    return total;
  };
  const auto value = [&](const Record& record) {
    const double divisor = rule.per.empty() ? 1.0 : std::stod(record[schema.index_of(rule.per)]);
    return sum(rule.sum, record) / divisor;
  };
  const double left = value(after);
  const double right = rule.limit          ? *rule.limit
                       : rule.than.empty() ? value(before)
                                           : sum(rule.than, after);
  const double slack = 1e-7 * std::max({1e-3, std::abs(left), std::abs(right)});
  return rule.at_least ? left >= right - slack : left <= right + slack;
}

void expect_kept(const Method& method, bool network, std::uint64_t schemas, std::size_t most) {
  std::size_t advised = 0;
  std::size_t repaired = 0;
  for (std::uint64_t seed = 0; seed < schemas; ++seed) {
    Drawn world{people::codec(), {}};
    try {
      world = drawn(seed);
    } catch (const DataError&) {
      continue;  // drawn relations may contradict the ranges
    }
    const auto model =
        network ? std::make_shared<const Mlp>(fixtures::random_mlp({5, 8}, Activation::relu, seed))
                : std::make_shared<const Mlp>(
                      fixtures::logistic(fixtures::random_vector(5, seed, -2, 2), 0.0));
    ExplainOptions options = certified();
    options.method = method;
    options.certify = {.samples = 2000};
    options.noise = Noise{.scale = 0.02};
    options.reasons = false;
    options.goal =
        Goal(sigmoid(model->logit(world.codec.encode(world.people[0].record, "")) + 0.3));
    world.people.resize(std::min(world.people.size(), most));
    const Schema& schema = world.codec.schema();
    for (const Explanation& answer : Explainer(model, world.codec, options).explain(world.people)) {
      if (!answer.has_advice()) continue;
      ++advised;
      for (const RelationRule& rule : schema.relations) {
        ASSERT_TRUE(text_keeps(schema, rule, answer.before, answer.after))
            << seed << " row " << answer.row << " " << rule.name;
        repaired += text_keeps(schema, rule, answer.before, answer.before) ? 0U : 1U;
      }
      EXPECT_TRUE(is_admissible(world.codec.space(), answer.origin, answer.point)) << seed;
    }
  }
  EXPECT_GE(advised, schemas) << "of " << schemas * most;
  EXPECT_GE(repaired, schemas / 10);
}

TEST(ExplainRelations, PropertyToldRecordsKeepThemExactly) {
  expect_kept(Certified{.target = 0.1}, false, 250, 20);
}

TEST(ExplainRelations, PropertyToldRecordsKeepThemOnNetworks) {
  expect_kept(Certified{.target = 0.1, .search_samples = 256, .calibration_samples = 1024}, true,
              60, 8);
}

TEST(ExplainRelations, PropertyToldRecordsKeepThemByWachter) {
  expect_kept(Wachter{.block_steps = 150, .max_blocks = 2}, true, 40, 6);
}

}  // namespace
}  // namespace croco
