// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/check_draws.hpp>

#include <gtest/gtest.h>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

const Vector kOrigin{0.1, 0.2, 0.3};
const Vector kPoint{0.5, -0.3, 0.3};

class CheckDrawsTest : public ::testing::TestWithParam<NoiseScope> {
 protected:
  [[nodiscard]] Problem problem(const Model& model, bool shared = true) const {
    return {model, space_, {.scale = 0.4, .scope = GetParam()}, Goal(0.4), 6, shared};
  }

  Mlp model_ = fixtures::random_mlp({3, 5}, Activation::relu, 120);
  Space space_ = fixtures::free_space(3);
};

TEST_P(CheckDrawsTest, TalliesTheDrawsOfItsPurpose) {
  const Problem asked = problem(model_);
  const CheckDraws check(asked, 5000);
  const Advice advice{kOrigin, kPoint, 0};
  const Tally expected =
      tally(asked, {&advice, 1}, {.purpose = Purpose::check, .samples = 5000, .soft = true})[0];
  const Tally found = check.tally(kOrigin, kPoint, true);
  EXPECT_EQ(found.samples, 5000U);
  EXPECT_EQ(found.invalid, expected.invalid);
  EXPECT_EQ(found.soft_sum, expected.soft_sum);
  EXPECT_GT(found.invalid, 0U);
}

TEST_P(CheckDrawsTest, AnswersAreTheSameWhenTheDrawsDoNotFitIntoMemory) {
  // At a claimed megabyte a draw, 256 draws are kept and 300 are made anew.
  const fixtures::PlainModel large(model_, true, std::size_t{1} << 20);
  const Problem asked = problem(large);
  const NoiseBank bank(asked, asked.stream(Purpose::check, 0), 0, 300);
  const Tally expected = tally(asked, bank, {kOrigin, kPoint, 0}, true);
  const Tally found = CheckDraws(asked, 300).tally(kOrigin, kPoint, true);
  EXPECT_EQ(found.samples, 300U);
  EXPECT_EQ(found.invalid, expected.invalid);
  EXPECT_EQ(found.soft_sum, expected.soft_sum);
}

TEST_P(CheckDrawsTest, AreSharedByAllPeople) {
  const Problem shared = problem(model_, true);
  const Problem own = problem(model_, false);
  EXPECT_EQ(CheckDraws(shared, 1000).tally(kOrigin, kPoint, true).soft_sum,
            CheckDraws(own, 1000).tally(kOrigin, kPoint, true).soft_sum);
}

INSTANTIATE_TEST_SUITE_P(Scopes, CheckDrawsTest,
                         ::testing::Values(NoiseScope::all, NoiseScope::changed));

}  // namespace
}  // namespace croco
