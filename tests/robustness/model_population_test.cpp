// SPDX-License-Identifier: Apache-2.0
// Statements about all models of a recipe. Golden values were computed once with mpmath, in 30 to
// 40 digits, from the formulas of the header.
#include <croco/robustness/model_population.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/random.hpp>

namespace croco {
namespace {

Vector mixed_rates() {
  Vector rates;
  for (int i = 0; i < 60; ++i) rates.push_back((7 * i) % 50 / 1000.0);
  rates.insert(rates.end(), {0.3, 0.6, 1.0});
  return rates;
}

TEST(JointUpper, MatchesMpmath) {
  EXPECT_NEAR(joint_upper(Vector(100, 0.05), 0.95), 0.0865437977046864, 1e-12);
  EXPECT_NEAR(joint_upper(Vector(200, 0.05), 0.999), 0.0871845929125211, 1e-12);
  EXPECT_NEAR(joint_upper(Vector(100, 0.0), 0.95), 0.0384671554786172, 1e-12);
  EXPECT_NEAR(joint_upper(mixed_rates(), 0.95), 0.170391954548348, 1e-12);
  EXPECT_NEAR(joint_upper(Vector{1, 1, 1, 0.99}, 0.95), 0.999972298703633, 1e-12);
}

TEST(JointUpper, IsOneWhenEveryModelAlwaysFails) {
  EXPECT_EQ(joint_upper(Vector(20, 1.0), 0.95), 1.0);
}

TEST(JointUpper, DoesNotDependOnTheOrderAndGrowsWithEveryRate) {
  Vector rates = mixed_rates();
  const double all = joint_upper(rates, 0.95);
  Vector reversed(rates.rbegin(), rates.rend());
  EXPECT_NEAR(joint_upper(reversed, 0.95), all, 1e-12);
  rates[10] += 0.01;
  EXPECT_GT(joint_upper(rates, 0.95), all);
}

TEST(JointUpper, RefusesWhatIsNoConfidenceAndNoModels) {
  EXPECT_THROW((void)joint_upper(Vector{}, 0.95), InvalidArgument);
  EXPECT_THROW((void)joint_upper(Vector{0.1}, 1.0), InvalidArgument);
}

TEST(JointLower, MirrorsTheUpperBound) {
  const Vector rates = mixed_rates();
  Vector successes;
  for (const double rate : rates) successes.push_back(1 - rate);
  EXPECT_DOUBLE_EQ(joint_lower(rates, 0.95), 1 - joint_upper(successes, 0.95));
  EXPECT_LT(joint_lower(rates, 0.95), 0.05);
}

TEST(PassingJointRate, MatchesMpmath) {
  EXPECT_NEAR(*passing_joint_rate(100, 0.05, 0.95), 0.01199422837, 2e-6);
  EXPECT_NEAR(*passing_joint_rate(100, 0.1, 0.95), 0.06399453214, 2e-6);
  EXPECT_NEAR(*passing_joint_rate(400, 0.05, 0.95), 0.04063240218, 2e-6);
  EXPECT_FALSE(passing_joint_rate(76, 0.05, 0.95));
  EXPECT_TRUE(passing_joint_rate(77, 0.05, 0.95));
}

TEST(PassingShare, MatchesMpmath) {
  EXPECT_EQ(passing_share(100, 0.05, 0.95), 0.0);
  EXPECT_EQ(passing_share(267, 0.1, 0.95), 14.0 / 267);
  EXPECT_EQ(passing_share(667, 0.05, 0.95), 18.0 / 667);
  EXPECT_EQ(passing_share(200, 0.2, 0.999), 19.0 / 200);
  EXPECT_FALSE(passing_share(76, 0.05, 0.95));
}

TEST(PassingShare, IsWhereTheJointBoundPasses) {
  Vector rates(267, 0.0);
  std::fill_n(rates.begin(), 14, 1.0);
  EXPECT_LE(joint_upper(rates, 0.95), 0.1);
  rates[14] = 1.0;
  EXPECT_GT(joint_upper(rates, 0.95), 0.1);
}

TEST(ModelsForJoint, MatchesMpmath) {
  EXPECT_EQ(models_for_joint(0.05, 0.1, 0.95), 73U);
  EXPECT_EQ(models_for_joint(0.02, 0.05, 0.95), 127U);
  EXPECT_EQ(models_for_joint(0.0, 0.05, 0.95), 77U);
  EXPECT_EQ(models_for_joint(0.02, 0.05, 0.999), 257U);
  EXPECT_FALSE(models_for_joint(0.05, 0.05, 0.95));
}

TEST(Share, MatchesMpmath) {
  EXPECT_NEAR(share_upper(3, 100, 0.95), 0.0764755492422526, 1e-12);
  EXPECT_EQ(share_upper(5, 5, 0.95), 1.0);
  EXPECT_EQ(most_within_limit(1000, 0.05), 34U);
  EXPECT_EQ(most_within_limit(1000, 0.1), 78U);
  EXPECT_EQ(most_within_limit(500, 0.05), 13U);
  EXPECT_FALSE(most_within_limit(50, 0.05));
  const std::size_t golden[3][6] = {
      {29, 45, 67, 60, 91, 137}, {47, 65, 90, 94, 132, 183}, {62, 82, 109, 126, 167, 223}};
  for (std::size_t exceeding = 0; exceeding < 3; ++exceeding) {
    std::size_t k = 0;
    for (const double share : {0.1, 0.05}) {
      for (const double confidence : {0.95, 0.99, 0.999}) {
        EXPECT_EQ(models_for_share(exceeding, share, confidence), golden[exceeding][k++]);
      }
    }
  }
}

/// A recipe of retraining whose truth is known: a model is good or bad, and fails for a share of
/// noise that is one of two numbers.
struct Recipe {
  double good;
  double bad;
  double share_of_bad;

  [[nodiscard]] double joint() const { return good + share_of_bad * (bad - good); }
};

/// How often statements at 95 % were false among populations of N models and K samples each.
struct Wrong {
  std::size_t joint = 0;
  std::size_t share = 0;
  std::size_t pooled = 0;
};

Wrong wrong_statements(const Recipe& recipe, std::size_t populations, std::uint64_t seed) {
  constexpr std::size_t kModels = 60;
  constexpr std::size_t kSamples = 200;
  constexpr double kConfidence = 0.95;
  // Above it exactly the bad models are; between the two rates.
  const double limit = 0.9 * recipe.bad;
  const std::optional<std::size_t> most = most_within_limit(kSamples, limit);
  Wrong wrong;
  for (std::size_t p = 0; p < populations; ++p) {
    Sequence random({seed, Purpose::evaluate, p});
    Vector rates;
    std::size_t failures = 0;
    std::size_t exceeding = 0;
    for (std::size_t i = 0; i < kModels; ++i) {
      const double rate = random.uniform() < recipe.share_of_bad ? recipe.bad : recipe.good;
      std::size_t invalid = 0;
      for (std::size_t k = 0; k < kSamples; ++k) invalid += random.uniform() < rate ? 1U : 0U;
      rates.push_back(static_cast<double>(invalid) / kSamples);
      failures += invalid;
      exceeding += !most || invalid > *most ? 1U : 0U;
    }
    wrong.joint += recipe.joint() > joint_upper(rates, kConfidence) ? 1U : 0U;
    wrong.share += recipe.share_of_bad > share_upper(exceeding, kModels, kConfidence) ? 1U : 0U;
    wrong.pooled +=
        recipe.joint() > clopper_pearson_upper(failures, kModels * kSamples, kConfidence) ? 1U : 0U;
  }
  return wrong;
}

/// Whether a count is compatible with a probability of at most 5 %: the exact binomial test at
/// .001.
bool at_most_five_percent(std::size_t wrong, std::size_t trials) {
  return clopper_pearson_lower(wrong, trials, 0.999) <= 0.05;
}

TEST(SlowSyntheticPopulations, JointAndShareHoldWherePooledClopperPearsonDoesNot) {
  constexpr std::size_t kPopulations = 1000;
  const Recipe recipes[] = {{0.02, 0.5, 0.06}, {0.01, 0.9, 0.05}, {0.05, 0.3, 0.2}};
  std::uint64_t seed = 1;
  for (const Recipe& recipe : recipes) {
    const Wrong wrong = wrong_statements(recipe, kPopulations, seed++);
    RecordProperty("wrong", std::to_string(wrong.joint) + " " + std::to_string(wrong.share) + " " +
                                std::to_string(wrong.pooled));
    EXPECT_TRUE(at_most_five_percent(wrong.joint, kPopulations)) << wrong.joint;
    EXPECT_TRUE(at_most_five_percent(wrong.share, kPopulations)) << wrong.share;
    // The negative control: the same test has to notice a bound that does not hold.
    EXPECT_FALSE(at_most_five_percent(wrong.pooled, kPopulations)) << wrong.pooled;
    EXPECT_GT(wrong.pooled, kPopulations / 5);
  }
}

TEST(SlowSyntheticPopulations, TheJointBoundIsNotIdle) {
  // A bound that is never wrong would pass the test above; this one is close to the truth.
  Vector rates(200, 0.05);
  EXPECT_LT(joint_upper(rates, 0.95), 0.05 + std::log(60.0) / 200 + 1e-3);
}

}  // namespace
}  // namespace croco
