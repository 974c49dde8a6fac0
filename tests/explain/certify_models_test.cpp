// SPDX-License-Identifier: Apache-2.0
// Advice that has to survive retrained models too.
#include <algorithm>
#include <atomic>
#include <functional>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/robustness/model_change.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

/// The model in use with its logit shifted: positive shifts refuse more people.
std::shared_ptr<const Mlp> shifted_model(double shift) {
  return std::make_shared<const Mlp>(fixtures::logistic({6, -4, 0.5, 0, 0.5}, -3 - shift));
}

/// When a model was asked first and last, on a clock that all of them share.
struct Clock {
  std::atomic<std::size_t> now = 0;
};

/// Samples bound to a watched model.
class WatchedDraws final : public DrawEvaluator {
 public:
  WatchedDraws(std::unique_ptr<DrawEvaluator> inner, std::function<void()> note)
      : inner_(std::move(inner)), note_(std::move(note)) {}

  [[nodiscard]] std::size_t count() const noexcept override { return inner_->count(); }
  void logits(View point, std::size_t first, std::span<float> out) const override {
    note_();
    inner_->logits(point, first, out);
  }
  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    note_();
    inner_->add_gradient(point, first, weights, gradient);
  }
  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* undecided) const override {
    note_();
    inner_->count_failures(points, cut, failures, undecided);
  }

 private:
  std::unique_ptr<DrawEvaluator> inner_;
  std::function<void()> note_;
};

/// Asked about rows or samples, it notes the time.
class Watched final : public Model {
 public:
  Watched(std::shared_ptr<const Mlp> model, std::shared_ptr<Clock> clock)
      : model_(std::move(model)), clock_(std::move(clock)) {}

  [[nodiscard]] std::size_t width() const noexcept override { return model_->width(); }
  void logits(Rows rows, MutableView out) const override {
    note();
    model_->logits(rows, out);
  }
  [[nodiscard]] const Gradient* gradient() const noexcept override { return model_->gradient(); }
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override {
    note();
    return std::make_unique<WatchedDraws>(model_->bind(draws), [this] { note(); });
  }
  [[nodiscard]] std::size_t first() const noexcept { return first_; }
  [[nodiscard]] std::size_t last() const noexcept { return last_; }

 private:
  void note() const {
    const std::size_t now = ++clock_->now;
    if (first_ == 0) first_ = now;
    last_ = now;
  }
  std::shared_ptr<const Mlp> model_;
  std::shared_ptr<Clock> clock_;
  mutable std::atomic<std::size_t> first_ = 0;
  mutable std::atomic<std::size_t> last_ = 0;
};

/// Shifts of a recipe: uniform in (-spread, spread).
std::shared_ptr<const ModelPopulation> population(double spread, std::size_t search,
                                                  std::size_t certify, std::uint64_t seed = 5) {
  Sequence random({seed, Purpose::train, 77});
  auto out = std::make_shared<ModelPopulation>();
  for (std::size_t i = 0; i < search + certify; ++i) {
    (i < search ? out->search : out->certify)
        .push_back({fmt::format("m{}", i), fmt::format("{:064}", i),
                    shifted_model(spread * (2 * random.uniform() - 1))});
  }
  return out;
}

ExplainOptions options_with(std::shared_ptr<const ModelPopulation> models, double target = 0.1) {
  ExplainOptions options = people::options();
  options.method = Certified{.target = target};
  options.certify = {.samples = 20'000};
  options.models = std::move(models);
  options.model_change.samples = 400;
  return options;
}

std::vector<Person> two_people() { return {people::everyone()[0], people::everyone()[5]}; }

TEST(CertifyModels, MeetsTheTargetForTheModelInUseAndOverRetrainedOnes) {
  const auto models = population(0.6, 60, 120);
  const auto answers = people::explainer(options_with(models)).explain(two_people());
  const auto alone = people::explainer(options_with(nullptr)).explain(two_people());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Explanation& answer = answers[i];
    ASSERT_EQ(answer.status, Status::found) << answer.reason;
    ASSERT_TRUE(answer.model_change);
    EXPECT_LE(answer.model_change->bound, 0.1);
    EXPECT_EQ(answer.model_change->upper, 0.1);
    EXPECT_EQ(answer.model_change->invalid.size(), 120U);
    EXPECT_EQ(answer.model_change->candidates, kModelCandidates);
    EXPECT_LE(answer.certificate->upper, 0.1);
    EXPECT_TRUE(*answer.target_met);
    EXPECT_FALSE(alone[i].model_change);
    EXPECT_GT(answer.distance.cost, alone[i].distance.cost) << "retraining costs distance";
    // The truth, over many further models of the recipe.
    const auto further = population(0.6, 0, 2000, 99);
    Models fresh;
    for (const RetrainedModel& one : further->certify) fresh.push_back(one.model);
    const Explainer explainer = people::explainer(options_with(nullptr));
    const Advice advice{answer.origin, answer.point, 0};
    const double rate = certify_models(explainer.problem(), fresh, {&advice, 1},
                                       {.samples = 100, .purpose = Purpose::models_audit}, 2)[0]
                            .rate;
    EXPECT_LE(rate, 0.1);
    EXPECT_GT(rate, 0.02) << "the allowance is used";
  }
}

TEST(CertifyModels, CertifyingModelsAreAskedAfterTheSearchHasEnded) {
  auto clock = std::make_shared<Clock>();
  auto models = std::make_shared<ModelPopulation>(*population(0.5, 30, 80));
  std::vector<std::shared_ptr<const Watched>> search;
  std::vector<std::shared_ptr<const Watched>> certify;
  const auto watch = [&](std::vector<RetrainedModel>& part, auto& watched) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      watched.push_back(
          std::make_shared<const Watched>(shifted_model(0.01 * double(i % 7)), clock));
      part[i].model = watched.back();
    }
  };
  watch(models->search, search);
  watch(models->certify, certify);
  const auto answers = people::explainer(options_with(models)).explain(two_people());
  ASSERT_EQ(answers[0].status, Status::found);
  std::size_t last_search = 0;
  for (const auto& one : search) {
    EXPECT_GT(one->first(), 0U) << "every search model is used";
    last_search = std::max(last_search, one->last());
  }
  for (const auto& one : certify) EXPECT_GT(one->first(), last_search);
}

TEST(CertifyModels, DoesNotDependOnThreadsOrOnOtherPeople) {
  const auto models = population(0.5, 30, 80);
  ExplainOptions options = options_with(models);
  const auto answers = people::explainer(options).explain(two_people());
  options.threads = 3;
  const auto threaded = people::explainer(options).explain(two_people());
  const auto alone = people::explainer(options).explain({{two_people()[1]}});
  EXPECT_EQ(threaded[0].point, answers[0].point);
  EXPECT_EQ(threaded[1].model_change, answers[1].model_change);
  EXPECT_EQ(alone[0].point, answers[1].point);
  EXPECT_EQ(alone[0].model_change, answers[1].model_change);
}

TEST(CertifyModels, SaysWhenRetrainedModelsDisagreeAndAtWhichTargetThereIsAdvice) {
  // Some retrained models refuse whatever this person may do, and no search model is like them.
  auto models = std::make_shared<ModelPopulation>(*population(0.3, 30, 100));
  for (std::size_t i = 0; i < 10; ++i) models->certify[10 * i].model = shifted_model(40);
  const auto answers = people::explainer(options_with(models)).explain({{two_people()[0]}});
  const Explanation& answer = answers.at(0);
  ASSERT_EQ(answer.status, Status::unmet);
  EXPECT_FALSE(*answer.target_met);
  EXPECT_THAT(answer.reason, HasSubstr("retrained models disagree"));
  ASSERT_TRUE(answer.obstacle);
  EXPECT_EQ(answer.obstacle->kind, ObstacleKind::models);
  ASSERT_EQ(answer.obstacle->relaxations.size(), 1U);
  const Relaxation& higher = answer.obstacle->relaxations[0];
  EXPECT_EQ(higher.kind, RelaxationKind::target);
  EXPECT_GE(higher.value, answer.model_change->upper);
  EXPECT_LT(higher.value, 0.3);
}

TEST(CertifyModels, SeveralAlternativesShareTheErrorOverModelsToo) {
  ExplainOptions options = options_with(population(0.2, 30, 150));
  options.alternatives = 2;
  // Either more income or less debt is enough.
  const std::vector<Person> person{people::person(0, {"60", "30", "50", "rent"})};
  const auto answers = people::explainer(options).explain(person);
  ASSERT_EQ(answers[0].alternatives.size(), 1U) << answers[0].reason;
  EXPECT_EQ(answers[0].model_change->family, 2U);
  EXPECT_EQ(answers[0].alternatives[0].model_change->family, 2U);
  EXPECT_LE(answers[0].alternatives[0].model_change->bound, 0.1);
}

TEST(CertifyModels, WithoutAGradientToo) {
  ExplainOptions options = options_with(population(0.4, 20, 80));
  std::get<Certified>(options.method).search = SearchKind::gradient_free;
  const auto answers = people::explainer(options).explain({{two_people()[0]}});
  ASSERT_EQ(answers[0].status, Status::found) << answers[0].reason;
  EXPECT_LE(answers[0].model_change->bound, 0.1);
}

TEST(CertifyModels, PublishedMethodsAreJudgedByTheModelsTheyDoNotKnow) {
  ExplainOptions options = options_with(population(1.0, 10, 60));
  options.method = Wachter{};
  const auto answers = people::explainer(options).explain({{two_people()[0]}});
  ASSERT_TRUE(answers[0].model_change);
  EXPECT_EQ(answers[0].model_change->candidates, 1U);
  EXPECT_GT(answers[0].model_change->rate, 0.2);
  ExplainOptions plain = options;
  plain.models = nullptr;
  EXPECT_EQ(people::explainer(plain).explain({{two_people()[0]}})[0].point, answers[0].point);
}

TEST(CertifyModels, JudgesAdviceOfOtherTools) {
  const auto models = population(0.3, 20, 80);
  Person after = people::everyone()[0];
  after.record[0] = "75";
  const AdvisedPerson pair{people::everyone()[0], after};
  const LoadedModel loaded{.name = {},
                           .source = {},
                           .fingerprint = {},
                           .model = people::model(),
                           .codec = people::codec(),
                           .unfrozen = {}};
  AssessOptions options{.target = 0.1,
                        .noise = Noise{.scale = 0.05, .scope = NoiseScope::continuous},
                        .models = models};
  const auto answers = assess(loaded, {{pair}}, options);
  ASSERT_TRUE(answers.at(0).model_change);
  EXPECT_EQ(answers[0].model_change->purpose, Purpose::models_audit);
  EXPECT_EQ(answers[0].model_change->upper, answers[0].model_change->bound);
  EXPECT_TRUE(*answers[0].target_met);
  options.target = 0.001;
  EXPECT_FALSE(*assess(loaded, {{pair}}, options)[0].target_met);
}

TEST(CertifyModels, RefusesATargetThatSoFewModelsCannotCertify) {
  EXPECT_EQ(message_of<InvalidArgument>(
                [] { return people::explainer(options_with(population(0.3, 10, 50), 0.05)); }),
            "target is 0.05; 50 certifying models bound the rate over retrained models by 0.0754 "
            "at best, at confidence 0.95: it must be at least that, or there must be 77 of them");
  ExplainOptions keeps = options_with(population(0.3, 10, 100));
  keeps.missing = MissingPolicy::keep;
  EXPECT_THAT(message_of<InvalidArgument>([&] { return people::explainer(keeps); }),
              HasSubstr("missing is 'keep' with retrained models"));
}

}  // namespace
}  // namespace croco
