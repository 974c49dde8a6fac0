// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/model_change.hpp>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/noise/sample.hpp>
#include <croco/robustness/model_population.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

/// Never gives a clear answer.
class NoAnswer final : public Model {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return 1; }
  void logits(Rows rows, MutableView out) const override {
    for (std::size_t k = 0; k < rows.count(); ++k)
      out[k] = std::numeric_limits<double>::quiet_NaN();
  }
};

/// Models of one column whose rates under Gaussian noise of deviation 1 are known: model i accepts
/// above a threshold of its own.
class ModelChanges : public testing::Test {
 protected:
  [[nodiscard]] static Models models_of(const Vector& rates) {
    Models out;
    for (const double rate : rates) {
      out.push_back(std::make_shared<const Mlp>(fixtures::logistic({1.0}, -normal_quantile(rate))));
    }
    return out;
  }
  [[nodiscard]] Problem problem(bool shared = true) const {
    return {present_, space_, {.scale = 1}, Goal(), 11, shared};
  }
  [[nodiscard]] ModelChange one(const Models& models, const ModelChangeOptions& options,
                                unsigned threads = 1, bool shared = true) const {
    const Advice advice{point_, point_, 4};
    return certify_models(problem(shared), models, {&advice, 1}, options, threads)[0];
  }

  Mlp present_ = fixtures::logistic({1.0}, 1.0);
  Space space_ = fixtures::free_space(1);
  Vector point_{0.0};
};

TEST_F(ModelChanges, EveryModelHasSamplesOfItsOwn) {
  const Vector rates{0.1, 0.1, 0.3};
  const Models models = models_of(rates);
  constexpr std::size_t kSamples = 500;
  const ModelChange change = one(models, {.samples = kSamples});
  ASSERT_EQ(change.invalid.size(), 3U);
  for (std::size_t i = 0; i < models.size(); ++i) {
    Matrix noise(kSamples, 1);
    sample({.scale = 1}, Vector{1.0}, {11, Purpose::models, Stream::kShared}, i * kSamples, noise);
    std::size_t invalid = 0;
    for (std::size_t k = 0; k < kSamples; ++k) invalid += models[i]->logit(noise[k]) > 0 ? 0U : 1U;
    EXPECT_EQ(change.invalid[i], invalid);
  }
}

TEST_F(ModelChanges, StatesWhatTheCountsSay) {
  const Models models = models_of({0.01, 0.02, 0.4, 0.03, 0.02, 0.01});
  const ModelChangeOptions options{.samples = 1000, .target = 0.2};
  const ModelChange change = one(models, options);
  Vector rates;
  for (const std::size_t invalid : change.invalid) rates.push_back(double(invalid) / 1000);
  EXPECT_DOUBLE_EQ(change.bound, joint_upper(rates, 0.95));
  EXPECT_DOUBLE_EQ(change.upper, change.bound);
  EXPECT_EQ(change.limit, 0.2);
  EXPECT_EQ(change.exceeding, 1U);
  EXPECT_DOUBLE_EQ(change.share_upper, share_upper(1, 6, 0.95));
  EXPECT_EQ(change.worst, 2U);
  EXPECT_DOUBLE_EQ(change.worst_upper, clopper_pearson_upper(change.invalid[2], 1000, 0.95));
  EXPECT_EQ(change.rejecting, 0U);
}

TEST_F(ModelChanges, OneOfSeveralCandidatesStatesNoLessThanTheTarget) {
  const Models models = models_of(Vector(200, 0.01));
  const ModelChange alone = one(models, {.samples = 200, .target = 0.1});
  const ModelChange chosen = one(models, {.samples = 200, .target = 0.1, .candidates = 3});
  EXPECT_LT(alone.upper, 0.1);
  EXPECT_EQ(chosen.bound, alone.bound) << "the fixed order costs the joint bound nothing";
  EXPECT_EQ(chosen.upper, 0.1) << "which candidate is reported depends on the models";
  EXPECT_GT(chosen.share_upper, alone.share_upper) << "the share has no order";
  EXPECT_GT(chosen.worst_upper, alone.worst_upper);
}

TEST_F(ModelChanges, AFamilyAndAShareDivideTheError) {
  const Models models = models_of(Vector(50, 0.05));
  const ModelChange alone = one(models, {.confidence = 0.99, .samples = 100});
  const ModelChange family = one(models, {.confidence = 0.9, .samples = 100, .family = 10});
  const ModelChange share = one(models, {.confidence = 0.9, .samples = 100, .share = 0.1});
  EXPECT_NEAR(family.bound, alone.bound, 1e-12);
  EXPECT_NEAR(share.bound, alone.bound, 1e-12);
}

TEST_F(ModelChanges, DoNotDependOnThreadsAndDoOnThePersonWhereSamplesAreTheirOwn) {
  const Models models = models_of(Vector(17, 0.2));
  const ModelChange single = one(models, {.samples = 300}, 1);
  EXPECT_EQ(one(models, {.samples = 300}, 3), single);
  EXPECT_NE(one(models, {.samples = 300}, 1, false).invalid, single.invalid);
  EXPECT_NE(one(models, {.samples = 300, .purpose = Purpose::models_audit}).invalid,
            single.invalid);
}

TEST_F(ModelChanges, NoClearAnswerIsAFailure) {
  Models models = models_of({0.01});
  models.push_back(std::make_shared<const NoAnswer>());
  const ModelChange change = one(models, {.samples = 100});
  EXPECT_EQ(change.invalid[1], 100U);
  EXPECT_EQ(change.rejecting, 1U);
}

TEST_F(ModelChanges, RefusesWhatCannotBe) {
  const Models models = models_of({0.1});
  const auto message = [&](const ModelChangeOptions& options) {
    return message_of<InvalidArgument>([&] { return one(models, options); });
  };
  EXPECT_EQ(message({.confidence = 1}),
            "model-confidence is 1; it must be greater than 0 and less than 1");
  EXPECT_EQ(message({.samples = 0}), "model-samples is 0; it must be between 1 and 1000000");
  EXPECT_EQ(message({.limit = 1.5}),
            "model-limit is 1.5; it must be greater than 0 and less than 1");
  EXPECT_THAT(message({.family = 0}), HasSubstr("family is 0"));
  EXPECT_EQ(message({.candidates = 0}), "candidates is 0; it must be at least 1");
  EXPECT_THAT(message_of<InvalidArgument>([&] { return one({}, {}); }),
              HasSubstr("no model is left to certify"));
  EXPECT_THAT(message_of<ModelError>([&] {
                return one({std::make_shared<const Mlp>(fixtures::logistic({1.0, 2.0}, 0.0))}, {});
              }),
              HasSubstr("a retrained model takes 2 columns; the data give 1"));
}

}  // namespace
}  // namespace croco
