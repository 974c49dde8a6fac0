// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/explain/assess_points.hpp>
#include <croco/robustness/problem.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::StartsWith;

class Assess : public testing::Test {
 protected:
  [[nodiscard]] std::vector<Explanation> judge(const std::vector<AdvisedPerson>& pairs,
                                               std::optional<double> target = 0.3,
                                               unsigned threads = 1) const {
    const Problem problem{*model_, codec_.space(), *people::options().noise, Goal(0.5, wanted_)};
    return assess(problem, codec_, pairs, people::options().certify, target, threads);
  }

  std::shared_ptr<const Mlp> model_ = people::model();
  Codec codec_ = people::codec();
  int wanted_ = 1;
};

TEST_F(Assess, NamesTheRulesThatAdviceBreaks) {
  const auto answers = judge({{people::person(0, {"40", "10", "30", "rent"}),
                               people::person(0, {"90.5", "11", "31", "own"})},
                              {people::person(1, {"40", "10", "30", "rent"}),
                               people::person(1, {"90", "5", "30", "rent"})}});
  ASSERT_TRUE(answers[0].broken);
  EXPECT_THAT(answers[0].broken->limits,
              testing::ElementsAre(Limit{0, LimitKind::step}, Limit{1, LimitKind::no_rise},
                                   Limit{2, LimitKind::fixed}, Limit{3, LimitKind::fixed}));
  EXPECT_FALSE(answers[0].broken->too_many_changes);
  ASSERT_TRUE(answers[1].broken);
  EXPECT_FALSE(answers[1].broken->any());
}

TEST_F(Assess, PeopleWithoutAPlaceInAFileAreNamedByTheirRow) {
  AdvisedPerson pair{people::person(7, {"40", "10", "30", "castle"}),
                     people::person(7, {"90", "5", "30", "rent"})};
  pair.before.where.clear();
  EXPECT_THAT(judge({pair})[0].reason, StartsWith("row 7, column 'home': 'castle' is "));
}

TEST_F(Assess, JudgesAdviceAsItIs) {
  // Half an income and a debt that rises: no advice of croco's, but somebody else's.
  const auto answers = judge({{people::person(3, {"40", "10", "30", "rent"}),
                               people::person(0, {"90.5", "11", "30", "own"})}});
  ASSERT_EQ(answers.size(), 1);
  const Explanation& answer = answers[0];
  EXPECT_EQ(answer.row, 3) << "the person's row, not the advice's";
  EXPECT_EQ(answer.status, Status::found);
  EXPECT_TRUE(answer.valid);
  EXPECT_EQ(answer.after, Record({"90.5", "11", "30", "own"}));
  EXPECT_EQ(answer.point, codec_.encode(answer.after, "here"));
  EXPECT_EQ(answer.features_changed, 3);
  EXPECT_NEAR(answer.distance.l1, 0.505 + 0.02 + 2, 1e-12);
  EXPECT_EQ(answer.score, sigmoid(model_->logit(answer.point)));
  ASSERT_TRUE(answer.certificate);
  EXPECT_EQ(*answer.target_met, answer.certificate->upper <= 0.3);
}

TEST_F(Assess, UnmetWhenTheModelRefuses) {
  const auto answers = judge({{people::person(0, {"40", "10", "30", "rent"}),
                               people::person(0, {"41", "10", "30", "rent"})}});
  EXPECT_EQ(answers.at(0).status, Status::unmet);
  EXPECT_FALSE(answers[0].valid);
  EXPECT_EQ(answers[0].reason, "the model's answer at the advised record is not class 1");
  ASSERT_TRUE(answers[0].certificate);
  EXPECT_GT(answers[0].certificate->rate, 0.9);
  EXPECT_FALSE(*answers[0].target_met);
}

TEST_F(Assess, TargetIsOptional) {
  const AdvisedPerson pair{people::person(0, {"40", "10", "30", "rent"}),
                           people::person(0, {"90", "10", "30", "rent"})};
  EXPECT_FALSE(judge({pair}, std::nullopt).at(0).target_met);
  EXPECT_TRUE(judge({pair}, 0.9).at(0).target_met.value());
}

TEST_F(Assess, AnInvalidPointNeverMeetsATarget) {
  wanted_ = 0;
  const auto answers = judge({{people::person(0, {"90", "10", "30", "rent"}),
                               people::person(0, {"60", "0", "30", "rent"})}},
                             0.999999);
  EXPECT_FALSE(answers.at(0).valid);
  EXPECT_EQ(answers[0].reason, "the model's answer at the advised record is not class 0");
  EXPECT_FALSE(*answers[0].target_met);
}

TEST_F(Assess, ABrokenRecordOnEitherSideIsAnErrorOfItsPair) {
  AdvisedPerson broken_advice{people::person(1, {"40", "10", "30", "rent"}),
                              people::person(1, {"40", "10", "30", "tent"})};
  broken_advice.after.where = "advice.csv, line 3";
  AdvisedPerson unreadable = broken_advice;
  unreadable.after.problem = "advice.csv, line 4: has 2 fields, but the header has 4";
  const auto answers = judge(
      {{people::person(0, {"", "10", "30", "rent"}), people::person(0, {"90", "10", "30", "rent"})},
       broken_advice,
       unreadable,
       {people::person(2, {"40", "10", "30", "rent"}),
        people::person(2, {"90", "10", "30", "rent"})}});
  ASSERT_EQ(answers.size(), 4);
  EXPECT_EQ(answers[0].status, Status::error);
  EXPECT_THAT(answers[0].reason,
              StartsWith("people.csv, line 2, column 'income': the value is missing"));
  EXPECT_EQ(answers[1].status, Status::error);
  EXPECT_THAT(answers[1].reason, StartsWith("advice.csv, line 3, column 'home': 'tent'"));
  EXPECT_EQ(answers[2].status, Status::error);
  EXPECT_EQ(answers[2].reason, "advice.csv, line 4: has 2 fields, but the header has 4");
  EXPECT_EQ(answers[3].status, Status::found);
  EXPECT_FALSE(answers[0].certificate);
  EXPECT_TRUE(answers[3].certificate);
}

TEST_F(Assess, CertificatesBelongToTheirPeopleWhateverStandsBetween) {
  const AdvisedPerson far{people::person(0, {"40", "10", "30", "rent"}),
                          people::person(0, {"100", "0", "30", "rent"})};
  const AdvisedPerson near{people::person(1, {"40", "10", "30", "rent"}),
                           people::person(1, {"62", "10", "30", "rent"})};
  const AdvisedPerson broken{people::person(2, {"x", "10", "30", "rent"}),
                             people::person(2, {"62", "10", "30", "rent"})};
  const auto alone_far = judge({far});
  const auto alone_near = judge({near});
  ASSERT_NE(alone_far.at(0).certificate->invalid, alone_near.at(0).certificate->invalid);
  for (const unsigned threads : {1U, 4U}) {
    const auto answers = judge({broken, near, broken, far}, 0.3, threads);
    EXPECT_EQ(answers.at(1).certificate->invalid, alone_near[0].certificate->invalid);
    EXPECT_EQ(answers.at(3).certificate->invalid, alone_far[0].certificate->invalid);
  }
}

TEST_F(Assess, JudgesTheExplainersOwnPointOnDrawsOfItsOwn) {
  const auto own = people::explainer().explain(people::everyone());
  for (const Explanation& answer : own) {
    if (!answer.has_advice()) continue;
    const auto again = judge(
        {{people::person(answer.row, answer.before), people::person(answer.row, answer.after)}});
    EXPECT_EQ(again.at(0).point, answer.point);
    EXPECT_EQ(again[0].certificate->purpose, Purpose::audit);
    EXPECT_EQ(answer.certificate->purpose, Purpose::certify);
    EXPECT_NEAR(again[0].certificate->rate, answer.certificate->rate, 0.05);
  }
}

TEST_F(Assess, RefusesOptionsOutOfRange) {
  const Problem problem{*model_, codec_.space(), *people::options().noise, Goal()};
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { return assess(problem, codec_, {}, {.confidence = 1}, std::nullopt, 1); }),
              StartsWith("confidence is 1; it must be "));
}

}  // namespace
}  // namespace croco
