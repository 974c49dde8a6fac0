// SPDX-License-Identifier: Apache-2.0
// Models that give no clear answer here and there: every search ends, and none takes that for a
// yes, whichever class is wanted.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <croco/methods/make_search.hpp>
#include <croco/models/graph/plane_model.hpp>

#include "tests/fixtures.hpp"
#include "tests/plane_programs.hpp"

namespace croco {
namespace {

/// The logarithm or root of an affine function of two columns, less a number: NaN beyond a line.
PlaneModel silent_beyond_a_line(Unary function, double sign) {
  fixtures::ProgramBuilder build(2);
  const std::vector<Plane> inner = build.affine(build.inputs(), 1, {sign, sign}, {0.3});
  const std::vector<Plane> outer = build.unary(function, inner);
  return PlaneModel(build.ending_in(build.affine(outer, 1, {2.0}, {-0.4})[0]));
}

class SlowNoAnswer : public testing::TestWithParam<int> {};

TEST_P(SlowNoAnswer, EverySearchEndsAmongNumbers) {
  const Space space{{{.lower = -2, .upper = 2}, {.lower = -2, .upper = 2}}, {}};
  const std::vector<Method> methods{
      Certified{.target = 0.1},
      Wachter{.max_blocks = 2},
      Probe{.target = 0.1, .max_blocks = 2},
      Croco{.target = 0.3, .max_blocks = 2},
  };
  for (const Unary function : {Unary::log, Unary::sqrt, Unary::reciprocal}) {
    for (const double sign : {1.0, -1.0}) {
      const PlaneModel model = silent_beyond_a_line(function, sign);
      const Problem problem{model, space, {.scale = 0.2}, Goal(0.5, GetParam()), 3};
      for (const Method& method : methods) {
        const auto search = make_search(problem, method);
        // One starts where there is no answer at all.
        for (const Vector& origin : {Vector{1, 1}, Vector{-1, -1}, Vector{0.1, 0}}) {
          const Counterfactual found = search->find(origin, {});
          ASSERT_EQ(found.point.size(), 2U);
          for (const double value : found.point) ASSERT_TRUE(std::isfinite(value));
          const Judgement judgement = search->judge(origin, found.point, 0);
          const double logit = model.logit(found.point);
          if (std::isnan(logit)) {
            EXPECT_FALSE(judgement.reached);
            EXPECT_FALSE(judgement.satisfied);
            EXPECT_NE(found.termination, Termination::converged);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Wanted, SlowNoAnswer, testing::Values(0, 1));

TEST(NoAnswerOf, AGoalIsNeither) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int wanted : {0, 1}) {
    EXPECT_FALSE(Goal(0.3, wanted).reached(nan));
    EXPECT_LT(Goal(0.3, wanted).margin(nan), -1e300);
  }
}

}  // namespace
}  // namespace croco
