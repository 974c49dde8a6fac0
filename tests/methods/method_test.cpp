// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/method.hpp>

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/methods/make_search.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string error_of(const Method& method, const Goal& goal = Goal()) {
  return fixtures::message_of<InvalidArgument>([&] {
    validate(method, goal);
    return 0;
  });
}

TEST(Method, HasANameATargetAndAMode) {
  EXPECT_EQ(name_of(Wachter{}), "wachter");
  EXPECT_EQ(name_of(Probe{}), "probe");
  EXPECT_EQ(name_of(Croco{}), "croco");
  EXPECT_EQ(target_of(Wachter{}), std::nullopt);
  EXPECT_EQ(target_of(Probe{.target = 0.2}), 0.2);
  EXPECT_EQ(target_of(Croco{.target = 0.1}), 0.1);
  EXPECT_FALSE(is_as_published(Croco{}));
  EXPECT_TRUE(is_as_published(Wachter{.as_published = true}));
}

TEST(ValidateMethod, AcceptsTheDefaultsForEveryGoal) {
  for (const double threshold : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    for (const int wanted : {0, 1}) {
      for (const double target : {0.02, 0.05, 0.3, 0.6}) {
        const Goal goal(threshold, wanted);
        EXPECT_EQ(error_of(Wachter{}, goal), "nothing was thrown");
        EXPECT_EQ(error_of(Probe{.target = target}, goal), "nothing was thrown");
        EXPECT_EQ(error_of(Croco{.target = target}, goal), "nothing was thrown");
        EXPECT_EQ(error_of(Croco{.target = target, .as_published = true}, goal),
                  "nothing was thrown");
      }
    }
  }
}

template <typename Options>
class CommonFields : public ::testing::Test {};
using AllOptions = ::testing::Types<Wachter, Probe, Croco>;
TYPED_TEST_SUITE(CommonFields, AllOptions);

TYPED_TEST(CommonFields, AreNamedWhenImpossible) {
  const auto text = [](auto&& change) {
    TypeParam options;
    change(options);
    return error_of(options);
  };
  EXPECT_EQ(text([](TypeParam& o) { o.learning_rate = 0; }),
            "learning-rate is 0; it must be greater than 0");
  EXPECT_EQ(text([](TypeParam& o) { o.learning_rate = kNan; }),
            "learning-rate is nan; it must be greater than 0");
  EXPECT_EQ(text([](TypeParam& o) { o.lambda = -1; }), "lambda is -1; it must be at least 0");
  EXPECT_EQ(text([](TypeParam& o) { o.lambda_step = 0; }),
            "lambda-step is 0; it must be greater than 0");
  EXPECT_EQ(text([](TypeParam& o) { o.block_steps = 0; }),
            "block-steps is 0; it must be between 1 and 1000000");
  EXPECT_EQ(text([](TypeParam& o) { o.max_blocks = 100'001; }),
            "max-blocks is 100001; it must be between 1 and 100000");
}

TEST(ValidateMethod, NamesTheFieldsOfProbe) {
  EXPECT_EQ(error_of(Probe{.target = 1}), "target is 1; it must be greater than 0 and less than 1");
  EXPECT_EQ(error_of(Probe{.rate_weight = -3}), "rate-weight is -3; it must be at least 0");
  EXPECT_EQ(error_of(Probe{.check_samples = 0}), "check-samples is 0; it must be at least 1");
}

TEST(ValidateMethod, NamesTheFieldsOfCroco) {
  EXPECT_EQ(error_of(Croco{.target = 0}), "target is 0; it must be greater than 0 and less than 1");
  EXPECT_EQ(error_of(Croco{.step_samples = 0}),
            "step-samples is 0; it must be between 1 and 1000000");
  EXPECT_EQ(error_of(Croco{.confidence = 1}),
            "confidence is 1; it must be greater than 0 and less than 1");
  EXPECT_THAT(error_of(Croco{.target = 0.2, .margin = 0.1}),
              ::testing::StartsWith("target is 0.2; with m = 0.1 and t = 0.5 the bound"));
  // What matters is the threshold of the wanted class.
  EXPECT_EQ(error_of(Croco{.target = 0.2, .margin = 0.1}, Goal(0.7, 0)), "nothing was thrown");
  EXPECT_NE(error_of(Croco{.target = 0.2, .margin = 0.1}, Goal(0.7, 1)), "nothing was thrown");
}

TEST(ValidateMethod, ChecksMarginAndSamplesOfThePublishedLoopToo) {
  EXPECT_NE(error_of(Croco{.samples = 0, .as_published = true}), "nothing was thrown");
  EXPECT_NE(error_of(Croco{.margin = -1, .as_published = true}), "nothing was thrown");
}

class MakeSearch : public ::testing::Test {
 protected:
  Mlp model_ = fixtures::logistic({1.0, 1.0}, 0.0);
  Space space_ = fixtures::free_space(2);
};

TEST_F(MakeSearch, RefusesModelsWithoutAGradient) {
  const fixtures::PlainModel plain(model_, false);
  const Problem problem{plain, space_, {}, Goal()};
  for (const Method& method : {Method{Wachter{}}, Method{Probe{}}, Method{Croco{}}}) {
    EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] { return make_search(problem, method); }),
              "method " + std::string(name_of(method)) +
                  " needs a model with a gradient; this one has none");
  }
}

TEST_F(MakeSearch, ValidatesTheProblemAndTheMethod) {
  const Space narrow = fixtures::free_space(1);
  const Problem misfit{model_, narrow, {}, Goal()};
  EXPECT_EQ(fixtures::message_of<ModelError>([&] { return make_search(misfit, Wachter{}); }),
            "the model takes 2 columns; the data give 1");
  const Problem problem{model_, space_, {}, Goal()};
  EXPECT_EQ(fixtures::message_of<InvalidArgument>(
                [&] { return make_search(problem, Wachter{.lambda = -1}); }),
            "lambda is -1; it must be at least 0");
  const Problem laplace{model_, space_, {.shape = NoiseShape::laplace}, Goal()};
  EXPECT_THAT(fixtures::message_of<InvalidArgument>([&] { return make_search(laplace, Probe{}); }),
              ::testing::StartsWith("method probe with noise laplace:scale=0.1"));
}

}  // namespace
}  // namespace croco
