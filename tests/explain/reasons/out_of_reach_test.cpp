// SPDX-License-Identifier: Apache-2.0
// People for whom nothing can be done: what is proved, what binds, what may be said of it.
#include <croco/explain/reasons/out_of_reach.hpp>

#include <algorithm>

#include <gmock/gmock.h>

#include <croco/base/normal.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

enum FeatureIndex : std::size_t { kIncome = 0, kDebt = 1, kAge = 2, kHome = 3 };

ExplainOptions certified(double target, std::size_t samples = 20'000) {
  ExplainOptions options = people::options();
  options.method = Certified{.target = target, .search_samples = 1024, .calibration_samples = 8192};
  options.certify.samples = samples;
  return options;
}

Explanation explain_one(const ExplainOptions& options, const Person& person, const Codec& codec,
                        std::shared_ptr<const Model> model = people::model()) {
  return Explainer(std::move(model), codec, options).explain({&person, 1}).at(0);
}

std::vector<Limit> freed(const Obstacle& obstacle) {
  std::vector<Limit> out;
  for (const Relaxation& relaxation : obstacle.relaxations) {
    if (relaxation.kind == RelaxationKind::feature) out.push_back(relaxation.limit);
  }
  return out;
}

TEST(OutOfReach, IsProvedForEveryAdmissibleChange) {
  const Codec codec = people::codec();
  for (const auto& model : {people::model(), people::hidden_model()}) {
    // Refused with a logit of -1.33 at best, and accepted with one of .75.
    const Explanation never = explain_one(certified(0.05), people::everyone()[2], codec, model);
    ASSERT_TRUE(never.obstacle);
    EXPECT_EQ(never.obstacle->kind, ObstacleKind::no_valid_point);
    EXPECT_TRUE(never.obstacle->proved);
    EXPECT_EQ(never.obstacle->out_of_reach, 1) << "no draws, no doubt";
    const Explanation risky = explain_one(certified(0.01), people::everyone()[3], codec, model);
    ASSERT_TRUE(risky.obstacle);
    EXPECT_EQ(risky.obstacle->kind, ObstacleKind::target);
    EXPECT_TRUE(risky.obstacle->proved);
    EXPECT_EQ(risky.obstacle->out_of_reach, 0.999);
  }
}

TEST(OutOfReach, IsNotProvedWhereTheModelCannotBeBounded) {
  const auto inner = people::model();
  const auto model = std::make_shared<fixtures::PlainModel>(*inner, true);
  const Explanation answer =
      explain_one(certified(0.01), people::everyone()[3], people::codec(), model);
  ASSERT_TRUE(answer.obstacle);
  EXPECT_FALSE(answer.obstacle->proved);
  EXPECT_EQ(answer.obstacle->out_of_reach, 0);
}

TEST(OutOfReach, GivesTheProofThatWasAskedFor) {
  ExplainOptions options = certified(0.01);
  options.prove = ProveOptions{.samples = 1000};
  const Explanation risky = explain_one(options, people::everyone()[3], people::codec());
  ASSERT_TRUE(risky.proof);
  EXPECT_TRUE(risky.proof->infeasible);
  EXPECT_EQ(risky.proof->basis, ProofBasis::sampling);
  EXPECT_EQ(risky.proof->confidence, 0.999);
  const Explanation never = explain_one(options, people::everyone()[2], people::codec());
  ASSERT_TRUE(never.proof);
  EXPECT_EQ(never.proof->basis, ProofBasis::exact);
  EXPECT_EQ(never.proof->confidence, 1);
}

TEST(OutOfReach, NamesWhatNobodyCanChangeButNeverLiftsIt) {
  const Codec before = people::codec();
  const Explanation free = explain_one(certified(0.05), people::everyone()[2], before);
  ASSERT_TRUE(free.obstacle);
  EXPECT_THAT(free.obstacle->limits, Contains(Limit{kAge, LimitKind::fixed}));
  EXPECT_THAT(freed(*free.obstacle), Contains(Limit{kAge, LimitKind::fixed}));
  Schema schema = people::schema();
  schema.features[kAge].changeable_by = ChangeableBy::nobody;
  const Explanation bound =
      explain_one(certified(0.05), people::everyone()[2], before.with_schema(schema));
  ASSERT_TRUE(bound.obstacle);
  EXPECT_THAT(bound.obstacle->limits, Contains(Limit{kAge, LimitKind::fixed}));
  EXPECT_THAT(freed(*bound.obstacle), Not(Contains(Limit{kAge, LimitKind::fixed})));
  EXPECT_THAT(freed(*bound.obstacle), Contains(Limit{kIncome, LimitKind::maximum}));
}

/// A home that is owned makes up for a lot here.
std::shared_ptr<const Mlp> homely() {
  return std::make_shared<const Mlp>(fixtures::logistic({6, -4, 0.5, 0, 3}, -3));
}

TEST(OutOfReach, FreesCategories) {
  const Explanation answer =
      explain_one(certified(0.05), people::everyone()[2], people::codec(), homely());
  ASSERT_TRUE(answer.obstacle);
  EXPECT_THAT(answer.obstacle->limits, Contains(Limit{kHome, LimitKind::fixed}));
  const auto& list = answer.obstacle->relaxations;
  const auto home = std::ranges::find(list, Limit{kHome, LimitKind::fixed}, &Relaxation::limit);
  ASSERT_NE(home, list.end());
  EXPECT_EQ(home->after[kHome], "own");
  EXPECT_LE(home->certificate.upper, 0.05);

  // The same where some levels may be told, but not the one that helps.
  Schema schema = people::schema();
  schema.features[kHome].levels = {"rent", "own", "tent"};
  schema.features[kHome].movement = Movement::both;
  schema.features[kHome].moves = {{"rent", "tent", 0.1}};
  const Codec codec(schema, {{0, 100, "40"}, {0, 50, "10"}, {20, 80, "50"}, {0, 1, "rent"}});
  const auto model = std::make_shared<const Mlp>(fixtures::logistic({6, -4, 0.5, 0, 3, 0.2}, -3));
  const Explanation limited = explain_one(certified(0.05), people::everyone()[2], codec, model);
  ASSERT_TRUE(limited.obstacle);
  EXPECT_TRUE(limited.obstacle->proved);
  EXPECT_EQ(limited.obstacle->record[kHome], "tent") << "the best that may be told";
  EXPECT_THAT(freed(*limited.obstacle), Contains(Limit{kHome, LimitKind::levels}));
}

/// The level that helps may be told, and still the target is out of reach: the best point has it.
TEST(OutOfReach, TheBestPointHasTheBestLevels) {
  Schema schema = people::schema();
  schema.features[kHome].movement = Movement::both;
  const Person person = people::person(0, {"40", "10", "-340", "rent"});
  const Codec codec = people::codec().with_schema(schema);
  const Explanation answer = explain_one(certified(0.05), person, codec);
  ASSERT_TRUE(answer.obstacle);
  EXPECT_THAT(answer.obstacle->record, ElementsAre("100", "0", "-340", "own"));
  EXPECT_EQ(answer.obstacle->kind, ObstacleKind::target);
  EXPECT_TRUE(answer.obstacle->proved);
}

TEST(OutOfReach, UndecidedIsToldWithThePointThatSeemsToMeetTheTarget) {
  const double lowest = normal_cdf(-0.75 / (0.05 * std::sqrt(36 + 16 + 0.25)));
  const Explanation answer =
      explain_one(certified(1.1 * lowest, 5000), people::everyone()[3], people::codec());
  ASSERT_EQ(answer.status, Status::undecided);
  EXPECT_TRUE(answer.has_advice());
  EXPECT_TRUE(answer.valid);
  EXPECT_FALSE(answer.target_met.value_or(true));
  ASSERT_TRUE(answer.obstacle);
  EXPECT_EQ(answer.obstacle->kind, ObstacleKind::samples);
  ASSERT_TRUE(answer.obstacle->samples_needed);
  EXPECT_GT(*answer.obstacle->samples_needed, 5000U);
  EXPECT_EQ(answer.obstacle->out_of_reach, 0);
  EXPECT_EQ(answer.point, people::codec().encode(answer.after, "told"));
}

}  // namespace
}  // namespace croco
