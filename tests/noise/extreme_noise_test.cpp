// SPDX-License-Identifier: Apache-2.0
// Noise that can draw what is no number is refused, and no remainder of a covariance is dropped.
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/noise/covariance_root.hpp>
#include <croco/noise/sample.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

std::string fault(const Noise& noise, std::size_t width = 2) {
  return fixtures::message_of<InvalidArgument>([&] {
    validate(noise, width);
    return 0;
  });
}

Matrix square(std::size_t n, Vector numbers) {
  Matrix out(n, n);
  out.data = std::move(numbers);
  return out;
}

TEST(ExtremeNoise, IsRefusedWhereItCanDrawWhatIsNoNumber) {
  for (const double dof : {0.05, 0.02, 0.01, 0.0001, 1e-300}) {
    EXPECT_EQ(fault({.shape = NoiseShape::student_t, .scale = 0.1, .degrees_of_freedom = dof}),
              "dof of the noise is " + fmt::format("{}", dof) +
                  "; it can draw numbers beyond 1e+100; with 0.1 or more it cannot");
  }
  EXPECT_EQ(fault({.scale = 1e100}),
            "sd of the noise is 1e+100; it can draw numbers up to 6.3e+100, and no number may be "
            "larger than 1e+100 (in encoded units)");
  EXPECT_EQ(fault({.shape = NoiseShape::student_t, .scale = 1e30, .degrees_of_freedom = 0.1}),
            "scale of the noise is 1e+30; it can draw numbers up to 6.9e+128, and no number may be "
            "larger than 1e+100 (in encoded units)");
  EXPECT_EQ(fault({.shape = NoiseShape::laplace, .column_scales = {0, 1e99}}),
            "scale of the noise is 1e+99; it can draw numbers up to 2.2e+100, and no number may be "
            "larger than 1e+100 (in encoded units)");
  Noise mixed{.shape = NoiseShape::mixed,
              .column_scales = {1e99, 1e99},
              .column_shapes = {NoiseShape::uniform, NoiseShape::laplace}};
  EXPECT_EQ(fault(mixed), fault({.shape = NoiseShape::mixed,
                                 .column_scales = {0, 1e99},
                                 .column_shapes = {NoiseShape::uniform, NoiseShape::laplace}}));
  EXPECT_NE(fault(mixed), "");
  Noise empirical{.shape = NoiseShape::empirical};
  empirical.residuals.columns = {0};
  empirical.residuals.rows = Matrix(1, 1);
  empirical.residuals.rows.data = {-1e101};
  EXPECT_EQ(fault(empirical),
            "a residual of the empirical noise is -1e+101; it must be a finite number of at most "
            "1e+100 (in encoded units)");
  EXPECT_EQ(fault({.shape = NoiseShape::correlated,
                   .covariance = Covariance({0, 1}, square(2, {1, 0, 0, 1e200}))}),
            "a variance of the correlated noise is 1e+200; it can draw numbers up to 9e+100, and "
            "no number may be larger than 1e+100 (in encoded units)");
}

TEST(ExtremeNoise, DrawsNumbersUpToItsLimit) {
  for (const NoiseShape shape :
       {NoiseShape::gaussian, NoiseShape::uniform, NoiseShape::laplace, NoiseShape::student_t}) {
    Noise noise{.shape = shape, .scale = 1, .degrees_of_freedom = 0.1};
    noise.scale = kLargestDraw / largest_standard_draw(shape, 0.1) * (1 - 1e-12);
    validate(noise, 3);
    Matrix draws(20'000, 3);
    sample(noise, Vector(3, noise.scale), {1, Purpose::search, 0}, 0, draws);
    for (const double value : draws.data) ASSERT_LE(std::abs(value), kLargestDraw);
    EXPECT_DOUBLE_EQ(largest_draw(noise), kLargestDraw * (1 - 1e-12));
  }
}

/// Squares of such residuals are 0: a column must not lose its noise by that.
TEST(ExtremeNoise, TinyResidualsKeepTheirScale) {
  Noise noise{.shape = NoiseShape::empirical};
  noise.residuals.columns = {1};
  noise.residuals.rows = Matrix(2, 1);
  noise.residuals.rows.data = {3e-200, -4e-200};
  const Vector scales = scoped_scales(noise, fixtures::free_space(2));
  EXPECT_NEAR(scales[1] / 1e-200, std::sqrt(12.5), 1e-12);
  EXPECT_EQ(scales[0], 0);
}

/// Two columns that all but repeat each other: what is left between them is 2 (1 - correlation).
TEST(ExtremeNoise, CovariancesKeepSmallRemainders) {
  for (const double left : {1e-6, 1e-9, 1e-10, 1e-12, 1e-14, 0x1p-50, 0x1p-52}) {
    for (const double scale : {1.0, 0x1p-60, 0x1p100}) {
      const double rho = 1 - left;
      const Covariance covariance({0, 1}, square(2, {scale * scale, rho * scale, rho * scale, 1}));
      const Noise noise{.shape = NoiseShape::correlated, .covariance = covariance};
      Matrix draws(4000, 2);
      sample(noise, Vector{scale, 1}, {3, Purpose::search, 0}, 0, draws);
      double squares = 0;
      for (std::size_t k = 0; k < draws.count(); ++k) {
        const double between = draws[k][0] / scale - draws[k][1];
        squares += between * between;
      }
      const double truth = 2 * (1 - rho);
      EXPECT_NEAR(squares / 4000 / truth, 1, 0.15) << left << " and " << scale;
    }
  }
}

TEST(ExtremeNoise, RemainderOfManyColumns) {
  // x, y and their sum, which has a very small error of its own.
  for (const double own : {1e-10, 1e-13, 1e-15}) {
    const Covariance covariance({0, 1, 2},
                                square(3, {1, 0.5, 1.5, 0.5, 1, 1.5, 1.5, 1.5, 3 + own}));
    const double truth = (3 + own) - 3;  // as the doubles have it
    const Noise noise{.shape = NoiseShape::correlated, .covariance = covariance};
    Matrix draws(4000, 3);
    sample(noise, Vector(3, 1.0), {4, Purpose::search, 0}, 0, draws);
    double squares = 0;
    for (std::size_t k = 0; k < draws.count(); ++k) {
      const double between = draws[k][2] - draws[k][0] - draws[k][1];
      squares += between * between;
    }
    EXPECT_NEAR(squares / 4000 / truth, 1, 0.2) << own;
  }
}

TEST(ExtremeNoise, SingularCovariancesStaySingular) {
  const Covariance covariance({0, 1, 2}, square(3, {4, -4, 2, -4, 4, -2, 2, -2, 1}));
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_EQ(covariance.root()[0][m], -covariance.root()[1][m]);
    EXPECT_EQ(covariance.root()[0][m], 2 * covariance.root()[2][m]);
  }
  for (const double error : covariance.error().data) EXPECT_LT(error, 1e-25);
}

/// Rounded to six digits a singular covariance is no covariance any more, but near to one.
TEST(ExtremeNoise, RoundedCovariancesAreTaken) {
  const Vector one = fixtures::random_vector(5, 3);
  const Vector two = fixtures::random_vector(5, 4);
  Matrix matrix(5, 5);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      matrix[i][j] = std::round(1e7 * (one[i] * one[j] + two[i] * two[j])) / 1e7;
    }
  }
  const Covariance covariance({0, 1, 2, 3, 4}, matrix);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      double sum = 0;
      for (std::size_t m = 0; m < 5; ++m) sum += covariance.root()[i][m] * covariance.root()[j][m];
      const double size = std::sqrt(matrix[i][i] * matrix[j][j]);
      EXPECT_LE(std::abs(sum - matrix[i][j]) / size, covariance.error()[i][j] + 1e-14);
      EXPECT_LE(covariance.error()[i][j], 1e-6);
    }
  }
}

}  // namespace
}  // namespace croco
