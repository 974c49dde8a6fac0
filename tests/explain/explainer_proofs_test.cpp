// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/explain/explainer.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

TEST(ExplainerProofs, ProvesWhatTheTargetCostsAtLeast) {
  ExplainOptions options = people::options();
  options.method = Certified{.target = 0.1, .certificate_samples = 5000};
  options.prove = ProveOptions{.samples = 4000, .origin_samples = 4000};
  const std::vector<Person> everyone = people::everyone();
  const auto answers = people::explainer(options).explain(everyone);
  ASSERT_EQ(answers.size(), everyone.size());
  for (const Explanation& answer : answers) {
    const bool asked = answer.status != Status::already && answer.status != Status::error;
    ASSERT_EQ(answer.proof.has_value(), asked) << answer.row;
    if (answer.status != Status::found) continue;
    ASSERT_TRUE(answer.proven_gap().has_value()) << answer.row;
    EXPECT_LE(answer.proof->lower, answer.distance.cost) << answer.row;
    EXPECT_LT(*answer.proven_gap(), 0.25) << answer.row;
  }
  EXPECT_EQ(answers[0].status, Status::found);
  // A logit of -1.3 at best: that nothing helps is more than that nothing was found.
  EXPECT_EQ(answers[2].status, Status::infeasible);
  EXPECT_TRUE(answers[2].proof->infeasible);
  EXPECT_EQ(answers[2].proven_gap(), std::nullopt);
  options.threads = 2;
  const auto again = people::explainer(options).explain(everyone);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].proof) continue;
    EXPECT_EQ(answers[i].proof->lower, again[i].proof->lower);
  }
}

TEST(ExplainerProofs, ProvesNothingWithoutATargetOrAsPublished) {
  ExplainOptions options = people::options();
  options.prove = ProveOptions{};
  options.method = Wachter{};
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] { return people::explainer(options), 0; }),
            "a proof is about a target; method wachter has none");
  options.method = Croco{.as_published = true};
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] { return people::explainer(options), 0; }),
            "a proof is about admissible changes; methods as published ignore what is admissible");
}

}  // namespace
}  // namespace croco
