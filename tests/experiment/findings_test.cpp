// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/findings.hpp>

#include <gmock/gmock.h>

namespace croco {
namespace {

using testing::HasSubstr;

/// Wachter, PROBE, CROCO and certified on one data set, two noises and two targets; every number
/// can be set afterwards.
class Findings : public testing::Test {
 protected:
  void SetUp() override {
    Experiment& experiment = result_.experiment;
    experiment.datasets = {{.name = "adult", .label = "Adult"}};
    experiment.noises = {{.name = "low"}, {.name = "high"}};
    experiment.noises[0].noise.scale = 0.1;
    experiment.noises[1].noise.scale = 0.2;
    experiment.targets = {0.1, 0.2};
    experiment.methods = {{.name = "w", .method = "wachter"},
                          {.name = "p", .method = "probe"},
                          {.name = "c", .method = "croco"},
                          {.name = "z", .method = "certified"}};
    experiment.methods[2].settings.as_published = true;
    result_.has_target = {false, true, true, true};
    for (const Configuration& cell : grid_of(experiment, result_.has_target)) {
      result_.configurations.push_back({.configuration = cell});
      Aggregate a;
      a.people = a.asked = a.advised = 100;
      a.validity = 1;
      // Nearer with a higher target, farther with more noise.
      a.l1_mean = (cell.noise == 0 ? 1 : 2) - cell.target.value_or(0);
      a.rate_mean = cell.target.value_or(0.5) * 0.9;
      if (cell.method == 1) {
        a.l1_mean *= 2;
        a.l1_sd = 1;
        a.rate_mean *= 1.05;
      }
      if (cell.method == 3) {
        a.l1_mean *= 0.5;
        a.over_lower_mean = 1.05;
        a.over_lower_max = 1.2;
        a.proved = 10;
      }
      if (cell.target) {
        a.rate_above_target = cell.method == 1 ? 0.4 : 0;
        a.upper_above_target = 0;
        a.paper_bound_met = 0;
      }
      result_.aggregates.push_back(a);
    }
  }

  /// The cells of a method.
  std::vector<Aggregate*> of(std::size_t method) {
    std::vector<Aggregate*> out;
    for (std::size_t i = 0; i < result_.configurations.size(); ++i) {
      if (result_.configurations[i].configuration.method == method) {
        out.push_back(&result_.aggregates[i]);
      }
    }
    return out;
  }
  /// The finding whose claim holds the text.
  [[nodiscard]] ClaimFinding about(const std::string& text) const {
    for (ClaimFinding& finding : findings_of(result_)) {
      if (finding.claim.find(text) != std::string::npos) return finding;
    }
    ADD_FAILURE() << "there is no finding about '" << text << "'";
    return {};
  }

  ExperimentResult result_;
};

TEST_F(Findings, CountValidCells) {
  EXPECT_EQ(about("Wachter is valid").verdict, Verdict::confirmed);
  EXPECT_EQ(about("CROCO is valid").number, "4 of 4 cells at 100 %, lowest 100 %");
  for (Aggregate* cell : of(2)) cell->validity = 0.97;
  EXPECT_EQ(about("CROCO is valid").verdict, Verdict::not_confirmed);
  EXPECT_EQ(about("CROCO is valid").number, "0 of 4 cells at 100 %, lowest 97 %");
  of(1)[0]->validity = of(1)[1]->validity = 0.5;
  EXPECT_EQ(about("PROBE is valid").verdict, Verdict::confirmed);
  of(1)[2]->validity = 0.5;
  EXPECT_NE(about("PROBE is valid").verdict, Verdict::confirmed);
}

TEST_F(Findings, CompareCrocoWithProbe) {
  EXPECT_EQ(about("Adult: CROCO is both nearer").number, "both in 4 of 4 cells");
  EXPECT_EQ(about("Adult: CROCO is both nearer").verdict, Verdict::confirmed);
  EXPECT_THAT(about("Adult: CROCO is both nearer").detail, HasSubstr("over PROBE's 0.5"));
  of(1)[0]->l1_mean = 0;
  EXPECT_EQ(about("Adult: CROCO is both nearer").verdict, Verdict::partly);
  for (Aggregate* cell : of(1)) cell->rate_mean = 0;
  EXPECT_EQ(about("Adult: CROCO is both nearer").verdict, Verdict::not_confirmed);
}

TEST_F(Findings, SayWhetherProbeMissesItsTarget) {
  EXPECT_EQ(about("PROBE is unstable").verdict, Verdict::not_confirmed);
  of(1)[3]->rate_mean = 0.2;
  EXPECT_EQ(about("PROBE is unstable").verdict, Verdict::confirmed);
  EXPECT_EQ(about("PROBE is unstable").number, "in 1 of 4 cells");
  EXPECT_EQ(about("rates often exceed").verdict, Verdict::confirmed);
  EXPECT_EQ(about("rates often exceed").number, "PROBE 40 % of its answers above, CROCO 0 %");
  for (Aggregate* cell : of(2)) cell->rate_above_target = 0.3;
  EXPECT_EQ(about("rates often exceed").verdict, Verdict::not_confirmed);
}

TEST_F(Findings, FollowTheNoise) {
  EXPECT_EQ(about("grows with the variance").number,
            "at 2 of 2 data sets and targets, at every step");
  std::swap(of(2)[0]->l1_mean, of(2)[2]->l1_mean);
  EXPECT_EQ(about("grows with the variance").verdict, Verdict::partly);
}

TEST_F(Findings, CompareDeviationsWhereTheMethodsAreApart) {
  EXPECT_EQ(about("vary more").number, "in 4 of 4 such cells");
  of(1)[0]->l1_mean = of(2)[0]->l1_mean * 1.2;
  EXPECT_EQ(about("vary more").number, "in 3 of 3 such cells");
}

TEST_F(Findings, CompareWithWachter) {
  EXPECT_EQ(about("CROCO has lower invalidation").number, "in 4 of 4 cells");
  for (Aggregate* cell : of(0)) cell->rate_mean = 0.1;
  EXPECT_EQ(about("CROCO has lower invalidation").number, "in 2 of 4 cells");
}

TEST_F(Findings, JudgeThePapersBound) {
  EXPECT_EQ(about("never below the measured rate").verdict, Verdict::confirmed);
  EXPECT_EQ(about("whose bound is at most").number, "0 of 400 answers of the published loop");
  EXPECT_EQ(about("whose bound is at most").verdict, Verdict::not_confirmed);
  of(2)[0]->paper_bound_broken = 3;
  of(2)[0]->paper_bound_met = 0.5;
  EXPECT_EQ(about("never below the measured rate").verdict, Verdict::not_confirmed);
  EXPECT_EQ(about("whose bound is at most").verdict, Verdict::partly);
}

TEST_F(Findings, HoldTheCertifiedMethodToItsWord) {
  EXPECT_EQ(about("Certified: everybody").verdict, Verdict::confirmed);
  EXPECT_EQ(about("Certified: everybody").number, "400 of 400; 0 of them measured above it");
  of(3)[1]->upper_above_target = 0.01;
  EXPECT_EQ(about("Certified: everybody").verdict, Verdict::partly);
  EXPECT_EQ(about("Certified: everybody").number, "399 of 400; 0 of them measured above it");
  of(3)[1]->upper_above_target = 0;
  of(3)[1]->contradicted = 2;
  EXPECT_EQ(about("Certified: everybody").number, "400 of 400; 2 of them measured above it");
  EXPECT_EQ(about("Certified: everybody").verdict, Verdict::not_confirmed);
}

TEST_F(Findings, CompareDistancesAtEqualTargetAndAtEqualRate) {
  EXPECT_EQ(about("At equal target").number, "0.500 of its distance on average, at most 0.500");
  // On the certified curve of the low noise: .45 at a rate of .09, .4 at .18; half way .425.
  of(2)[0]->rate_mean = 0.135;
  of(2)[0]->l1_mean = 0.85;
  of(2)[1]->rate_mean = 0.01;  // below both: not compared
  of(2)[2]->rate_mean = 0.01;
  of(2)[3]->rate_mean = 0.01;
  const ClaimFinding equal_rate = about("At equal mean rate");
  EXPECT_EQ(equal_rate.number, "0.500 of its distance on average, at most 0.500");
  EXPECT_THAT(equal_rate.detail, HasSubstr("nearer in 1 of the 1 cells"));
  EXPECT_EQ(about("costs little more").number,
            "1.050 times the proven lower bound on average, at most 1.200");
}

TEST_F(Findings, SpeakOnlyOfMethodsThatAreThere) {
  result_.experiment.methods = {
      {.name = "w", .method = "wachter"}, {.name = "x"}, {.name = "y"}, {.name = "z"}};
  const std::vector<ClaimFinding> findings = findings_of(result_);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].claim, "Wachter is valid for everybody");
}

TEST_F(Findings, AreATable) {
  const std::string text = findings_csv(findings_of(result_));
  EXPECT_THAT(text, HasSubstr("claim,source,verdict,number,detail\n"));
  EXPECT_THAT(text, HasSubstr("CROCO is valid for everybody,section 5.2,confirmed,"));
}

}  // namespace
}  // namespace croco
