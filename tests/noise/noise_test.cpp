// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/noise/sample.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::message_of;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string parse_error(std::string_view text) {
  return message_of<InvalidArgument>([&] { return parse_noise(text); });
}

std::string validation_error(const Noise& noise, std::size_t width = 3) {
  return message_of<InvalidArgument>([&] {
    validate(noise, width);
    return 0;
  });
}

/// A movable number, a fixed number, and two columns of a category.
Space mixed_space() {
  Space space = fixtures::free_space(4);
  space.columns[1].movement = Movement::fixed;
  for (const std::size_t j : {2U, 3U}) {
    space.columns[j].movement = Movement::fixed;
    space.columns[j].continuous = false;
  }
  space.groups = {{2, 2}};
  return space;
}

TEST(ParseNoise, ReadsEveryShape) {
  EXPECT_EQ(parse_noise("gaussian:sd=0.25"), Noise{.scale = 0.25});
  EXPECT_EQ(parse_noise("gaussian:variance=0.25"), Noise{.scale = 0.5});
  EXPECT_EQ(parse_noise("uniform:half-width=0.2"),
            (Noise{.shape = NoiseShape::uniform, .scale = 0.2}));
  EXPECT_EQ(parse_noise("laplace:scale=0.05"),
            (Noise{.shape = NoiseShape::laplace, .scale = 0.05}));
  EXPECT_EQ(parse_noise("student-t:scale=0.1,dof=4"),
            (Noise{.shape = NoiseShape::student_t, .scale = 0.1, .degrees_of_freedom = 4}));
  EXPECT_EQ(parse_noise(" gaussian : sd = 0.25 "), Noise{.scale = 0.25});
  EXPECT_EQ(parse_noise("gaussian"), Noise{});
  EXPECT_EQ(parse_noise("gaussian:sd=0"), Noise{.scale = 0});
}

TEST(NoiseText, ReadsBackAsTheSameNoise) {
  for (const NoiseShape shape :
       {NoiseShape::gaussian, NoiseShape::uniform, NoiseShape::laplace, NoiseShape::student_t}) {
    for (const double scale : {0.0, 0.1, 1.0 / 3, 1e-17, 12345.678}) {
      Noise noise{.shape = shape, .scale = scale};
      if (shape == NoiseShape::student_t) noise.degrees_of_freedom = 2.5;
      EXPECT_EQ(parse_noise(noise_text(noise)), noise) << noise_text(noise);
    }
  }
}

TEST(NoiseText, NamesShapeAndScale) {
  EXPECT_EQ(noise_text(Noise{}), "gaussian:sd=0.1");
  EXPECT_EQ(noise_text({.shape = NoiseShape::uniform}), "uniform:half-width=0.1");
  EXPECT_EQ(noise_text({.shape = NoiseShape::laplace}), "laplace:scale=0.1");
  EXPECT_EQ(noise_text({.shape = NoiseShape::student_t}), "student-t:scale=0.1,dof=5");
  EXPECT_EQ(noise_text({.column_scales = {0.1, 0.2}}), "gaussian:per-column");
}

TEST(ParseNoise, NamesAnUnknownShape) {
  EXPECT_EQ(parse_error("gauss:sd=1"),
            "noise 'gauss:sd=1': the shape 'gauss' must be gaussian, uniform, laplace or "
            "student-t, as in gaussian:variance=0.01");
  EXPECT_EQ(parse_error(""),
            "noise '': the shape '' must be gaussian, uniform, laplace or student-t, as in "
            "gaussian:variance=0.01");
}

TEST(ParseNoise, NamesABrokenSetting) {
  EXPECT_EQ(parse_error("gaussian:0.1"),
            "noise 'gaussian:0.1': '0.1' must be a setting such as variance=0.01");
  EXPECT_EQ(parse_error("gaussian:sd=wide"),
            "noise 'gaussian:sd=wide': 'sd=wide' must be a setting such as variance=0.01");
  EXPECT_EQ(parse_error("student-t:scale=1,dof="),
            "noise 'student-t:scale=1,dof=': 'dof=' must be a setting such as variance=0.01");
}

TEST(ParseNoise, NamesTheSettingsThatAShapeHas) {
  EXPECT_EQ(parse_error("gaussian:scale=1"),
            "noise 'gaussian:scale=1': gaussian noise has no setting 'scale'; it has variance and "
            "sd");
  EXPECT_EQ(parse_error("uniform:sd=1"),
            "noise 'uniform:sd=1': uniform noise has no setting 'sd'; it has half-width");
  EXPECT_EQ(parse_error("laplace:dof=3"),
            "noise 'laplace:dof=3': laplace noise has no setting 'dof'; it has scale");
  EXPECT_EQ(parse_error("student-t:variance=3"),
            "noise 'student-t:variance=3': student-t noise has no setting 'variance'; it has "
            "scale and dof");
}

TEST(ParseNoise, RefusesImpossibleValues) {
  const std::string rule = "; it must be a finite number of at least 0";
  EXPECT_EQ(parse_error("gaussian:variance=-0.01"), "variance of the noise is -0.01" + rule);
  EXPECT_EQ(parse_error("gaussian:variance=nan"), "variance of the noise is nan" + rule);
  EXPECT_EQ(parse_error("gaussian:sd=-1"), "sd of the noise is -1" + rule);
  EXPECT_EQ(parse_error("uniform:half-width=inf"), "half-width of the noise is inf" + rule);
  EXPECT_EQ(parse_error("student-t:scale=1,dof=0"),
            "dof of the noise is 0; it must be a finite number greater than 0");
}

TEST(ValidateNoise, NamesFieldValueAndRule) {
  const std::string rule = "; it must be a finite number of at least 0";
  EXPECT_EQ(validation_error({.scale = kNan}), "sd of the noise is nan" + rule);
  EXPECT_EQ(validation_error({.shape = NoiseShape::uniform, .scale = -2}),
            "half-width of the noise is -2" + rule);
  EXPECT_EQ(validation_error({.shape = NoiseShape::laplace, .scale = kInfinity}),
            "scale of the noise is inf" + rule);
  EXPECT_EQ(validation_error({.column_scales = {0.1, 0.2}}),
            "the noise has 2 column scales; the model has 3 columns");
  EXPECT_EQ(validation_error({.column_scales = {0.1, -0.2, 0.3}}),
            "sd of the noise is -0.2" + rule);
  EXPECT_EQ(validation_error({.shape = NoiseShape::student_t, .degrees_of_freedom = -1}),
            "dof of the noise is -1; it must be a finite number greater than 0");
  EXPECT_EQ(validation_error({.shape = NoiseShape::student_t, .degrees_of_freedom = kInfinity}),
            "dof of the noise is inf; it must be a finite number greater than 0");
}

TEST(ValidateNoise, AcceptsWhatIsPossible) {
  const std::string none = "nothing was thrown";
  EXPECT_EQ(validation_error(Noise{}), none);
  EXPECT_EQ(validation_error({.scale = 0}), none);
  EXPECT_EQ(validation_error({.column_scales = {0, 1, 2}}), none);
  // Only Student-t noise has degrees of freedom.
  EXPECT_EQ(validation_error({.degrees_of_freedom = -1}), none);
}

TEST(NoiseScopes, AreReadByTheirNames) {
  for (const NoiseScope scope :
       {NoiseScope::all, NoiseScope::continuous, NoiseScope::movable, NoiseScope::changed}) {
    EXPECT_EQ(parse_scope(name_of(scope)), scope);
  }
  EXPECT_EQ(message_of<InvalidArgument>([] { return parse_scope("some"); }),
            "noise-on is 'some'; it must be all, continuous, movable or changed");
}

TEST(ScopedScales, KeepTheColumnsInScope) {
  const Space space = mixed_space();
  const auto scales = [&](NoiseScope scope) {
    return scoped_scales({.scale = 0.5, .scope = scope}, space);
  };
  EXPECT_EQ(scales(NoiseScope::all), (Vector{0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(scales(NoiseScope::continuous), (Vector{0.5, 0.5, 0, 0}));
  EXPECT_EQ(scales(NoiseScope::movable), (Vector{0.5, 0, 0, 0}));
  EXPECT_EQ(scales(NoiseScope::changed), (Vector{0.5, 0, 0, 0}));
  EXPECT_EQ(scoped_scales({.column_scales = {1, 2, 3, 4}, .scope = NoiseScope::continuous}, space),
            (Vector{1, 2, 0, 0}));
}

TEST(DependsOnPoint, ForChangedColumnsAndOneSidedNoise) {
  EXPECT_FALSE(depends_on_point({.scope = NoiseScope::movable}));
  EXPECT_TRUE(depends_on_point({.scope = NoiseScope::changed}));
  EXPECT_TRUE(depends_on_point({.falls_short = true}));
}

TEST(FitToPoint, LeavesTwoSidedNoiseAlone) {
  Vector draw{0.1, -0.2, 0.3};
  fit_to_point({}, Vector{0, 0, 0}, Vector{1, 0, -1}, draw);
  EXPECT_EQ(draw, (Vector{0.1, -0.2, 0.3}));
}

TEST(FitToPoint, KeepsOnlyChangedColumnsUnderScopeChanged) {
  Vector draw{0.1, -0.2, 0.3};
  fit_to_point({.scope = NoiseScope::changed}, Vector{0, 0, 0}, Vector{1, 0, -1}, draw);
  EXPECT_EQ(draw, (Vector{0.1, 0, 0.3}));
}

TEST(FitToPoint, TurnsOneSidedNoiseTowardsTheOrigin) {
  const Vector origin{0, 0, 0, 0, 0};
  const Vector point{1, 1, -1, -1, 0};
  Vector draw{0.1, -0.2, 0.3, -0.4, -0.5};
  fit_to_point({.falls_short = true}, origin, point, draw);
  EXPECT_EQ(draw, (Vector{-0.1, -0.2, 0.3, 0.4, -0.5}));
  draw = {0.1, -0.2, 0.3, -0.4, -0.5};
  fit_to_point({.scope = NoiseScope::changed, .falls_short = true}, origin, point, draw);
  EXPECT_EQ(draw, (Vector{-0.1, -0.2, 0.3, 0.4, 0}));
}

}  // namespace
}  // namespace croco
