// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/probe_rate.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/robustness/invalidation.hpp>

#include "tests/fixtures.hpp"
#include "tests/golden.hpp"

namespace croco {
namespace {

TEST(ProbeRate, IsTheGoldenOne) {
  for (const auto& entry : golden::list("probe_rate", "cases")) {
    const ModelFile file = golden::model(entry.at("model"));
    const Space space = space_of(file.inputs, false);
    for (const auto& at : entry.at("entries")) {
      const Problem problem{*file.model, space, {}, Goal(at.at("threshold"))};
      const Vector point = golden::vector(at.at("point"));
      const Vector expected = golden::vector(at.at("gradient"));
      Vector slope(point.size(), 99.0);
      Vector logit_slope(point.size(), 99.0);
      const ProbeRate found =
          probe_rate(problem, golden::vector(at.at("sigmas")), point, slope, logit_slope);
      EXPECT_NEAR(found.rate, at.at("rate"), 1e-12) << file.name;
      EXPECT_EQ(found.logit, file.model->logit(point)) << file.name;
      for (std::size_t j = 0; j < slope.size(); ++j) {
        EXPECT_NEAR(slope[j], expected[j], 1e-10 * std::max(1.0, std::abs(expected[j])))
            << file.name << ", column " << j;
      }
    }
  }
}

TEST(ProbeRate, IsTheRateOfTheMirroredModelForTheOtherClass) {
  const Mlp model = fixtures::random_mlp({4, 6}, Activation::tanh, 70);
  const Mlp mirrored = fixtures::negated(model);
  const Space space = fixtures::free_space(4);
  const Vector scales{0.1, 0.2, 0.0, 0.3};
  const Vector point{0.3, -0.2, 0.5, 0.1};
  Vector slope(4), other_slope(4), scratch(4);
  const ProbeRate one = probe_rate({model, space, {}, Goal(0.3, 1)}, scales, point, slope, scratch);
  const ProbeRate zero =
      probe_rate({mirrored, space, {}, Goal(0.7, 0)}, scales, point, other_slope, scratch);
  EXPECT_NEAR(one.rate, zero.rate, 1e-14);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(slope[j], other_slope[j], 1e-14);
}

TEST(ProbeRate, IsTheTrueRateOfALinearModel) {
  const Mlp model = fixtures::logistic({1.5, -2.0}, 0.4);
  const Space space = fixtures::free_space(2);
  const Problem problem{model, space, {.column_scales = {0.3, 0.2}}, Goal(0.6)};
  const Vector point{0.4, 0.1};
  Vector slope(2), logit_slope(2);
  const double rate =
      probe_rate(problem, problem.noise.column_scales, point, slope, logit_slope).rate;
  EXPECT_EQ(logit_slope, (Vector{1.5, -2.0}));
  const Advice advice{point, point, 0};
  const Tally found = tally(problem, {&advice, 1}, {.samples = 200'000})[0];
  EXPECT_NEAR(found.rate(), rate, 4.5 * std::sqrt(rate * (1 - rate) / 200'000));
}

TEST(ProbeRate, IsZeroOrOneWithoutNoise) {
  const Mlp model = fixtures::logistic({1.0}, 0.0);
  const Space space = fixtures::free_space(1);
  const Problem problem{model, space, {}, Goal()};
  Vector slope{9}, logit_slope{9};
  EXPECT_EQ(probe_rate(problem, Vector{0}, Vector{0.5}, slope, logit_slope).rate, 0.0);
  EXPECT_EQ(slope[0], 0.0);
  EXPECT_EQ(probe_rate(problem, Vector{0}, Vector{-0.5}, slope, logit_slope).rate, 1.0);
  EXPECT_EQ(probe_rate(problem, Vector{0}, Vector{0.0}, slope, logit_slope).rate, 1.0);
}

TEST(RequireProbeApplies, NamesTheNoise) {
  const Mlp model = fixtures::logistic({1.0}, 0.0);
  const Space space = fixtures::free_space(1);
  const auto text = [&](const Noise& noise) {
    return fixtures::message_of<InvalidArgument>([&] {
      require_probe_applies({model, space, noise, Goal()});
      return 0;
    });
  };
  const std::string rule =
      ": PROBE's closed form holds for two-sided gaussian noise on all, continuous or movable "
      "columns; use method croco";
  EXPECT_EQ(text({.scope = NoiseScope::movable}), "nothing was thrown");
  EXPECT_EQ(text({.shape = NoiseShape::laplace}),
            "method probe with noise laplace:scale=0.1 on all columns" + rule);
  EXPECT_EQ(text({.scope = NoiseScope::changed}),
            "method probe with noise gaussian:sd=0.1 on changed columns" + rule);
  EXPECT_EQ(text({.falls_short = true}),
            "method probe with noise gaussian:sd=0.1 on all columns, one-sided" + rule);
}

TEST(RequireProbeApplies, NeedsAGradient) {
  const Mlp network = fixtures::logistic({1.0}, 0.0);
  const fixtures::PlainModel model(network, false);
  const Space space = fixtures::free_space(1);
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] {
              require_probe_applies({model, space, {}, Goal()});
              return 0;
            }),
            "method probe needs a model with a gradient; this one has none");
}

}  // namespace
}  // namespace croco
