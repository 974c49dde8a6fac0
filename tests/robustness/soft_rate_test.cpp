// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/soft_rate.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <croco/robustness/invalidation.hpp>

#include "tests/fixtures.hpp"
#include "tests/golden.hpp"

namespace croco {
namespace {

TEST(SoftRate, IsTheGoldenOne) {
  const auto golden_file = golden::read("soft_rate");
  for (const auto& entry : golden_file.at("cases")) {
    const ModelFile file = golden::model(entry.at("model"));
    const Matrix draws = golden::matrix(entry.at("draws"));
    const fixtures::ReplayModel model(file.model, draws);
    const Space space = space_of(file.inputs, false);
    for (const auto& at : entry.at("entries")) {
      const Problem problem{model, space, {}, Goal(at.at("threshold"))};
      const NoiseBank bank(problem, {}, 0, draws.count());
      const Vector point = golden::vector(at.at("point"));
      const Vector origin = golden::vector(at.at("origin"));
      std::vector<float> scratch;
      Vector gradient(point.size(), 99.0);
      EXPECT_NEAR(soft_rate(bank, problem.goal, origin, point, 0, draws.count(), scratch),
                  at.at("theta"), 2e-7)
          << file.name;
      EXPECT_NEAR(soft_rate_gradient(bank, problem.goal, origin, point, 0, draws.count(), scratch,
                                     gradient),
                  at.at("theta"), 2e-7)
          << file.name;
      const Vector expected = golden::vector(at.at("theta_gradient"));
      for (std::size_t j = 0; j < gradient.size(); ++j) {
        EXPECT_NEAR(gradient[j], expected[j], 1e-6 * std::max(1.0, std::abs(expected[j])))
            << file.name << ", column " << j;
      }
      const Tally sums = tally(problem, bank, {origin, point, 0}, true);
      EXPECT_DOUBLE_EQ(sums.rate(), at.at("hard_rate")) << file.name;
      EXPECT_NEAR(sums.soft_rate(), at.at("theta"), 2e-7) << file.name;
    }
  }
}

TEST(SoftRate, GradientIsTheCentralDifferenceForBothClasses) {
  const Mlp model = fixtures::random_mlp({4, 8, 3}, Activation::elu, 60);
  const Space space = fixtures::free_space(4);
  const Vector origin(4, 0.0);
  for (const int wanted : {0, 1}) {
    const Problem problem{model, space, {.scale = 0.2}, Goal(0.3, wanted)};
    const NoiseBank bank(problem, {}, 0, 200);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Vector point = fixtures::random_vector(4, 100 + seed, -2, 2);
      std::vector<float> scratch;
      Vector found(4);
      static_cast<void>(
          soft_rate_gradient(bank, problem.goal, origin, point, 50, 120, scratch, found));
      const Vector expected = fixtures::central_difference(
          [&](View at) { return soft_rate(bank, problem.goal, origin, at, 50, 120, scratch); },
          point, 1e-3);
      for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(found[j], expected[j], 2e-4);
    }
  }
}

TEST(SoftRate, OfTheTwoClassesAddsUpToOne) {
  const Mlp model = fixtures::random_mlp({3, 5}, Activation::relu, 61);
  const Space space = fixtures::free_space(3);
  const Problem problem{model, space, {}, Goal()};
  const NoiseBank bank(problem, {}, 0, 50);
  const Vector point{0.2, 0.1, -0.6};
  std::vector<float> scratch;
  EXPECT_NEAR(soft_rate(bank, Goal(0.5, 1), point, point, 0, 50, scratch) +
                  soft_rate(bank, Goal(0.5, 0), point, point, 0, 50, scratch),
              1, 1e-6);
}

TEST(SoftRate, BoundsTheHardRate) {
  // A draw that is undone has an unwanted probability of at least 1 - t (section 4.1).
  const Mlp model = fixtures::random_mlp({3, 5}, Activation::relu, 62);
  const Space space = fixtures::free_space(3);
  for (const int wanted : {0, 1}) {
    for (const double threshold : {0.3, 0.5, 0.7}) {
      const Problem problem{model, space, {.scale = 0.5}, Goal(threshold, wanted)};
      const NoiseBank bank(problem, {}, 0, 300);
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Vector point = fixtures::random_vector(3, 200 + seed, -3, 3);
        const Tally sums = tally(problem, bank, {point, point, 0}, true);
        EXPECT_LE(sums.rate(), sums.soft_rate() / (1 - problem.goal.wanted_threshold()) + 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace croco
