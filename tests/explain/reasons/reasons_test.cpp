// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/reasons/reasons.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>

#include <gmock/gmock.h>

#include <croco/base/bounds.hpp>
#include <croco/base/normal.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/invalidation.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

enum FeatureIndex : std::size_t { kIncome = 0, kDebt = 1, kAge = 2, kHome = 3 };

/// The deviation of the logit under the noise of `people::options()`.
const double kDeviation = 0.05 * std::sqrt(36 + 16 + 0.25);

ExplainOptions certified(double target, std::size_t samples = 20'000) {
  ExplainOptions options = people::options();
  options.method = Certified{.target = target, .search_samples = 1024, .calibration_samples = 8192};
  options.certify.samples = samples;
  return options;
}

Explanation explain_one(const ExplainOptions& options, const Person& person,
                        const Codec& codec = people::codec()) {
  return Explainer(people::model(), codec, options).explain({&person, 1}).at(0);
}

const Relaxation* find(const Obstacle& obstacle, RelaxationKind kind) {
  const auto found = std::ranges::find(obstacle.relaxations, kind, &Relaxation::kind);
  return found == obstacle.relaxations.end() ? nullptr : &*found;
}

/// Accepted at best with a logit of .75, which noise undoes at a known rate.
Person nearly() { return people::everyone()[3]; }
const double kLowestRate = normal_cdf(-0.75 / kDeviation);

TEST(Reasons, SayThatNothingIsAccepted) {
  // A logit of -1.33 at best, all income and no debt.
  const Explanation answer = explain_one(certified(0.05), people::everyone()[2]);
  ASSERT_EQ(answer.status, Status::infeasible);
  ASSERT_TRUE(answer.obstacle);
  const Obstacle& obstacle = *answer.obstacle;
  EXPECT_EQ(obstacle.kind, ObstacleKind::no_valid_point);
  EXPECT_TRUE(obstacle.proved);
  EXPECT_FALSE(obstacle.valid);
  EXPECT_FALSE(obstacle.lowest);
  EXPECT_THAT(obstacle.record, ElementsAre("100", "0", "-500", "rent"));
  EXPECT_NEAR(obstacle.score, sigmoid(6 + 0.5 * (-520.0 / 60) - 3), 1e-12);
  // The steepest first: 1/2 of a home that is owned; 6 per unit of income, 4 of debt, 1/2 of age,
  // of which a twentieth is looked at.
  EXPECT_THAT(obstacle.limits,
              ElementsAre(Limit{kHome, LimitKind::fixed}, Limit{kIncome, LimitKind::maximum},
                          Limit{kDebt, LimitKind::minimum}, Limit{kAge, LimitKind::fixed}));
  EXPECT_EQ(find(obstacle, RelaxationKind::target), nullptr);
  EXPECT_EQ(find(obstacle, RelaxationKind::noise), nullptr);
  // More income, or another age; a debt below zero would do as well, but there is no such thing.
  std::vector<Limit> freed;
  for (const Relaxation& relaxation : obstacle.relaxations) freed.push_back(relaxation.limit);
  EXPECT_THAT(freed,
              ElementsAre(Limit{kIncome, LimitKind::maximum}, Limit{kAge, LimitKind::fixed}));
  const Relaxation& income = obstacle.relaxations[0];
  EXPECT_GT(std::stod(income.after[kIncome]), 100);
  EXPECT_LE(std::stod(income.after[kIncome]), 150) << "half of its range further";
  EXPECT_EQ(income.after[kAge], "-500");
  EXPECT_LE(income.certificate.upper, 0.05);
  EXPECT_LE(obstacle.relaxations[0].distance.cost, obstacle.relaxations[1].distance.cost);
}

TEST(Reasons, MeasureTheLowestRateWithinReach) {
  const Explanation answer = explain_one(certified(0.01), nearly());
  ASSERT_EQ(answer.status, Status::unmet);
  ASSERT_TRUE(answer.obstacle);
  const Obstacle& obstacle = *answer.obstacle;
  EXPECT_EQ(obstacle.kind, ObstacleKind::target);
  EXPECT_THAT(obstacle.record, ElementsAre("100", "0", "-250", "rent"));
  ASSERT_TRUE(obstacle.lowest);
  EXPECT_EQ(obstacle.lowest->purpose, Purpose::reasons);
  EXPECT_NEAR(obstacle.lowest->rate, kLowestRate, 4 * std::sqrt(kLowestRate / 20'000));
  EXPECT_GT(obstacle.lowest->upper, kLowestRate);
  EXPECT_FALSE(obstacle.samples_needed);
}

TEST(Reasons, RelaxationsAreSolvedAndTight) {
  const Explanation answer = explain_one(certified(0.01), nearly());
  const Obstacle& obstacle = answer.obstacle.value();
  const Relaxation* target = find(obstacle, RelaxationKind::target);
  ASSERT_NE(target, nullptr);
  EXPECT_GT(target->value, kLowestRate);
  EXPECT_LT(target->value, 1.45 * kLowestRate);
  EXPECT_LE(target->certificate.upper, target->value);
  EXPECT_DOUBLE_EQ(target->value * 1000, std::round(target->value * 1000));

  // At a factor f the rate is Phi(-.75 / (f sd)); certifying .01 takes a little below it.
  const Relaxation* noise = find(obstacle, RelaxationKind::noise);
  ASSERT_NE(noise, nullptr);
  const double exact = 0.75 / (kDeviation * normal_quantile(0.99));
  EXPECT_LE(noise->value, exact);
  EXPECT_GE(noise->value, exact - 0.1);
  EXPECT_LE(noise->certificate.upper, 0.01);
  // All that is told holds together with the confidence of the run; this is one of five looks.
  EXPECT_EQ(noise->certificate.confidence, 0.999);
  EXPECT_LE(1 - noise->certificate.bound_confidence,
            0.001 * sentence_share(Sentence::relaxed_noise, 5) / 2);
}

TEST(Reasons, NothingIsSaidThatNoErrorIsLeftFor) {
  ExplainOptions options = certified(0.01);
  options.certify.family = 9'000'000;
  const Explanation answer = explain_one(options, nearly());
  ASSERT_TRUE(answer.obstacle);
  EXPECT_TRUE(answer.obstacle->lowest);
  EXPECT_TRUE(answer.obstacle->relaxations.empty());
}

/// Each relaxed answer, on draws that nothing has seen.
TEST(Reasons, RelaxationsHoldOnOtherDraws) {
  const ExplainOptions options = certified(0.01);
  for (const std::size_t row : {std::size_t{2}, std::size_t{3}}) {
    const Explanation answer = explain_one(options, people::everyone()[row]);
    ASSERT_TRUE(answer.obstacle);
    ASSERT_FALSE(answer.obstacle->relaxations.empty());
    for (const Relaxation& relaxation : answer.obstacle->relaxations) {
      Noise noise = *options.noise;
      if (relaxation.kind == RelaxationKind::noise) noise.scale *= relaxation.value;
      const double target = relaxation.kind == RelaxationKind::target ? relaxation.value : 0.01;
      const Codec codec = people::codec();
      const auto model = people::model();
      const Problem problem{*model, codec.space(), noise, options.goal, 99, true};
      const Vector point = codec.encode(relaxation.after, "told");
      const Advice advice{answer.origin, point, 0};
      EXPECT_LE(tally(problem, {&advice, 1}, {.samples = 200'000})[0].rate(), target)
          << name_of(relaxation.kind);
      EXPECT_DOUBLE_EQ(relaxation.distance.l1, distances(codec.space(), answer.origin, point).l1);
    }
  }
}

TEST(Reasons, SayHowManyDrawsWouldDo) {
  const double target = 1.1 * kLowestRate;
  const Explanation few = explain_one(certified(target, 5000), nearly());
  ASSERT_EQ(few.status, Status::undecided);
  ASSERT_TRUE(few.obstacle);
  EXPECT_EQ(few.obstacle->kind, ObstacleKind::samples);
  // The rate itself is only known from 5,000 draws; what follows from the true one is enough.
  const auto needed = samples_to_certify(kLowestRate, target, 0.999);
  ASSERT_TRUE(needed);
  EXPECT_GT(*needed, 5000);
  EXPECT_EQ(explain_one(certified(target, *needed), nearly()).status, Status::found);
}

TEST(SamplesToCertify, AreTheFewestWithinAFewPerCent) {
  const auto passes = [](std::size_t samples) {
    const auto n = static_cast<double>(samples);
    const auto most = largest_passing_count(samples, 0.05, attempt_confidence(0.999, 0));
    return most && static_cast<double>(*most) - 2 * std::sqrt(n * 0.05 * 0.95) >= 0.04 * n;
  };
  const auto needed = samples_to_certify(0.04, 0.05, 0.999);
  ASSERT_TRUE(needed);
  EXPECT_TRUE(passes(*needed));
  EXPECT_FALSE(passes(*needed * 9 / 10));
  const auto hoeffding = samples_to_certify(0.04, 0.05, 0.999, BoundKind::hoeffding);
  ASSERT_TRUE(hoeffding);
  // sqrt(ln(1 / alpha) / (2 n)) and two deviations fill the gap of .01.
  const auto n = static_cast<double>(*hoeffding);
  EXPECT_NEAR(std::sqrt(std::log(1 / 0.0005) / (2 * n)) + 2 * std::sqrt(0.05 * 0.95 / n), 0.01,
              2e-4);
  EXPECT_FALSE(samples_to_certify(0.05, 0.05, 0.999));
  EXPECT_FALSE(samples_to_certify(0.06, 0.05, 0.999));
  EXPECT_FALSE(samples_to_certify(0.05 - 1e-9, 0.05, 0.999)) << "more than 2^40";
}

TEST(Reasons, SeeWhatLiesBetweenTheSteps) {
  Schema schema = people::schema();
  schema.features[kIncome].step = 50;
  schema.features[kIncome].maximum = 80;
  schema.features[kDebt].movement = Movement::fixed;
  const Codec codec(schema, people::codec().scales());
  const Explanation answer =
      explain_one(certified(0.3), people::person(0, {"40", "8", "30", "rent"}), codec);
  ASSERT_EQ(answer.status, Status::infeasible);
  ASSERT_TRUE(answer.obstacle);
  EXPECT_EQ(answer.obstacle->kind, ObstacleKind::steps);
  EXPECT_EQ(answer.obstacle->limits.at(0), (Limit{kIncome, LimitKind::step}));
  const auto& list = answer.obstacle->relaxations;
  const auto step =
      std::ranges::find(list, LimitKind::step, [](const Relaxation& r) { return r.limit.kind; });
  ASSERT_NE(step, list.end());
  EXPECT_GT(std::stod(step->after[kIncome]), 60);
  EXPECT_LE(std::stod(step->after[kIncome]), 80);
}

TEST(Reasons, NameDirections) {
  Schema schema = people::schema();
  schema.features[kIncome].movement = Movement::down;
  schema.features[kDebt].movement = Movement::up;
  const Codec codec(schema, people::codec().scales());
  const Explanation answer =
      explain_one(certified(0.3), people::person(0, {"40", "8", "30", "rent"}), codec);
  ASSERT_TRUE(answer.obstacle);
  EXPECT_THAT(answer.obstacle->limits,
              ElementsAre(Limit{kHome, LimitKind::fixed}, Limit{kIncome, LimitKind::no_rise},
                          Limit{kDebt, LimitKind::no_fall}, Limit{kAge, LimitKind::fixed}));
  ASSERT_EQ(answer.obstacle->relaxations.size(), 1);
  EXPECT_EQ(answer.obstacle->relaxations[0].limit, (Limit{kIncome, LimitKind::no_rise}));
}

/// Accepts only where both columns are above .7, and claims a gradient of 0 everywhere: no search
/// by gradient or by single columns gets there.
class Plateau final : public Model, private Gradient {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return 2; }
  void logits(Rows rows, MutableView out) const override {
    for (std::size_t k = 0; k < rows.count(); ++k) {
      out[k] = rows[k][0] > 0.7 && rows[k][1] > 0.7 ? 1.0 : -1.0;
    }
  }
  [[nodiscard]] const Gradient* gradient() const noexcept override { return this; }

 private:
  double logit_gradient(View point, MutableView gradient) const override {
    std::ranges::fill(gradient, 0.0);
    return logit(point);
  }
};

TEST(Reasons, BecomeAdviceWhereTheSearchMissedIt) {
  Space space = fixtures::free_space(2);
  for (Column& column : space.columns) {
    column.lower = 0;
    column.upper = 1;
  }
  const Codec codec = Codec::identity({"x", "y"}, space);
  const auto model = std::make_shared<Plateau>();
  const Person person = people::person(0, {"0.2", "0.3"});
  ExplainOptions options = certified(0.05);
  options.reasons = false;
  EXPECT_EQ(Explainer(model, codec, options).explain({&person, 1}).at(0).status,
            Status::infeasible);
  options.reasons = true;
  const Explanation answer = Explainer(model, codec, options).explain({&person, 1}).at(0);
  ASSERT_EQ(answer.status, Status::found);
  EXPECT_FALSE(answer.obstacle);
  EXPECT_TRUE(answer.valid);
  EXPECT_EQ(answer.reason, "");
  EXPECT_EQ(codec.encode(answer.after, "told"), answer.point);
  EXPECT_LT(answer.distance.l1, 1.45) << "shorter than all the way to the corner";
  ASSERT_TRUE(answer.certificate);
  EXPECT_LE(answer.certificate->upper, 0.05);
  EXPECT_GE(answer.certificate->attempt, kCertifiedAttempts) << "draws not yet seen";
  EXPECT_GT(answer.certificate->bound_confidence, attempt_confidence(0.999, 2));
  const Problem problem{*model, codec.space(), *options.noise, options.goal, 99, true};
  const Advice advice{answer.origin, answer.point, 0};
  EXPECT_LE(tally(problem, {&advice, 1}, {.samples = 200'000})[0].rate(), 0.05);
}

TEST(Reasons, AreForMethodCertifiedAndOnRequest) {
  ExplainOptions options = certified(0.01);
  options.reasons = false;
  EXPECT_FALSE(explain_one(options, nearly()).obstacle);
  EXPECT_FALSE(explain_one(people::options(), people::everyone()[2]).obstacle);
  options.reasons = true;
  EXPECT_FALSE(explain_one(options, people::everyone()[0]).obstacle) << "certified advice";
  EXPECT_FALSE(explain_one(options, people::everyone()[1]).obstacle) << "already accepted";
}

std::string told(const Explanation& answer) {
  std::string out = fmt::format("{} {}", answer.row, name_of(answer.status));
  if (!answer.obstacle) return out;
  const Obstacle& obstacle = *answer.obstacle;
  out += fmt::format(" {} {} {:a}", name_of(obstacle.kind), fmt::join(obstacle.record, ","),
                     obstacle.score);
  if (obstacle.lowest) out += fmt::format(" {}", obstacle.lowest->invalid);
  for (const Limit& limit : obstacle.limits) out += fmt::format(" {}", limit.feature);
  for (const Relaxation& relaxation : obstacle.relaxations) {
    out += fmt::format("\n{} {:a} {} {}", name_of(relaxation.kind), relaxation.value,
                       fmt::join(relaxation.after, ","), relaxation.certificate.invalid);
  }
  return out;
}

TEST(SlowReasons, DependOnTheRowAlone) {
  std::vector<Person> people;
  for (std::size_t row = 0; row < 6; ++row) {
    people.push_back(people::person(
        row, {"40", "10", std::to_string(-180 - 60 * static_cast<int>(row)), "own"}));
  }
  for (const bool shared : {true, false}) {
    ExplainOptions options = certified(0.01, 5000);
    options.shared_draws = shared;
    std::vector<std::string> alone;
    for (const Person& person : people) alone.push_back(told(explain_one(options, person)));
    options.threads = 3;
    const Explainer explainer(people::model(), people::codec(), options);
    std::vector<std::string> together;
    for (const Explanation& answer : explainer.explain(people)) together.push_back(told(answer));
    EXPECT_EQ(together, alone);
  }
}

/// Requests a stop after so many evaluations of batches.
class StoppingModel final : public Model {
 public:
  StoppingModel(std::size_t limit, std::stop_source& source) : limit_(limit), source_(source) {}

  [[nodiscard]] std::size_t width() const noexcept override { return model_->width(); }
  void logits(Rows rows, MutableView out) const override {
    if (rows.count() > 1 && ++calls_ == limit_) source_.request_stop();
    model_->logits(rows, out);
  }
  [[nodiscard]] const Gradient* gradient() const noexcept override { return model_->gradient(); }
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override {
    return model_->bind(draws);
  }

 private:
  std::shared_ptr<const Mlp> model_ = people::model();
  std::size_t limit_;
  std::stop_source& source_;
  mutable std::atomic<std::size_t> calls_{0};
};

TEST(Reasons, AStopLeavesCompleteAnswersOnly) {
  std::vector<Person> people{people::everyone()[0], people::everyone()[1], people::everyone()[2],
                             people::everyone()[5]};
  std::stop_source source;
  const auto model = std::make_shared<StoppingModel>(40, source);
  const Explainer explainer(model, people::codec(), certified(0.05));
  const auto answers = explainer.explain(people, source.get_token());
  ASSERT_TRUE(source.stop_requested()) << "in the ascent, where the model is asked in batches";
  ASSERT_EQ(answers.size(), 2) << "the third has no reasons yet";
  EXPECT_EQ(answers[0].status, Status::found);
  EXPECT_EQ(answers[1].status, Status::already);
}

}  // namespace
}  // namespace croco
