// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <gtest/gtest.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/robustness/error_budget.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

TEST(ExplainerProofs, ProvesWhatTheTargetCostsAtLeast) {
  ExplainOptions options = people::options();
  options.method = Certified{.target = 0.1};
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

/// What both a proof and a certificate say of a person holds with the stated confidence.
TEST(ExplainerProofs, SharesTheErrorWithTheCertificate) {
  constexpr std::size_t kDraws = 4000;
  ExplainOptions options = people::options();
  options.certify.confidence = 0.95;
  options.certify.family = 3;
  const std::vector<Person> everyone = people::everyone();
  for (const Method& method : {Method(Certified{.target = 0.1}), Method(Croco{.target = 0.3})}) {
    const bool several = std::holds_alternative<Certified>(method);
    options.method = method;
    options.prove.reset();
    const auto alone = people::explainer(options).explain(everyone);
    options.prove = ProveOptions{.confidence = 0.95, .samples = kDraws, .origin_samples = 4000};
    const auto proved = people::explainer(options).explain(everyone);
    ASSERT_TRUE(proved[0].proof && proved[0].certificate && alone[0].certificate);
    EXPECT_EQ(proved[0].point, alone[0].point);
    const Proof& proof = *proved[0].proof;
    EXPECT_EQ(proof.confidence, 0.95);
    const double error = 0.05 / 3 / 64 * proof_shares(true, true).sampling;
    EXPECT_EQ(proof.allowed, count_not_exceeded(kDraws, *target_of(method), 1 - error));
    const double spent = 1 - proved[0].certificate->bound_confidence;
    if (several) {
      EXPECT_EQ(proved[0].certificate->bound_confidence, alone[0].certificate->bound_confidence);
    } else {
      EXPECT_EQ(proved[0].certificate->attempts, 2U);
      EXPECT_NEAR(spent, (1 - alone[0].certificate->bound_confidence) / 2, 1e-12);
    }
    EXPECT_LE(spent + 0.05 / 3 / 64, 0.05 / 3);
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
