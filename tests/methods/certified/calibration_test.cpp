// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/certified/calibration.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>

namespace croco {
namespace {

constexpr std::size_t kSamples = 32'768;

ChangeProblem wide(std::size_t width, double bound) {
  return {std::vector<Interval>(width, {-bound, bound}), Vector(width, 1.0)};
}

/// The draws that fail when the normal quantile of the success rate is `level + rise * factor`.
std::size_t failing(double level, double rise, double factor) {
  return static_cast<std::size_t>(std::round(kSamples * normal_cdf(-(level + rise * factor))));
}

struct Outcome {
  RayCalibration ray;
  std::size_t rounds = 0;
};

/// Runs the ray of the change (2, -1); the factor is read off the first coordinate.
template <typename Count>
Outcome run(const ChangeProblem& changes, std::size_t allowed, double slope, Count count,
            double valid_from = 0) {
  Outcome out{RayCalibration(changes, {2.0, -1.0}, kSamples, allowed, slope)};
  while (!out.ray.done()) {
    const double factor = out.ray.proposal()[0] / 2;
    out.ray.observe(count(factor), factor >= valid_from);
    ++out.rounds;
  }
  return out;
}

TEST(RayCalibration, FindsTheSmallestFactorThatSatisfies) {
  const ChangeProblem changes = wide(2, 100);
  for (const double level : {-3.0, -1.0, 0.0, 0.8}) {
    for (const double rise : {1.0, 2.5, 4.0}) {
      for (const double share : {0.02, 0.1, 0.3}) {
        const auto allowed = static_cast<std::size_t>(share * kSamples);
        const double root = (-normal_quantile(share) - level) / rise;
        if (root < 0.8 || root > 1.25) continue;  // the search has been near before
        // A guess of the slope that is off by a half either way.
        for (const double guess : {0.66, 1.0, 1.5}) {
          const auto count = [&](double factor) { return failing(level, rise, factor); };
          const Outcome out = run(changes, allowed, guess * rise, count);
          ASSERT_TRUE(out.ray.result()) << root;
          EXPECT_LE(out.ray.result_invalid(), allowed);
          EXPECT_EQ(out.ray.result_invalid(), count((*out.ray.result())[0] / 2));
          EXPECT_NEAR((*out.ray.result())[0] / 2, root, 0.01 * root) << "slope off by " << guess;
          EXPECT_GE((*out.ray.result())[0] / 2, root - 1e-3);
          EXPECT_LE(out.rounds, guess == 1.0 ? 3U : 7U) << root;
        }
      }
    }
  }
}

TEST(RayCalibration, CarriesAllCoordinatesAlong) {
  const ChangeProblem changes = wide(2, 100);
  const Outcome out =
      run(changes, 3277, 2.0, [](double factor) { return failing(-1.0, 2.0, factor); });
  EXPECT_NEAR((*out.ray.result())[0], -2 * (*out.ray.result())[1], 1e-12);
}

TEST(RayCalibration, EndsWhereEveryCoordinateIsAtItsBound) {
  const ChangeProblem changes = wide(2, 2.1);
  const Outcome out =
      run(changes, 100, 1.0, [](double factor) { return failing(-1.0, 1.0, factor); });
  EXPECT_TRUE(out.ray.done());
  EXPECT_FALSE(out.ray.result());
  EXPECT_GT(out.ray.last_invalid(), 100U);
}

TEST(RayCalibration, GivesUpOnARayThatLeadsNowhere) {
  const ChangeProblem changes = wide(2, 100);
  const Outcome out = run(changes, 100, 1.0, [](double) { return kSamples / 2; });
  EXPECT_FALSE(out.ray.result());
  EXPECT_LE(out.rounds, 8U);
}

TEST(RayCalibration, GoesOnUntilThePointItselfIsAccepted) {
  const ChangeProblem changes = wide(2, 100);
  // So few fail that the rate alone would allow factor .5.
  const Outcome out =
      run(changes, 3277, 2.0, [](double factor) { return failing(0.3, 2.0, factor); }, 0.9);
  ASSERT_TRUE(out.ray.result());
  EXPECT_GE((*out.ray.result())[0] / 2, 0.9);
  EXPECT_LT((*out.ray.result())[0] / 2, 1.01);
}

}  // namespace
}  // namespace croco
