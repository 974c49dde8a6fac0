// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/time_limit.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

ExplainOptions certified(double target) {
  ExplainOptions options = people::options();
  options.method = Certified{.target = target};
  options.certify.samples = 20'000;
  return options;
}

TEST(TimeLimit, ALongOneChangesNothing) {
  ExplainOptions options = certified(0.01);
  const std::vector<Person> people = people::everyone();
  const auto without = Explainer(people::hidden_model(), people::codec(), options).explain(people);
  options.time_limit = 3600;
  options.threads = 2;
  const auto with = Explainer(people::hidden_model(), people::codec(), options).explain(people);
  ASSERT_EQ(with.size(), people.size());
  for (std::size_t i = 0; i < people.size(); ++i) {
    EXPECT_EQ(with[i].status, without[i].status) << i;
    EXPECT_EQ(with[i].point, without[i].point) << i;
    ASSERT_EQ(with[i].obstacle.has_value(), without[i].obstacle.has_value()) << i;
    if (!with[i].obstacle) continue;
    EXPECT_EQ(with[i].obstacle->kind, without[i].obstacle->kind) << i;
    EXPECT_EQ(with[i].obstacle->relaxations.size(), without[i].obstacle->relaxations.size()) << i;
    EXPECT_FALSE(with[i].obstacle->cut_short);
  }
}

TEST(TimeLimit, AShortOneLeavesAnswersThatSaySo) {
  ExplainOptions options = certified(0.01);
  options.time_limit = 1e-9;
  const std::vector<Person> people = people::everyone();
  const auto answers = Explainer(people::hidden_model(), people::codec(), options).explain(people);
  ASSERT_EQ(answers.size(), people.size()) << "nobody is left out";
  std::size_t told = 0;
  for (const Explanation& answer : answers) {
    if (answer.status == Status::already || answer.status == Status::error) continue;
    if (answer.status == Status::found) {
      // Whatever was there by then has its certificate.
      ASSERT_TRUE(answer.certificate);
      EXPECT_LE(answer.certificate->upper, 0.01);
      continue;
    }
    ASSERT_TRUE(answer.obstacle);
    EXPECT_TRUE(answer.obstacle->cut_short);
    if (answer.status == Status::unmet) {
      EXPECT_TRUE(answer.certificate);
      continue;
    }
    EXPECT_EQ(answer.obstacle->kind, ObstacleKind::time);
    // The timer may be late, but then the search is over and the reasons are missing.
    EXPECT_THAT(answer.reason,
                testing::AnyOf("the time limit of 1e-09 s was reached before certified found a "
                               "change",
                               testing::StartsWith("certified found no admissible change")));
    ++told;
  }
  EXPECT_GT(told, 0U);
}

TEST(TimeLimit, WhatASearchHadIsTaken) {
  Explanation answer;
  answer.origin = {1, 2};
  Counterfactual found{.point = {3, 4}, .termination = Termination::cancelled};
  end_search(found, answer);
  EXPECT_EQ(found.termination, Termination::unmet);
  EXPECT_FALSE(answer.obstacle);
  Counterfactual done{.point = {3, 4}, .termination = Termination::converged};
  end_search(done, answer);
  EXPECT_EQ(done.termination, Termination::converged);
}

TEST(TimeLimit, RefusesWhatIsNone) {
  const auto message = [](const ExplainOptions& options) {
    return fixtures::message_of<InvalidArgument>([&] {
      validate_time_limit(options);
      return 0;
    });
  };
  ExplainOptions options = certified(0.1);
  options.time_limit = 0;
  EXPECT_EQ(message(options), "the time limit is 0 s; it must be more than 0");
  options = people::options();
  options.time_limit = 1;
  EXPECT_EQ(message(options), "a time limit is for method certified; method croco has none");
}

}  // namespace
}  // namespace croco
