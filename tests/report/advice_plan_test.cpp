// SPDX-License-Identifier: Apache-2.0
#include <croco/report/advice_plan.hpp>

#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include <croco/base/random.hpp>
#include <croco/report/writer.hpp>
#include <croco/space/distance.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A credit: two numbers with phrases, one without, and two categories.
Schema credit_schema() {
  return {.label = {"risk", "good", "bad"},
          .features = {{.name = "amount",
                        .label = "amount of the credit",
                        .unit = "DM",
                        .step = 50,
                        .advice = {.any = "ask for {to} instead of {from}"}},
                       {.name = "savings",
                        .type = FeatureType::categorical,
                        .movement = Movement::both,
                        .label = "savings",
                        .levels = {"<100", ">=1000", "unknown"},
                        .moves = {{"<100", ">=1000", 0.5, "save at least 1,000 DM"},
                                  {"unknown", ">=1000", 0.6, {}}}},
                       {.name = "duration",
                        .label = "duration",
                        .unit = "months",
                        .unit_one = "month",
                        .step = 1,
                        .advice = {.of = {{"up", "pay back {by} later, over {to}"},
                                          {"down", "pay back over {to} instead of {from}"}}}},
                       {.name = "credits", .cost = 2, .step = 1},
                       {.name = "phone",
                        .type = FeatureType::categorical,
                        .movement = Movement::both,
                        .cost = 0.25,
                        .levels = {"none", "yes"},
                        .advice = {.of = {{"yes", "get a telephone"}}}}}};
}

class AdvicePlanTest : public testing::Test {
 protected:
  AdvicePlanTest() {
    context_.noise = Noise{.column_scales = {0.025, 1.0 / 50, 0, 0, 0, 0, 0, 0}};
    context_.noise.flips = {LevelFlips({3, 3}, {0.98, 0.01, 0.01, 0.03, 0.96, 0.01, 0, 0, 1})};
  }

  /// The plan from one record to another, with a certificate unless it is taken away.
  [[nodiscard]] AdvicePlan plan(const Record& before, const Record& after) const {
    const Vector origin = codec_.encode(before, "before");
    const Vector point = codec_.encode(after, "after");
    const Distances distance = distances(codec_.space(), origin, point);
    return make_advice_plan(context_, {.before = before,
                                       .after = after,
                                       .origin = origin,
                                       .point = point,
                                       .certificate = certificate_,
                                       .distance = distance,
                                       .valid = valid_});
  }

  Codec codec_{credit_schema(),
               {{0, 10000, "2000"}, {0, 1, "<100"}, {0, 50, "24"}, {0, 4, "1"}, {0, 1, "none"}}};
  ReportContext context_ = answers::context(codec_);
  std::optional<Certificate> certificate_ = answers::found().certificate;
  bool valid_ = true;
  Record person_ = {"6100", "<100", "24", "1", "none"};
};

TEST_F(AdvicePlanTest, IsAParagraphThatCanBeFollowed) {
  const AdvicePlan two = plan(person_, {"4200", "<100", "18", "1", "none"});
  EXPECT_EQ(two.action,
            "Ask for 4,200 DM instead of 6,100 DM and pay back over 18 months instead of 24 "
            "months.");
  EXPECT_EQ(two.outlook,
            "Even if you miss the amount of the credit by about 250 DM and the duration by about 1 "
            "month, with noise on the savings, the answer stays 'good' in at least 95.4 of 100 "
            "cases (99.9 % confidence).");
  const AdvicePlan mixed = plan(person_, {"4200", ">=1000", "24", "1", "yes"});
  EXPECT_EQ(mixed.action,
            "Ask for 4,200 DM instead of 6,100 DM, save at least 1,000 DM and get a telephone.");
  EXPECT_EQ(mixed.outlook,
            "Even if you miss the amount of the credit by about 250 DM and the savings in 4 of 100 "
            "cases, with the rest done as said and noise on the duration, the answer stays 'good' "
            "in at least 95.4 of 100 cases (99.9 % confidence).");
}

TEST_F(AdvicePlanTest, OneChangeIsOneStep) {
  const AdvicePlan one = plan(person_, {"6100", "<100", "25", "1", "none"});
  EXPECT_EQ(one.action, "Pay back 1 month later, over 25 months.");
  ASSERT_EQ(one.steps.size(), 1);
  EXPECT_EQ(one.steps[0].name, "duration");
  EXPECT_EQ(one.steps[0].from, "24 months");
  EXPECT_EQ(one.steps[0].to, "25 months");
  EXPECT_FALSE(one.steps[0].category);
  EXPECT_NEAR(one.steps[0].price, 0.02, 1e-12);
  ASSERT_TRUE(one.steps[0].noise);
  EXPECT_EQ(one.steps[0].noise->kind, "sd");
  EXPECT_DOUBLE_EQ(one.steps[0].noise->value, 1);
  EXPECT_EQ(one.steps[0].noise->text, "about 1 month");
}

TEST_F(AdvicePlanTest, ManyChangesAreAList) {
  const AdvicePlan many = plan(person_, {"1000", ">=1000", "12", "0", "yes"});
  EXPECT_EQ(
      many.action,
      "Do all of this: ask for 1,000 DM instead of 6,100 DM; save at least 1,000 DM; pay back "
      "over 12 months instead of 24 months; lower credits from 1 to 0; get a telephone.");
}

TEST_F(AdvicePlanTest, WithoutPhrasesThereAreUsualWords) {
  const AdvicePlan words =
      plan({"6100", "unknown", "24", "1", "yes"}, {"6100", ">=1000", "24", "3", "none"});
  EXPECT_EQ(words.action,
            "Change the savings from 'unknown' to '>=1000', raise credits from 1 to 3 and change "
            "phone from 'yes' to 'none'.");
  EXPECT_EQ(plan(person_, person_).action, "Change nothing.");
}

TEST_F(AdvicePlanTest, ExactStepsAreSaidToBeExact) {
  EXPECT_EQ(plan(person_, {"6100", "<100", "24", "1", "yes"}).outlook,
            "Carried out exactly, with noise on 3 other entries, the answer stays 'good' in at "
            "least 95.4 of 100 cases (99.9 % confidence).");
  context_.noise = Noise{.column_scales = Vector(8, 0.0)};
  EXPECT_EQ(plan(person_, {"6100", "<100", "24", "1", "yes"}).outlook,
            "Carried out exactly, this makes the answer 'good'.");
  // A level that is never got wrong.
  context_.noise.flips = {LevelFlips({3, 3}, {0.9, 0.1, 0, 0, 1, 0, 0, 0, 1})};
  EXPECT_FALSE(plan(person_, {"6100", ">=1000", "24", "1", "none"}).steps[0].noise);
}

TEST_F(AdvicePlanTest, EveryNoiseHasItsWords) {
  const Record after{"4200", "<100", "24", "1", "none"};
  const auto text = [&] { return plan(person_, after).steps.at(0).noise.value().text; };
  context_.noise = Noise{.shape = NoiseShape::uniform, .scale = 0.1};
  EXPECT_EQ(text(), "up to 1,000 DM");
  EXPECT_THAT(plan(person_, after).outlook,
              HasSubstr("by up to 1,000 DM, with noise on 4 other entries,"));
  context_.noise = Noise{.shape = NoiseShape::laplace, .scale = 0.1, .scope = NoiseScope::changed};
  EXPECT_EQ(
      plan(person_, after).outlook,
      "Even if you miss the amount of the credit by about 1,000 DM, the answer stays 'good' in "
      "at least 95.4 of 100 cases (99.9 % confidence).");
  context_.noise.falls_short = true;
  context_.noise.flips = {LevelFlips({3, 3}, {0.98, 0.01, 0.01, 0.03, 0.96, 0.01, 0, 0, 1})};
  EXPECT_THAT(plan(person_, {"4200", ">=1000", "18", "1", "none"}).outlook,
              HasSubstr("Even if you fall short of the amount of the credit by about 1,000 DM and "
                        "the duration by about 5 months and miss the savings in 4 of 100 cases,"));
  context_.noise = Noise{.shape = NoiseShape::empirical};
  context_.noise.residuals = {{0}, Matrix(2, 1)};
  context_.noise.residuals.rows.data = {0.03, -0.04};
  EXPECT_EQ(text(), "about 353 DM");
  Matrix matrix(2, 2);
  matrix.data = {0.0004, 0.0001, 0.0001, 0.0004};
  context_.noise = Noise{.shape = NoiseShape::correlated};
  context_.noise.covariance = Covariance({0, 1}, matrix);
  EXPECT_EQ(text(), "about 200 DM");
}

TEST_F(AdvicePlanTest, PromisesAreThoseOfTheCertificate) {
  const Record after{"4200", "<100", "24", "1", "none"};
  ASSERT_TRUE(plan(person_, after).promise);
  EXPECT_DOUBLE_EQ(plan(person_, after).promise->cases, 95.4);
  EXPECT_EQ(plan(person_, after).promise->confidence, 0.999);
  EXPECT_EQ(plan(person_, after).promise->target_met, true);
  certificate_->upper = 0.05001;
  certificate_->family = 1200;
  EXPECT_THAT(
      plan(person_, after).outlook,
      HasSubstr("at least 94.9 of 100 cases (99.9 % confidence for all 1,200 answers together), "
                "fewer than the 95 asked for."));
  EXPECT_EQ(plan(person_, after).promise->target_met, false);
  context_.target = 0.00004;
  EXPECT_THAT(plan(person_, after).outlook, HasSubstr("fewer than the 99.996 asked for."));
  context_.target.reset();
  EXPECT_THAT(plan(person_, after).outlook, HasSubstr("answers together)."));
  EXPECT_FALSE(plan(person_, after).promise->target_met);
  certificate_ = Certificate{.bound = BoundKind::exact, .rate = 0.049, .upper = 0.049};
  EXPECT_THAT(plan(person_, after).outlook, HasSubstr("at least 95.1 of 100 cases (exact)."));
  certificate_.reset();
  EXPECT_EQ(plan(person_, after).outlook, "No certificate says how often noise undoes this.");
  EXPECT_FALSE(plan(person_, after).promise);
}

TEST_F(AdvicePlanTest, NothingIsPromisedOfAdviceThatDoesNotWork) {
  valid_ = false;
  const AdvicePlan refused = plan(person_, {"4200", "<100", "24", "1", "none"});
  EXPECT_EQ(refused.outlook, "The answer does not become 'good' with this.");
  EXPECT_FALSE(refused.promise);
  EXPECT_EQ(refused.steps.size(), 1);
}

TEST_F(AdvicePlanTest, AValueThatWasMissingIsUnknown) {
  const Record before{"NA", "<100", "24", "1", "none"};
  const Record after{"4200", "<100", "24", "1", "none"};
  const Vector origin = codec_.encode(before, "before", MissingPolicy::impute);
  const Vector point = codec_.encode(after, "after");
  const Distances distance = distances(codec_.space(), origin, point);
  EXPECT_EQ(
      make_advice_plan(context_, {before, after, origin, point, certificate_, distance}).action,
      "Ask for 4,200 DM instead of unknown.");
}

TEST_F(AdvicePlanTest, HoldsEveryChangeOnceWithTheToldValues) {
  Sequence random({7, Purpose::search});
  const std::vector<Feature>& features = codec_.schema().features;
  const auto record = [&] {
    Record out;
    for (const Feature& feature : features) {
      const auto below = [&](double n) { return std::floor(random.uniform() * n); };
      out.push_back(feature.type == FeatureType::categorical
                        ? feature.levels[static_cast<std::size_t>(
                              below(static_cast<double>(feature.levels.size())))]
                        : std::to_string(static_cast<int>(below(5) * 50)));
    }
    return out;
  };
  for (int trial = 0; trial < 300; ++trial) {
    const Record before = record();
    const Record after = record();
    const AdvicePlan made = plan(before, after);
    std::set<std::size_t> told;
    double cost = 0;
    for (const PlanStep& step : made.steps) {
      EXPECT_TRUE(told.insert(step.feature).second) << "twice: " << step.name;
      EXPECT_THAT(step.to, testing::StartsWith(after[step.feature]));
      EXPECT_THAT(step.from, testing::StartsWith(before[step.feature]));
      EXPECT_GT(step.price, 0);
      cost += step.price;
    }
    for (std::size_t f = 0; f < features.size(); ++f) {
      EXPECT_EQ(told.contains(f), before[f] != after[f]) << features[f].name;
    }
    EXPECT_NEAR(cost, made.cost, 1e-12);
    // A noisy feature is either touched or beside the plan.
    EXPECT_EQ(made.other_noise.size() + (told.contains(0) ? 1U : 0U) +
                  (told.contains(2) ? 1U : 0U) + (told.contains(1) ? 1U : 0U),
              3U);
  }
}

TEST_F(AdvicePlanTest, OfAnAnswerIsThatOfItsAdvice) {
  const Codec codec = people::codec();
  const ReportContext context = answers::context(codec);
  EXPECT_FALSE(advice_plan(context, answers::infeasible()));
  EXPECT_FALSE(advice_plan(context, answers::already()));
  const std::optional<AdvicePlan> found = advice_plan(context, answers::found());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->action, "Raise the Income from 40 k to 75 k and lower debt from 10 to 2.5.");
  EXPECT_EQ(found->outlook,
            "Even if you miss the Income by about 10 k and debt by about 5, with noise on age, the "
            "answer stays 'yes' in at least 95.4 of 100 cases (99.9 % confidence).");
  EXPECT_THAT(found->other_noise, ElementsAre("age"));
}

TEST_F(AdvicePlanTest, CategoriesOfThePlanWithNoisyColumnsAreNotSaidToBeExact) {
  context_.noise = Noise{.scale = 0.1};
  const AdvicePlan both = plan(person_, {"6100", ">=1000", "24", "1", "yes"});
  EXPECT_EQ(both.outlook,
            "Carried out with noise on the savings, phone and 3 other entries, the answer stays "
            "'good' in at least 95.4 of 100 cases (99.9 % confidence).");
  EXPECT_EQ(both.other_noise.size(), 3) << "those that stay";
  ASSERT_TRUE(both.steps[0].noise);
  EXPECT_EQ(both.steps[0].noise->kind, "blur");
  EXPECT_EQ(both.steps[0].noise->value, 0.1);
  EXPECT_EQ(both.steps[0].noise->text, "noise on its encoded columns");
  EXPECT_THAT(
      plan(person_, {"4200", ">=1000", "24", "1", "none"}).outlook,
      HasSubstr("Even if you miss the amount of the credit by about 1,000 DM, with noise on "
                "the savings and 3 other entries, the answer stays"));
  // Of what the advice changes, numbers alone are noisy.
  context_.noise.scope = NoiseScope::changed;
  EXPECT_EQ(plan(person_, {"6100", ">=1000", "24", "1", "none"}).outlook,
            "Carried out exactly, this makes the answer 'good'.");
}

TEST_F(AdvicePlanTest, PresentValuesAreShortAndToldOnesWhole) {
  const AdvicePlan made = plan({"6100.123456789", "<100", "24", "1", "none"},
                               {"4200.123456789", "<100", "24", "1", "none"});
  EXPECT_EQ(made.steps[0].from, "6,100 DM");
  EXPECT_EQ(made.steps[0].to, "4,200.123456789 DM");
}

TEST_F(AdvicePlanTest, EncodedColumnsOfCategoriesAreCountedByCategory) {
  const Codec codec = people::codec();
  ReportContext context = answers::context(codec);
  context.noise.scope = NoiseScope::all;
  EXPECT_THAT(advice_plan(context, answers::found())->other_noise, ElementsAre("age", "home"));
}

}  // namespace
}  // namespace croco
