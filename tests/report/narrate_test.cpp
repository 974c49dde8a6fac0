// SPDX-License-Identifier: Apache-2.0
#include <croco/report/narrate.hpp>

#include <limits>

#include <gmock/gmock.h>

#include <tests/report/answers.hpp>

namespace croco {
namespace {

using testing::HasSubstr;

class Narrate : public testing::Test {
 protected:
  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
};

TEST_F(Narrate, ThousandsAreSeparated) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(102400), "102,400");
  EXPECT_EQ(with_thousands(1234567890), "1,234,567,890");
}

TEST_F(Narrate, LinesEndBetweenWordsButNotBeforeAPercentSign) {
  const std::string words(92, 'x');
  EXPECT_EQ(wrapped(words + " y z"), "  " + words + " y\n  z\n");
  EXPECT_EQ(wrapped(words + " 5 % z"), "  " + words + "\n  5 % z\n");
  EXPECT_EQ(wrapped("5 %"), "  5 %\n");
  EXPECT_EQ(wrapped(""), "  \n");
}

TEST_F(Narrate, ClassesHaveTheSchemasNames) {
  EXPECT_EQ(class_name(context_, 1), "'yes'");
  EXPECT_EQ(class_name(context_, 0), "'no'");
  Schema schema = people::schema();
  schema.label = {"accepted", "1", "0"};
  const Codec numbers(schema, codec_.scales());
  EXPECT_EQ(class_name(answers::context(numbers), 1), "class 1");
  EXPECT_EQ(class_name(answers::context(numbers), 0), "class 0");
  schema.label = {};
  const Codec unlabelled(schema, codec_.scales());
  EXPECT_EQ(class_name(answers::context(unlabelled), 1), "class 1");
}

TEST_F(Narrate, ClassesMayHaveDisplayTexts) {
  Schema schema = people::schema();
  schema.label = {"deny", "0", "1", "approved", {}};
  const Codec codec(schema, codec_.scales());
  const ReportContext context = answers::context(codec);
  EXPECT_EQ(class_name(context, 1), "approved");
  EXPECT_EQ(class_name(context, 0), "class 0");
  EXPECT_EQ(outcome(context, answers::found()), "With this the answer is approved (score 0.875).");
  EXPECT_THAT(certificate_sentence(context, answers::found()),
              testing::HasSubstr("the answer stays approved in at least 95.4 of 100 cases"));
}

TEST_F(Narrate, TheIdIsInTheHeadlineAndOtherColumnsBelow) {
  Explanation answer = answers::found();
  answer.kept = {{"customer", "A-17"}, {"branch", "North"}, {"officer", "Lee"}};
  context_.kept = {"customer", "branch", "officer"};
  EXPECT_EQ(headline(context_, answer), "Row 12: the answer is 'no' (score 0.250)");
  EXPECT_EQ(kept_text(context_, answer), "customer: A-17; branch: North; officer: Lee");
  context_.identified = true;
  EXPECT_EQ(headline(context_, answer), "Row 12 (customer A-17): the answer is 'no' (score 0.250)");
  EXPECT_EQ(kept_text(context_, answer), "branch: North; officer: Lee");
  answer.alternative = 2;
  EXPECT_EQ(headline(context_, answer), "Row 12 (customer A-17), alternative 2");
  EXPECT_EQ(kept_text(context_, answers::found()), "");
}

TEST_F(Narrate, HeadlinesSayWhatTheAnswerIs) {
  EXPECT_EQ(headline(context_, answers::found()), "Row 12: the answer is 'no' (score 0.250)");
  EXPECT_EQ(headline(context_, answers::infeasible()), "Row 4: the answer is 'no' (score 0.125)");
  EXPECT_EQ(headline(context_, answers::already()),
            "Row 5: the answer is already 'yes' (score 0.750)");
  EXPECT_EQ(headline(context_, answers::error()), "Row 6: could not be read");
  // The score tells, whichever class is wanted: certify is also given people who are accepted.
  Explanation accepted = answers::found();
  accepted.score_before = 0.9;
  EXPECT_EQ(headline(context_, accepted), "Row 12: the answer is 'yes' (score 0.900)");
  accepted.score_before = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(headline(context_, accepted), "Row 12: the model gives no clear answer");
}

/// Either side may be the library's answer within the tolerance, so neither is stated.
TEST_F(Narrate, AScoreOnTheThresholdIsCalledThat) {
  context_.goal = Goal(0.5, 1).clear_of(1e-5);
  Explanation answer = answers::found();
  for (const double score : {0.5, 0.5 + 1e-6, 0.5 - 1e-6}) {
    answer.score_before = score;
    EXPECT_EQ(headline(context_, answer),
              "Row 12: the score 0.500 is on the threshold, where roundings decide");
  }
  answer.score_before = 0.5 + 1e-5;
  EXPECT_EQ(headline(context_, answer), "Row 12: the answer is 'yes' (score 0.500)");
}

TEST_F(Narrate, OutcomesSayWhatBecomesOfIt) {
  EXPECT_EQ(outcome(context_, answers::found()), "With this the answer is 'yes' (score 0.875).");
  EXPECT_EQ(outcome(context_, answers::unmet()),
            "With this the answer is 'yes' (score 0.875). Not met: the bound of croco is 7.2 %, "
            "above the target of 5 %.");
  EXPECT_EQ(outcome(context_, answers::infeasible()),
            "croco found no admissible change after which the model's answer is class 1.");
  EXPECT_EQ(outcome(context_, answers::already()), "Nothing needs to change.");
  EXPECT_EQ(outcome(context_, answers::error()),
            "people.csv, line 8: has 3 fields, but the header has 4.");
  Explanation undecided = answers::unmet();
  undecided.status = Status::undecided;
  undecided.reason = "more samples are needed";
  EXPECT_THAT(outcome(context_, undecided),
              testing::EndsWith(" Undecided: more samples are needed."));
  Explanation refused = answers::unmet();
  refused.valid = false;
  refused.score = 0.4;
  refused.reason = "the model's answer at the advised record is not class 1";
  EXPECT_EQ(outcome(context_, refused),
            "With this the answer is still 'no' (score 0.400). Not met: the model's answer at the "
            "advised record is not class 1.");
}

TEST_F(Narrate, CertificatesAreOneSentence) {
  EXPECT_EQ(
      certificate_sentence(context_, answers::found()),
      "Carried out with gaussian noise (sd 0.1) on continuous columns, the answer stays "
      "'yes' in at least 95.4 of 100 cases (99.9 % confidence; 4,321 of 100,000 fresh samples "
      "failed); the target of at most 5 % failures is met.");
  EXPECT_EQ(certificate_sentence(context_, answers::unmet()),
            "Carried out with gaussian noise (sd 0.1) on continuous columns, the answer stays "
            "'yes' in at least 87.6 of 100 cases (99.9 % confidence; 12 of 200 fresh samples "
            "failed); the "
            "target of at most 5 % failures is not met.");
  EXPECT_EQ(certificate_sentence(context_, answers::already()), "");
}

TEST_F(Narrate, EvidenceIsWhatThePromiseRestsOn) {
  EXPECT_EQ(evidence_sentence(context_, answers::found()),
            "Certificate: under gaussian noise (sd 0.1) on continuous columns at most 4.6 % fail "
            "(99.9 % confidence; 4,321 of 100,000 fresh samples failed); the target of at most 5 % "
            "failures "
            "is met.");
  EXPECT_EQ(evidence_sentence(context_, answers::already()), "");
}

TEST_F(Narrate, CostsHaveTheirParts) {
  EXPECT_EQ(cost_sentence(context_, answers::found()), "It costs 1.");
  EXPECT_EQ(cost_sentence(context_, answers::infeasible()), "");
  Schema schema = people::schema();
  schema.features[3].movement = Movement::both;
  const Codec moving(schema, codec_.scales());
  Explanation answer = answers::found();
  answer.distance.cost = 0.7215;
  answer.distance.level_price = 0.6;
  EXPECT_EQ(cost_sentence(answers::context(moving), answer),
            "It costs 0.7215: 0.1215 for numbers and 0.6 for categories.");
}

TEST_F(Narrate, CertificatesSayWhatTheyRestOn) {
  Explanation answer = answers::found();
  answer.certificate->family = 1200;
  EXPECT_THAT(
      certificate_sentence(context_, answer),
      HasSubstr("(99.9 % confidence for all 1,200 answers together; 4,321 of 100,000 fresh samples "
                "failed); the target"));
  answer = answers::unmet();
  answer.certificate->stop = StopReason::futile;
  EXPECT_THAT(certificate_sentence(context_, answer),
              HasSubstr("12 of 200 fresh samples failed; sampling stopped, as the target is out of "
                        "reach); the target of at most 5 % failures is not met."));
  answer = answers::found();
  answer.certificate =
      Certificate{.bound = BoundKind::exact, .rate = 0.049, .upper = 0.049, .confidence = 1};
  EXPECT_THAT(
      certificate_sentence(context_, answer),
      HasSubstr("in at least 95.1 of 100 cases (exact, computed without samples); the target"));
}

TEST_F(Narrate, WithoutATargetNothingIsSaidOfIt) {
  context_.target.reset();
  Explanation answer = answers::found();
  answer.target_met.reset();
  EXPECT_EQ(
      certificate_sentence(context_, answer),
      "Carried out with gaussian noise (sd 0.1) on continuous columns, the answer stays "
      "'yes' in at least 95.4 of 100 cases (99.9 % confidence; 4,321 of 100,000 fresh samples "
      "failed).");
}

TEST_F(Narrate, PromisesAreRoundedToTheSafeSide) {
  Explanation answer = answers::found();
  answer.certificate->upper = 0.04501;
  EXPECT_THAT(certificate_sentence(context_, answer), HasSubstr("at least 95.4 of 100"));
  answer.certificate->upper = 0.045;
  EXPECT_THAT(certificate_sentence(context_, answer), HasSubstr("at least 95.5 of 100"));
  answer.certificate->upper = 1;
  EXPECT_THAT(certificate_sentence(context_, answer), HasSubstr("at least 0 of 100"));
  answer.certificate->upper = 0.00994;
  EXPECT_THAT(certificate_sentence(context_, answer), HasSubstr("at least 99 of 100"));
  answer.certificate->upper = 1e-6;
  EXPECT_THAT(certificate_sentence(context_, answer), HasSubstr("at least 99.9999 of 100"));
}

TEST_F(Narrate, SmallTargetsAreNotRoundedAway) {
  Explanation answer = answers::found();
  context_.target = 0.00004;
  answer.certificate->upper = 0.0000314;
  EXPECT_THAT(certificate_sentence(context_, answer),
              AllOf(HasSubstr("at least 99.9968 of 100 cases"),
                    HasSubstr("the target of at most 0.004 % failures is met.")));
  EXPECT_THAT(evidence_sentence(context_, answer), HasSubstr("at most 0.0032 % fail"));
  answer.certificate->upper = 0.0005;
  EXPECT_THAT(evidence_sentence(context_, answer), HasSubstr("at most 0.05 % fail"));
}

TEST_F(Narrate, NoiseIsNamedWithItsSettings) {
  context_.noise = Noise{.shape = NoiseShape::student_t,
                         .scale = 0.2,
                         .degrees_of_freedom = 4,
                         .scope = NoiseScope::changed};
  EXPECT_THAT(noise_phrase(context_),
              testing::MatchesRegex("student-t noise .scale 0.2, ?dof 4. on changed columns"));
  context_.noise = Noise{.shape = NoiseShape::uniform, .scale = 0.2, .falls_short = true};
  EXPECT_EQ(noise_phrase(context_), "one-sided uniform noise (half-width 0.2) on all columns");
}

TEST_F(Narrate, ManyScalesAreCounted) {
  Schema schema;
  std::vector<FeatureScale> scales;
  for (int k = 0; k < 7; ++k) {
    schema.features.push_back({.name = fmt::format("x{}", k)});
    scales.push_back({0, 1, "0"});
  }
  const Codec codec(schema, scales);
  ReportContext context = answers::context(codec);
  context.noise = Noise{.column_scales = {0.1, 0.2, 0.1, 0, 0.1, 0.1, 0.1}};
  EXPECT_EQ(noise_phrase(context), "gaussian noise (scales of their own on 6 features)");
  context.noise = Noise{.column_scales = {0.1, 0.1, 0.1, 0, 0.1, 0.1, 0.1}};
  EXPECT_EQ(noise_phrase(context), "gaussian noise (sd 0.1 of the range on 6 features)");
}

TEST_F(Narrate, ScalesPerFeatureAreInTheirOwnUnits) {
  context_.noise = Noise{.column_scales = {0.1, 0.02, 0.5, 0, 0}, .scope = NoiseScope::movable};
  EXPECT_EQ(noise_phrase(context_), "gaussian noise (Income sd 10 k, debt sd 1) on movable columns")
      << "age has a scale, but does not move";
  context_.noise = Noise{.shape = NoiseShape::uniform, .column_scales = {0.1, 0, 0, 0, 0}};
  EXPECT_EQ(noise_phrase(context_), "uniform noise (Income within 10 k)");
  context_.noise = Noise{.column_scales = {0.1, 0, 0, 0.1, 0.1}};
  EXPECT_EQ(noise_phrase(context_), "gaussian noise (a scale per column) on all columns");
  context_.noise = Noise{.column_scales = {0, 0, 0, 0, 0}};
  EXPECT_EQ(noise_phrase(context_), "gaussian noise (none) on all columns");
}

}  // namespace
}  // namespace croco
