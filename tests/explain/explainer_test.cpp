// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/explainer.hpp>

#include <algorithm>
#include <atomic>
#include <set>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Everything that an answer says, to compare two of them bit for bit.
std::string text_of(const Explanation& answer) {
  std::string out = fmt::format(
      "{} {} {} {} {} {} {:a} {:a} {:a} {} {}\n", answer.row, answer.where, name_of(answer.status),
      answer.reason, fmt::join(answer.before, ","), fmt::join(answer.after, ","),
      answer.score_before, answer.score, answer.distance.l1, answer.features_changed, answer.steps);
  for (const double value : answer.point) out += fmt::format("{:a} ", value);
  if (answer.method_bound) out += fmt::format("bound {:a} ", *answer.method_bound);
  if (answer.certificate) {
    out += fmt::format("{} of {}, {:a}", answer.certificate->invalid, answer.certificate->samples,
                       answer.certificate->upper);
  }
  return out;
}

std::vector<std::string> text_of(const std::vector<Explanation>& answers) {
  std::vector<std::string> out;
  for (const Explanation& answer : answers) out.push_back(text_of(answer));
  return out;
}

std::vector<Status> statuses(const std::vector<Explanation>& answers) {
  std::vector<Status> out;
  for (const Explanation& answer : answers) out.push_back(answer.status);
  return out;
}

std::vector<Explanation> explain(const ExplainOptions& options, const std::vector<Person>& people) {
  return people::explainer(options).explain(people);
}

TEST(Explainer, AnswersEveryKindOfPersonInOrder) {
  const auto answers = explain(people::options(), people::everyone());
  EXPECT_THAT(statuses(answers), ElementsAre(Status::found, Status::already, Status::infeasible,
                                             Status::unmet, Status::error, Status::found));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].row, i);
    EXPECT_EQ(answers[i].where, fmt::format("people.csv, line {}", i + 2));
    EXPECT_EQ(answers[i].before, people::everyone()[i].record);
    EXPECT_EQ(answers[i].certificate.has_value(), answers[i].has_advice());
    EXPECT_EQ(answers[i].target_met.has_value(), answers[i].has_advice());
  }
}

TEST(Explainer, FoundMeansThatTheMethodsRuleHolds) {
  const auto answers = explain(people::options(), {people::everyone()[0]});
  const Explanation& answer = answers.at(0);
  ASSERT_EQ(answer.status, Status::found);
  EXPECT_TRUE(answer.valid);
  EXPECT_GT(answer.score, 0.5);
  EXPECT_DOUBLE_EQ(answer.score_before, sigmoid(2.4 - 0.8 + 0.5 / 6 - 3));
  ASSERT_TRUE(answer.method_bound);
  EXPECT_LE(*answer.method_bound, 0.3);
  EXPECT_EQ(answer.reason, "");
  EXPECT_TRUE(*answer.target_met);
  EXPECT_LE(answer.certificate->upper, 0.3);
  EXPECT_EQ(answer.certificate->samples, 5000);
}

TEST(Explainer, UnmetHasAdviceAndSaysWhatItMisses) {
  const auto answers = explain(people::options(), {people::everyone()[3]});
  const Explanation& answer = answers.at(0);
  ASSERT_EQ(answer.status, Status::unmet);
  EXPECT_TRUE(answer.valid);
  EXPECT_THAT(answer.reason,
              testing::MatchesRegex("the bound of croco is [0-9.]+ %, above the target of 30 %"));
  EXPECT_EQ(answer.after[0], "100") << "all that the range allows";
  EXPECT_EQ(answer.after[1], "0");
}

TEST(Explainer, UnmetOfProbeNamesItsRate) {
  ExplainOptions options = people::options();
  options.method = Probe{.target = 0.001};
  const auto answers = explain(options, {people::everyone()[3]});
  ASSERT_EQ(answers.at(0).status, Status::unmet);
  EXPECT_THAT(answers[0].reason,
              testing::MatchesRegex(
                  "the rate that probe measured is [0-9.]+ %, above the target of 0.1 %"));
}

TEST(Explainer, InfeasibleHasNoAdvice) {
  const auto answers = explain(people::options(), {people::everyone()[2]});
  const Explanation& answer = answers.at(0);
  EXPECT_EQ(answer.status, Status::infeasible);
  EXPECT_FALSE(answer.has_advice());
  EXPECT_FALSE(answer.valid);
  EXPECT_EQ(answer.reason,
            "croco found no admissible change after which the model's answer is class 1");
}

TEST(Explainer, AlreadyNeedsNoSearch) {
  const auto answers = explain(people::options(), {people::everyone()[1]});
  EXPECT_EQ(answers.at(0).status, Status::already);
  EXPECT_EQ(answers[0].steps, 0);
  EXPECT_GT(answers[0].score_before, 0.5);
  EXPECT_EQ(answers[0].reason, "");
}

TEST(Explainer, SaysWhereARowIsBroken) {
  std::vector<Person> people{people::everyone()[4], people::everyone()[0]};
  people.push_back(people::person(7, {"nan", "0", "1", "own"}));
  people.push_back(people::person(8, {"1e400", "0", "1", "own"}));
  people.push_back(people::person(9, {"40", "0", "1"}));
  people.push_back(
      {.row = 10, .where = "people.csv, line 12", .record = {}, .problem = "line 12: no good"});
  const auto answers = explain(people::options(), people);
  EXPECT_THAT(statuses(answers), ElementsAre(Status::error, Status::found, Status::error,
                                             Status::error, Status::error, Status::error));
  EXPECT_THAT(answers[0].reason,
              StartsWith("people.csv, line 6, column 'home': 'castle' is no level"));
  EXPECT_THAT(answers[2].reason, StartsWith("people.csv, line 9, column 'income': "));
  EXPECT_TRUE(answers[2].missing) << "nan is how tables spell a missing value";
  EXPECT_THAT(answers[3].reason, HasSubstr("'1e400' is out of the range of a double"));
  EXPECT_FALSE(answers[3].missing);
  EXPECT_THAT(answers[4].reason, HasSubstr("has 3 values, but the schema has 4 features"));
  EXPECT_EQ(answers[5].reason, "line 12: no good");
}

TEST(Explainer, TellsExactlyThePointThatItCertifies) {
  ExplainOptions options = people::options();
  for (const Method& method :
       {Method(Croco{.target = 0.3}), Method(Wachter{}), Method(Probe{.target = 0.3})}) {
    options.method = method;
    for (const Explanation& answer : explain(options, people::everyone())) {
      if (!answer.has_advice()) continue;
      EXPECT_EQ(people::codec().encode(answer.after, "told"), answer.point) << name_of(method);
      EXPECT_EQ(answer.score, sigmoid(people::model()->logit(answer.point)));
      EXPECT_EQ(answer.valid, answer.score > 0.5);
      EXPECT_EQ(answer.distance.l1,
                distances(people::codec().space(), answer.origin, answer.point).l1);
    }
  }
}

TEST(Explainer, TellsWholeNumbersAndLeavesTheRestAsItWasWritten) {
  std::vector<Person> people{people::person(0, {"40.0", "1e1", " 30 ", "rent"})};
  ExplainOptions options = people::options();
  options.method = Wachter{};
  const auto answers = explain(options, people);
  const Explanation& answer = answers.at(0);
  ASSERT_EQ(answer.status, Status::found);
  EXPECT_THAT(answer.after[0], testing::MatchesRegex("[0-9]+"));
  EXPECT_EQ(answer.after[2], " 30 ");
  EXPECT_EQ(answer.after[3], "rent");
  EXPECT_EQ(answer.features_changed, 2);
  EXPECT_LT(std::stod(answer.after[1]), 10) << "debt may only fall";
}

TEST(Explainer, RoundsOutwardWhereTheNearestStepIsRefused) {
  Schema schema = people::schema();
  schema.features[0].step = 50;
  schema.features[1].movement = Movement::fixed;
  const Codec codec(schema, people::codec().scales());
  // Income 60.7 is the least that is accepted: 50 is nearer, but only 100 keeps the answer.
  ExplainOptions options = people::options();
  options.method = Wachter{};
  const Explainer explainer(people::model(), codec, options);
  const std::vector<Person> people{people::person(0, {"40", "8", "30", "rent"})};
  const auto answers = explainer.explain(people);
  ASSERT_EQ(answers.at(0).status, Status::found);
  EXPECT_EQ(answers[0].after[0], "100");
  EXPECT_TRUE(answers[0].valid);
}

TEST(Explainer, SaysWhenRoundingLosesTheAnswer) {
  Schema schema = people::schema();
  schema.features[0].step = 50;
  schema.features[0].maximum = 80;
  schema.features[1].movement = Movement::fixed;
  ExplainOptions options = people::options();
  options.method = Wachter{};
  const Explainer explainer(people::model(), Codec(schema, people::codec().scales()), options);
  const std::vector<Person> people{people::person(0, {"40", "8", "30", "rent"})};
  const auto answers = explainer.explain(people);
  EXPECT_EQ(answers.at(0).status, Status::infeasible);
  EXPECT_EQ(answers[0].reason,
            "wachter found a change that the model accepts, but not after rounding it to whole "
            "steps");
  EXPECT_FALSE(answers[0].certificate);
}

TEST(Explainer, MissingValuesAreErrorsUnlessImputed) {
  const std::vector<Person> people{people::person(0, {"40", "?", "30", "rent"}),
                                   people::person(1, {"40", "10", "30", "rent"}),
                                   people::person(2, {"40", "10", "30", ""})};
  ExplainOptions options = people::options();
  for (const MissingPolicy policy : {MissingPolicy::error, MissingPolicy::drop}) {
    options.missing = policy;
    const auto answers = explain(options, people);
    EXPECT_THAT(statuses(answers), ElementsAre(Status::error, Status::found, Status::error));
    EXPECT_TRUE(answers[0].missing);
    EXPECT_FALSE(answers[1].missing);
    EXPECT_THAT(answers[2].reason,
                StartsWith("people.csv, line 4, column 'home': the value is missing ('')"));
  }
  options.missing = MissingPolicy::impute;
  const auto answers = explain(options, people);
  EXPECT_THAT(statuses(answers), ElementsAre(Status::found, Status::found, Status::found));
  // The typical debt is 10 and the typical home is rent, as the middle person has them.
  EXPECT_EQ(answers[0].origin, answers[1].origin);
  EXPECT_EQ(answers[0].point, answers[1].point);
  EXPECT_EQ(answers[2].point, answers[1].point);
  EXPECT_EQ(answers[2].after[3], "rent") << "what is certified is what is told";
  EXPECT_EQ(answers[2].before[3], "");
}

TEST(SlowExplainer, AnswersDependOnTheRowAlone) {
  ExplainOptions options = people::options();
  for (const bool shared : {true, false}) {
    options.shared_draws = shared;
    options.threads = 1;
    std::vector<Person> people = people::everyone();
    for (std::size_t row = 6; row < 40; ++row) {
      people.push_back(
          people::person(row, {std::to_string(row), std::to_string(row % 7), "30", "rent"}));
    }
    const auto expected = text_of(explain(options, people));

    options.threads = 4;
    EXPECT_EQ(text_of(explain(options, people)), expected) << "threads";

    std::vector<Person> reversed(people.rbegin(), people.rend());
    auto answers = text_of(explain(options, reversed));
    std::ranges::reverse(answers);
    EXPECT_EQ(answers, expected) << "order";

    const Explainer explainer = people::explainer(options);
    std::vector<std::string> batched;
    for (const Person& person : people) {
      batched.push_back(text_of(explainer.explain(std::span(&person, 1)).at(0)));
    }
    EXPECT_EQ(batched, expected) << "batches of one";
  }
}

TEST(Explainer, OwnDrawsDifferBetweenPeople) {
  ExplainOptions options = people::options();
  std::vector<Person> twins;
  for (std::size_t row = 0; row < 8; ++row) {
    twins.push_back(people::person(row, people::everyone()[0].record));
  }
  const auto failures = [&] {
    std::set<std::size_t> counts;
    for (const Explanation& answer : explain(options, twins)) {
      counts.insert(answer.certificate->invalid);
    }
    return counts.size();
  };
  options.method = Wachter{};
  EXPECT_EQ(failures(), 1);
  options.shared_draws = false;
  EXPECT_GT(failures(), 1);
}

TEST(Explainer, SeedsChangeTheDraws) {
  ExplainOptions options = people::options();
  options.method = Wachter{};
  const auto first = explain(options, {people::everyone()[0]});
  options.seed = 1;
  const auto second = explain(options, {people::everyone()[0]});
  EXPECT_EQ(first.at(0).point, second.at(0).point) << "Wachter knows no noise";
  EXPECT_NE(first[0].certificate->invalid, second[0].certificate->invalid);
  EXPECT_EQ(second[0].certificate->seed, 1);
}

TEST(Explainer, SearchesInBothDirections) {
  ExplainOptions options = people::options();
  options.goal = Goal(0.5, 0);
  const auto answers = explain(options, {people::everyone()[1], people::everyone()[0]});
  EXPECT_THAT(statuses(answers), ElementsAre(Status::found, Status::already));
  EXPECT_TRUE(answers[0].valid);
  EXPECT_LT(answers[0].score, 0.5);
  EXPECT_LT(std::stod(answers[0].after[0]), 95);
}

/// Requests a stop when its gradient has been asked for so many times.
class StoppingModel final : public Model, private Gradient {
 public:
  StoppingModel(std::size_t limit, std::stop_source& source) : limit_(limit), source_(source) {}

  [[nodiscard]] std::size_t width() const noexcept override { return model_->width(); }
  void logits(Rows rows, MutableView out) const override { model_->logits(rows, out); }
  [[nodiscard]] const Gradient* gradient() const noexcept override { return this; }
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override {
    return model_->bind(draws);
  }

 private:
  double logit_gradient(View point, MutableView gradient) const override {
    if (++calls_ == limit_) source_.request_stop();
    return model_->gradient()->logit_gradient(point, gradient);
  }

  std::shared_ptr<const Mlp> model_ = people::model();
  std::size_t limit_;
  std::stop_source& source_;
  mutable std::atomic<std::size_t> calls_{0};
};

TEST(Explainer, AStopLeavesCompleteAnswersOnly) {
  std::vector<Person> people;
  for (std::size_t row = 0; row < 10; ++row) {
    people.push_back(people::person(row, {std::to_string(20 + row), "10", "30", "rent"}));
  }
  // A method that leads people one by one.
  ExplainOptions options = people::options();
  options.method = Wachter{};
  const auto whole = explain(options, people);
  const auto expected = text_of(whole);
  std::stop_source source;
  // In the third person's search: every step asks for the gradient once.
  const auto model =
      std::make_shared<StoppingModel>(whole[0].steps + whole[1].steps + whole[2].steps / 2, source);
  const Explainer explainer(model, people::codec(), options);
  const auto answers = explainer.explain(people, source.get_token());
  EXPECT_EQ(text_of(answers), std::vector(expected.begin(), expected.begin() + 2));
  EXPECT_TRUE(explainer.explain(people, source.get_token()).empty()) << "stopped before it began";
}

TEST(Explainer, RefusesPartsThatDoNotFit) {
  const auto make = [](const ExplainOptions& options) { return people::explainer(options); };
  ExplainOptions options = people::options();
  options.method = Croco{.target = 1.5};
  EXPECT_EQ(message_of<InvalidArgument>([&] { return make(options); }),
            "target is 1.5; it must be greater than 0 and less than 1");
  options = people::options();
  options.certify.samples = 0;
  EXPECT_THAT(message_of<InvalidArgument>([&] { return make(options); }),
              StartsWith("samples is 0; it must be between 1 and "));
  options = people::options();
  options.noise->column_scales = {0.1, 0.2};
  EXPECT_EQ(message_of<InvalidArgument>([&] { return make(options); }),
            "the noise has 2 column scales; the model has 5 columns");
  options = people::options();
  options.method = Probe{};
  options.noise->shape = NoiseShape::laplace;
  EXPECT_THAT(message_of<InvalidArgument>([&] { return make(options); }),
              StartsWith("method probe with noise laplace:scale=0.05 on continuous columns"));
  const auto narrow = std::make_shared<const Mlp>(fixtures::logistic({1, 1}, 0));
  EXPECT_EQ(
      message_of<ModelError>([&] { return Explainer(narrow, people::codec(), people::options()); }),
      "the model takes 2 columns; the data give 5");
}

TEST(Explainer, TakesTheSchemasNoiseOrAnAssumedOne) {
  ExplainOptions options = people::options();
  options.noise.reset();
  const Explainer assumed(people::model(), people::codec(), options);
  EXPECT_EQ(assumed.noise_source(), NoiseSource::assumed);
  EXPECT_EQ(assumed.noise(), (Noise{.scale = 0.1, .scope = NoiseScope::continuous}));
  Schema schema = people::schema();
  schema.features[0].noise.sd = 2;
  const Explainer stated(people::model(), people::codec().with_schema(schema), options);
  EXPECT_EQ(stated.noise_source(), NoiseSource::schema);
  EXPECT_EQ(stated.noise(), schema_noise(stated.codec()));
  EXPECT_EQ(people::explainer().noise_source(), NoiseSource::given);
}

TEST(Explainer, RefusesACertificatePlanOfItsOwn) {
  ExplainOptions options = people::options();
  options.method = Certified{.target = 0.1, .certificate = CertificatePlan{.samples = 10}};
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] { return people::explainer(options); }),
            "certificate is given with method certified; it follows from the options of the "
            "certificates that are issued");
}

}  // namespace
}  // namespace croco
