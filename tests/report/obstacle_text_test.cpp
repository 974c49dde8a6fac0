// SPDX-License-Identifier: Apache-2.0
#include <croco/report/obstacle_text.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/report/writer.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ObstacleText : public testing::Test {
 protected:
  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
};

TEST_F(ObstacleText, NothingWithoutAnObstacle) {
  EXPECT_THAT(obstacle_sentences(context_, answers::infeasible()), IsEmpty());
  EXPECT_EQ(relaxations_field(context_, answers::infeasible()), "");
}

TEST_F(ObstacleText, NothingIsAccepted) {
  EXPECT_THAT(
      obstacle_sentences(context_, answers::nothing_accepted()),
      ElementsAre(
          "No admissible change was found after which the answer is 'yes', even if it is "
          "carried out exactly; the best score found is 0.250, with Income 40 -> 100 k, debt "
          "10 -> 0.",
          "What holds it there: Income ends at 100 k; debt ends at 0; age cannot change.",
          "It would be possible if age could change (Income 40 -> 90 k, age -500 -> 20; "
          "cost 1.25). This says what decides, not what anybody should change."));
}

TEST_F(ObstacleText, ProvedIsSaidAsProved) {
  Explanation answer = answers::nothing_accepted();
  answer.obstacle->out_of_reach = 0.99;
  EXPECT_THAT(
      obstacle_sentences(context_, answer)[0],
      HasSubstr("was found after which the answer is 'yes', even if it is carried out "
                "exactly; that none meets the target of 5 % is proved, 99 % confidence; the"));
  answer.obstacle->proved = true;
  answer.obstacle->out_of_reach = 1;
  EXPECT_THAT(obstacle_sentences(context_, answer)[0],
              HasSubstr("No admissible change exists after which the answer is 'yes', even if it "
                        "is carried out exactly (proved); the best"));
  answer = answers::out_of_reach();
  EXPECT_THAT(obstacle_sentences(context_, answer)[0], HasSubstr("seems out of reach"));
  answer.obstacle->proved = true;
  answer.obstacle->out_of_reach = 0.999;
  EXPECT_THAT(obstacle_sentences(context_, answer)[0],
              HasSubstr("The target of 5 % is out of reach of every admissible change (proved, "
                        "99.9 % confidence): the lowest"));
  EXPECT_EQ(nlohmann::json::parse(json_line(context_, answer))
                .at("obstacle")
                .at("out_of_reach_confidence"),
            0.999);
}

TEST_F(ObstacleText, WhatNobodyCanChangeIsNamedAndNotOffered) {
  Schema schema = people::schema();
  schema.features[2].changeable_by = ChangeableBy::nobody;
  const Codec codec = people::codec().with_schema(schema);
  const ReportContext context = answers::context(codec);
  EXPECT_EQ(limit_phrase(context, {2, LimitKind::fixed}), "age, which nobody can change");
  EXPECT_EQ(limit_phrase(context, {3, LimitKind::levels}),
            "home may only go to some of its levels");
  Explanation answer = answers::nothing_accepted();
  answer.obstacle->limits = {{2, LimitKind::fixed}};
  answer.obstacle->relaxations.clear();
  EXPECT_THAT(obstacle_sentences(context, answer),
              ElementsAre(HasSubstr("No admissible change"),
                          "What holds it there: age, which nobody can change."));
  EXPECT_EQ(nlohmann::json::parse(json_line(context, answer)).at("obstacle").at("limits").at(0),
            nlohmann::json({{"feature", "age"}, {"limit", "fixed"}, {"changeable_by", "nobody"}}));
}

TEST_F(ObstacleText, TheTargetIsOutOfReach) {
  EXPECT_THAT(
      obstacle_sentences(context_, answers::out_of_reach()),
      ElementsAre(
          "The target of 5 % seems out of reach: the lowest failure rate found is 12.5 % (at "
          "most 13 %, 99.9 % confidence, from 100,000 samples of its own), with Income 40 -> 100 "
          "k.",
          "No limit of a feature holds it up there.",
          "It would be certified with a target of 14 % (Income 40 -> 99 k), or with 0.55 "
          "times the noise (Income 40 -> 98 k)."));
}

TEST_F(ObstacleText, DrawsThatWouldDo) {
  Explanation answer = answers::out_of_reach();
  answer.obstacle->kind = ObstacleKind::samples;
  answer.obstacle->samples_needed = 1'234'567;
  EXPECT_THAT(
      obstacle_sentences(context_, answer)[0],
      HasSubstr("but 100,000 samples could not certify it; about 1,234,567 could. It takes: "
                "Income 40 -> 100 k."));
  answer.obstacle->samples_needed.reset();
  EXPECT_THAT(obstacle_sentences(context_, answer)[0], HasSubstr("too small for any number"));
}

TEST_F(ObstacleText, EveryLimitHasAPhraseAndACondition) {
  const std::vector<std::pair<LimitKind, std::pair<std::string, std::string>>> expected{
      {LimitKind::fixed, {"Income cannot change", "if Income could change ("}},
      {LimitKind::no_rise, {"Income may only fall", "if Income could rise ("}},
      {LimitKind::no_fall, {"Income may only rise", "if Income could fall ("}},
      {LimitKind::minimum, {"Income ends at 0 k", "if Income could go below 0 k ("}},
      {LimitKind::maximum, {"Income ends at 100 k", "if Income could go above 100 k ("}},
      {LimitKind::step,
       {"Income is given in steps of 1 k",
        "if Income could be given more finely than in steps of 1 k ("}}};
  for (const auto& [kind, texts] : expected) {
    EXPECT_EQ(limit_phrase(context_, {0, kind}), texts.first);
    Explanation answer = answers::nothing_accepted();
    answer.obstacle->relaxations[0].limit = {0, kind};
    EXPECT_THAT(obstacle_sentences(context_, answer)[2], HasSubstr(texts.second));
  }
}

/// The context's codec with a relation and a largest change.
TEST_F(ObstacleText, RelationsAndLargestChangesHaveOnesToo) {
  Schema schema = people::schema();
  schema.features[0].max_change = 12.5;
  schema.relations = {{.name = "covered", .sum = {{"debt", 2.0}}, .than = {{"income"}}}};
  const Codec codec = people::codec().with_schema(schema);
  const ReportContext context = answers::context(codec);
  EXPECT_EQ(limit_phrase(context, {0, LimitKind::max_change}),
            "Income may change by 12.5 k at most");
  EXPECT_EQ(limit_phrase(context, {0, LimitKind::relation}),
            "the relation 'covered' (2 debt at most Income)");
  Explanation answer = answers::nothing_accepted();
  answer.obstacle->kind = ObstacleKind::relations;
  answer.obstacle->limits = {{0, LimitKind::relation}, {2, LimitKind::fixed}};
  answer.obstacle->relaxations[0].kind = RelaxationKind::relation;
  answer.obstacle->relaxations[0].limit = {0, LimitKind::relation};
  const auto sentences = obstacle_sentences(context, answer);
  EXPECT_EQ(sentences[0], "No admissible change keeps all relations between the features.");
  EXPECT_EQ(sentences[1],
            "What holds it there: the relation 'covered' (2 debt at most Income); age cannot "
            "change.");
  EXPECT_THAT(sentences[2], HasSubstr("It would be possible if the relation 'covered' need not "
                                      "hold (Income 40 -> 90 k"));
  EXPECT_THAT(csv_line(context, answer), HasSubstr(",relations,,,relation:covered,"));
  const auto json = nlohmann::json::parse(json_line(context, answer)).at("obstacle");
  EXPECT_EQ(json.at("limits").at(0),
            nlohmann::json({{"relation", "covered"}, {"limit", "relation"}}));
  EXPECT_EQ(json.at("relaxations").at(0).at("kind"), "relation");
  EXPECT_EQ(json.at("relaxations").at(0).at("relation"), "covered");
  answer.obstacle->relaxations[0].kind = RelaxationKind::feature;
  answer.obstacle->relaxations[0].limit = {0, LimitKind::max_change};
  EXPECT_THAT(obstacle_sentences(context, answer)[2],
              HasSubstr("if Income could change by more than 12.5 k ("));
}

TEST_F(ObstacleText, LongListsAreCut) {
  Explanation answer = answers::nothing_accepted();
  answer.obstacle->limits.resize(6, {2, LimitKind::fixed});
  answer.obstacle->relaxations.resize(5, answer.obstacle->relaxations[0]);
  const auto sentences = obstacle_sentences(context_, answer);
  EXPECT_THAT(sentences[1], HasSubstr("; and 2 more."));
  EXPECT_THAT(sentences[2], HasSubstr("; lifting one of 2 other limits would give it too."));
  answer.obstacle->relaxations.clear();
  EXPECT_EQ(obstacle_sentences(context_, answer)[2],
            "Lifting one of these limits alone gives no certified answer.");
}

TEST_F(ObstacleText, EveryReportHasIt) {
  const Explanation answer = answers::nothing_accepted();
  const std::string text = text_block(context_, answer);
  EXPECT_THAT(text, HasSubstr("  There is no certified advice.\n  No admissible change was found"));
  EXPECT_EQ(csv_line(context_, answer),
            "4,infeasible,0,0.125,,,,,,,,no_valid_point,,,fixed:age,,,40,10,-500,rent\n");
  EXPECT_EQ(csv_line(context_, answers::out_of_reach()),
            "3,unmet,1,0.875,0.5,2,0.06,0.12345,0.999,200,0,target,0.125,0.13,target=0.14 "
            "noise=0.55,1,0,75,2.5,30,rent\n");
  const std::vector<Explanation> all{answer};
  EXPECT_THAT(html_page(context_, all), HasSubstr("<ul class=\"obstacle\">\n<li>No admissible"));
  EXPECT_THAT(html_page(context_, all), HasSubstr("Income 40 -&gt; 100 k"));
}

TEST_F(ObstacleText, JsonCarriesTheWholeStruct) {
  const auto json = nlohmann::json::parse(json_line(context_, answers::nothing_accepted()));
  const auto& obstacle = json.at("obstacle");
  EXPECT_EQ(obstacle.at("kind"), "no_valid_point");
  EXPECT_EQ(obstacle.at("proved"), false);
  EXPECT_EQ(obstacle.at("best").at("record").at("income"), "100");
  EXPECT_FALSE(obstacle.at("best").contains("lowest"));
  EXPECT_EQ(obstacle.at("limits").at(2), nlohmann::json({{"feature", "age"}, {"limit", "fixed"}}));
  const auto& freed = obstacle.at("relaxations").at(0);
  EXPECT_EQ(freed.at("kind"), "feature");
  EXPECT_EQ(freed.at("feature"), "age");
  EXPECT_EQ(freed.at("cost"), 1.25);
  EXPECT_EQ(freed.at("certified").at("upper"), 0.0452);
  EXPECT_EQ(obstacle.at("sentences").size(), 3);

  const auto reach = nlohmann::json::parse(json_line(context_, answers::out_of_reach()));
  EXPECT_EQ(reach.at("obstacle").at("best").at("lowest").at("rate"), 0.125);
  EXPECT_EQ(reach.at("obstacle").at("relaxations").at(1).at("value"), 0.55);
  EXPECT_FALSE(nlohmann::json::parse(json_line(context_, answers::found())).contains("obstacle"));
}

}  // namespace
}  // namespace croco
