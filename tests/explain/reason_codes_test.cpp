// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/reason_codes.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/models/model.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Schema coded_schema() {
  Schema out = people::schema();
  out.features[0].reason_code = "R1 income";
  out.features[1].reason_code = "R2 debt";
  out.features[3].reason_code = "R3 home";
  return out;
}

/// Accepted: (90, 0, 80, own) and (80, 10, 80, own); refused: the third.
LoadedModel loaded(const Schema& schema = coded_schema()) {
  Codec codec(schema, {{0, 100, "40"}, {0, 50, "10"}, {20, 80, "50"}, {0, 1, "rent"}});
  Matrix rows(0, codec.width());
  for (const Record& record : std::vector<Record>{
           {"90", "0", "80", "own"}, {"80", "10", "80", "own"}, {"10", "50", "20", "rent"}}) {
    rows.append(codec.encode(record, "row"));
  }
  return {.name = "people",
          .source = "people.json",
          .fingerprint = std::string(64, 'a'),
          .model = people::model(),
          .codec = std::move(codec),
          .unfrozen = {},
          .examples = std::make_shared<const Matrix>(std::move(rows))};
}

ExplainOptions coded_options(std::size_t most) {
  ExplainOptions out = people::options();
  out.reason_codes = most;
  return out;
}

TEST(ReasonRanking, GainsAreMeanScoresOfTheModelItself) {
  const LoadedModel model = loaded();
  const Record today{"40", "30", "30", "rent"};
  const Vector origin = model.codec.encode(today, "row");
  const auto score = [&](const Record& record) {
    return sigmoid(model.model->logit(model.codec.encode(record, "row")));
  };
  const double now = score(today);
  const double income =
      (score({"90", "30", "30", "rent"}) + score({"80", "30", "30", "rent"})) / 2 - now;
  const double debt =
      (score({"40", "0", "30", "rent"}) + score({"40", "10", "30", "rent"})) / 2 - now;
  const double home = score({"40", "30", "30", "own"}) - now;
  const auto ranked = ReasonRanking(model, Goal(), 5).rank(*model.model, model.codec, origin);
  ASSERT_EQ(ranked.size(), 3U);
  EXPECT_EQ(ranked[0].feature, 0U);
  EXPECT_NEAR(ranked[0].gain, income, 1e-12);
  EXPECT_EQ(ranked[1].feature, 1U);
  EXPECT_NEAR(ranked[1].gain, debt, 1e-12);
  EXPECT_EQ(ranked[2].feature, 3U);
  EXPECT_NEAR(ranked[2].gain, home, 1e-12);
}

TEST(ReasonRanking, NamesNoFeatureWithoutACodeAndNoneThatGainsNothing) {
  const LoadedModel model = loaded();
  // A debt of 0 and a home of one's own are as good as it gets; age has no code.
  const Vector origin = model.codec.encode({"10", "0", "20", "own"}, "row");
  const auto ranked = ReasonRanking(model, Goal(), 5).rank(*model.model, model.codec, origin);
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_EQ(ranked[0].feature, 0U);
}

TEST(ReasonRanking, SaysACodeOnceAndAsManyAsAsked) {
  Schema schema = coded_schema();
  schema.features[1].reason_code = "R1 income";
  const LoadedModel model = loaded(schema);
  const Vector origin = model.codec.encode({"40", "30", "30", "rent"}, "row");
  const auto ranked = ReasonRanking(model, Goal(), 5).rank(*model.model, model.codec, origin);
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[1].feature, 3U);
  EXPECT_EQ(ReasonRanking(model, Goal(), 1).rank(*model.model, model.codec, origin).size(), 1U);
}

TEST(ReasonRanking, OfTheOtherClassTurnsRound) {
  const LoadedModel model = loaded();
  const Goal refusal(0.5, 0);  // class 0 is wanted: the refused are now the accepted
  const Vector origin = model.codec.encode({"90", "0", "80", "own"}, "row");
  const auto ranked = ReasonRanking(model, refusal, 1).rank(*model.model, model.codec, origin);
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_EQ(ranked[0].feature, 0U);  // too much income
}

TEST(ReasonRanking, NeedsCodesAndAcceptedPeople) {
  const auto refusal = [](const LoadedModel& model, const Goal& goal = Goal()) {
    return fixtures::message_of<InvalidArgument>(
        [&] { return ReasonRanking(model, goal, 1).rank(*model.model, model.codec, {}).size(); });
  };
  EXPECT_THAT(refusal(loaded(people::schema())),
              HasSubstr("reason-codes is given, and no feature of the schema has a 'reason_code'"));
  LoadedModel bare = loaded();
  bare.examples = nullptr;
  EXPECT_THAT(refusal(bare), HasSubstr("--training must name the data"));
  EXPECT_THAT(refusal(loaded(), Goal(0.999)),
              HasSubstr("the model accepts 0 of 3 people in the training data"));
}

TEST(ReasonRanking, RowsMayComeFromElsewhere) {
  LoadedModel bare = loaded();
  bare.reference = [examples = bare.examples] { return examples; };
  bare.examples = nullptr;
  const Explainer explainer(bare, coded_options(1));
  const std::vector<Person> one{people::person(0, {"40", "30", "30", "rent"})};
  EXPECT_EQ(explainer.explain(one)[0].reason_codes.size(), 1U);
}

TEST(ExplainerReasonCodes, AreThoseOfRefusedPeopleAndChangeNothingElse) {
  const auto everyone = people::everyone();
  const auto with = Explainer(loaded(), coded_options(2)).explain(everyone);
  const auto without = Explainer(loaded(), coded_options(0)).explain(everyone);
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(with[i].status, without[i].status);
    EXPECT_EQ(with[i].after, without[i].after);
    EXPECT_THAT(without[i].reason_codes, IsEmpty());
    const bool refused = with[i].status != Status::already && with[i].status != Status::error;
    EXPECT_EQ(with[i].reason_codes.empty(), !refused) << i;
  }
}

}  // namespace
}  // namespace croco
