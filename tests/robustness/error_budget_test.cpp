// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/error_budget.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

constexpr Sentence kAll[] = {Sentence::proof, Sentence::lowest_rate, Sentence::relaxed_target,
                             Sentence::relaxed_noise, Sentence::relaxed_limit};

TEST(ErrorBudget, AttemptsShareTheErrorInHalves) {
  EXPECT_EQ(attempt_share(1, 0), 1.0);
  EXPECT_EQ(attempt_share(3, 0), 0.5);
  EXPECT_EQ(attempt_share(3, 1), 0.25);
  EXPECT_EQ(attempt_share(3, 2), 0.125);
  EXPECT_EQ(attempt_confidence(0.9, 1), 1 - (1 - 0.9) * 0.25);
}

TEST(ErrorBudget, AllStatementsAboutAPersonSpendTheErrorOnce) {
  double sentences = 0;
  for (const Sentence sentence : kAll) {
    sentences += sentence_share(sentence);
    EXPECT_NEAR(7 * sentence_share(sentence, 7), sentence_share(sentence), 1e-18);
  }
  double certificates = 0;
  constexpr std::size_t kAttempts = kCertifiedAttempts + kFurtherAttempts;
  for (std::size_t i = 0; i < kAttempts; ++i) certificates += attempt_share(kAttempts, i);
  EXPECT_LE(certificates + sentences, 1);
  EXPECT_LE(attempt_share(kAttemptsBesideProof, 0) + sentence_share(Sentence::proof), 1);
  // A run without a proof leaves a single certificate all of it.
  EXPECT_EQ(attempt_share(1, 0), 1);
}

TEST(ErrorBudget, AlternativesAreAFamilyOfCertificates) {
  EXPECT_EQ(family_with_alternatives(4, 3), 12U);
  EXPECT_DOUBLE_EQ(3 * person_error(0.99, 12), person_error(0.99, 4));
  EXPECT_NEAR(1 - share_confidence(0.99, 4, 0.5), 0.01 / 4 / 2, 1e-15);
  EXPECT_NEAR(1 - look_confidence(0.99, 4, 3, 1, 0.9), 0.01 / 4 / 4 * 0.9, 1e-15);
}

TEST(ErrorBudget, LooksOfAnAttemptSpendItsShareOnce) {
  for (std::size_t looks = 1; looks < 30; ++looks) {
    double sum = 0;
    for (std::size_t i = 0; i < looks; ++i) sum += look_share(looks, i);
    EXPECT_NEAR(sum, 1, 1e-12) << looks;
    EXPECT_EQ(look_share(looks, looks - 1), looks == 1 ? 1.0 : kLastLookShare);
  }
}

// That nothing meets the target and what it costs at least are both wrong when the same point
// fails more than the allowed number of the same samples.
TEST(ErrorBudget, ExistenceIsPaidForByTheProof) {
  for (const bool smoothing : {false, true}) {
    const ProofShares both = proof_shares(smoothing, true);
    EXPECT_DOUBLE_EQ(both.sampling + both.smoothing, 1);
    EXPECT_LE(existence_share(), sentence_share(Sentence::proof) * both.sampling);
  }
  EXPECT_EQ(proof_shares(true, false).smoothing, 1);
  EXPECT_EQ(proof_shares(false, false).sampling, 0);
}

}  // namespace
}  // namespace croco
