// SPDX-License-Identifier: Apache-2.0
// Searches under flips and under noise that is drawn together: what they find must hold on draws of
// another purpose.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <croco/methods/make_search.hpp>
#include <croco/methods/method.hpp>
#include <croco/robustness/invalidation.hpp>

#include "tests/fixtures.hpp"
#include "tests/flips.hpp"

namespace croco {
namespace {

struct Kind {
  std::string name;
  Method method;
  NoiseShape shape = NoiseShape::gaussian;
};

class FlipSearch : public ::testing::TestWithParam<Kind> {
 protected:
  FlipSearch() {
    noise_.flips = fixtures::random_flips(space_, 0.03, 2);
    noise_.shape = GetParam().shape;
    if (GetParam().shape == NoiseShape::empirical) {
      noise_.residuals = {{0, 1, 2}, Matrix(40, 3)};
      noise_.residuals.rows.data = fixtures::random_vector(120, 5, -0.1, 0.12);
    } else if (GetParam().shape == NoiseShape::correlated) {
      Matrix matrix(2, 2);
      matrix.data = {0.004, 0.002, 0.002, 0.003};
      noise_.covariance = Covariance({0, 2}, matrix);
    } else if (GetParam().shape == NoiseShape::mixed) {
      noise_.column_scales.assign(space_.width(), 0.0);
      noise_.column_scales[0] = noise_.column_scales[1] = 0.07;
      noise_.column_shapes.assign(space_.width(), NoiseShape::gaussian);
      noise_.column_shapes[1] = NoiseShape::uniform;
    }
  }

  Space space_ = fixtures::mixed_space(3, {2, 4, 3});
  Noise noise_{.scale = 0.06, .scope = NoiseScope::continuous};
  Mlp network_ = fixtures::random_mlp({space_.width(), 20}, Activation::relu, 31);
};

TEST_P(FlipSearch, FindsPointsThatHoldElsewhere) {
  const Vector origin = fixtures::random_person(space_, 8);
  const Problem problem{network_, space_, noise_, Goal(sigmoid(network_.logit(origin) + 1)), 4};
  const auto search = make_search(problem, GetParam().method);
  const Counterfactual found = search->find(origin, {});
  ASSERT_EQ(found.termination, Termination::converged);
  for (std::size_t j = 3; j < origin.size(); ++j) EXPECT_EQ(found.point[j], origin[j]);
  const Advice advice{origin, found.point, 0};
  const Tally tally = croco::tally(problem, {&advice, 1}, {.samples = 50'000})[0];
  const double target = target_of(GetParam().method).value_or(0);
  EXPECT_LE(tally.rate(), target + 4.5 * std::sqrt(target * (1 - target) / 50'000));
  // The flips matter: without them the same point fails less often.
  Problem plain = problem;
  plain.noise.flips.clear();
  EXPECT_LT(croco::tally(plain, {&advice, 1}, {.samples = 50'000})[0].rate(), tally.rate());
}

INSTANTIATE_TEST_SUITE_P(
    Methods, FlipSearch,
    ::testing::Values(
        Kind{"certified", Certified{.target = 0.15}},
        Kind{"certified_mixed", Certified{.target = 0.15}, NoiseShape::mixed},
        Kind{"certified_empirical", Certified{.target = 0.15}, NoiseShape::empirical},
        Kind{"certified_correlated", Certified{.target = 0.15}, NoiseShape::correlated},
        Kind{"gradient_free", Certified{.target = 0.15, .search = SearchKind::gradient_free}},
        Kind{"gradient_free_empirical",
             Certified{.target = 0.15, .search = SearchKind::gradient_free}, NoiseShape::empirical},
        Kind{"gradient_free_correlated",
             Certified{.target = 0.15, .search = SearchKind::gradient_free},
             NoiseShape::correlated}),
    [](const auto& test) { return test.param.name; });

TEST(CrocoUnderFlips, MeetsItsBoundElsewhereToo) {
  const Space space = fixtures::mixed_space(1, {2});
  const Mlp model = fixtures::logistic({40, 3, -3}, -10);
  Problem problem{model, space, {.scale = 0.02, .scope = NoiseScope::continuous}, Goal(), 4};
  problem.noise.flips = {LevelFlips::uniform(space.groups[0], 0.08, {true, true})};
  const Vector origin{0.1, 1, 0};
  const auto search = make_search(problem, Croco{.target = 0.3});
  const Counterfactual found = search->find(origin, {});
  ASSERT_EQ(found.termination, Termination::converged);
  const Advice advice{origin, found.point, 0};
  EXPECT_LE(tally(problem, {&advice, 1}, {.samples = 50'000})[0].rate(), 0.3);
}

}  // namespace
}  // namespace croco
