// SPDX-License-Identifier: Apache-2.0
#include <croco/noise/sample.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

constexpr Stream kStream{42, Purpose::evaluate, 7};

Matrix draws(const Noise& noise, const Vector& scales, std::uint64_t first, std::size_t count,
             const Stream& stream = kStream) {
  Matrix out(count, scales.size());
  sample(noise, scales, stream, first, out);
  return out;
}

Vector column(const Matrix& matrix, std::size_t j) {
  Vector out(matrix.count());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = matrix[k][j];
  return out;
}

double mean_of(const Vector& values, const std::function<double(double)>& f) {
  double sum = 0;
  for (const double value : values) sum += f(value);
  return sum / static_cast<double>(values.size());
}

/// One shape with its distribution: the cdf of the standard draw, and moments where they exist.
struct Law {
  std::string name;
  Noise noise;
  std::function<double(double)> cdf;
};

/// Closed forms of Student's distribution.
double cauchy_cdf(double x) { return 0.5 + std::atan(x) / 3.14159265358979323846; }
double student_2_cdf(double x) { return 0.5 + x / (2 * std::sqrt(2 + x * x)); }
double student_4_cdf(double x) {
  const double s = 1 + x * x / 4;
  return 0.5 + 0.375 * x / std::sqrt(s) * (1 - x * x / s / 12);
}

std::vector<Law> laws() {
  const auto student = [](double degrees) {
    return Noise{.shape = NoiseShape::student_t, .degrees_of_freedom = degrees};
  };
  return {
      {"gaussian", {}, normal_cdf},
      {"uniform",
       {.shape = NoiseShape::uniform},
       [](double x) { return std::clamp((x + 1) / 2, 0.0, 1.0); }},
      {"laplace",
       {.shape = NoiseShape::laplace},
       [](double x) { return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2; }},
      {"student_1", student(1), cauchy_cdf},
      {"student_2", student(2), student_2_cdf},
      {"student_4", student(4), student_4_cdf},
  };
}

class SampleLaw : public ::testing::TestWithParam<Law> {};

TEST_P(SampleLaw, DrawsFollowTheDistribution) {
  // Kolmogorov-Smirnov on every column of a width that ends inside of a block.
  constexpr std::size_t kDraws = 50'000;
  const Vector scales{0.5, 1, 2, 3, 0.1};
  const Matrix found = draws(GetParam().noise, scales, 0, kDraws);
  for (std::size_t j = 0; j < scales.size(); ++j) {
    Vector values = column(found, j);
    std::ranges::sort(values);
    double largest = 0;
    for (std::size_t k = 0; k < kDraws; ++k) {
      const double p = GetParam().cdf(values[k] / scales[j]);
      largest = std::max(
          {largest, p - static_cast<double>(k) / kDraws, static_cast<double>(k + 1) / kDraws - p});
    }
    EXPECT_LT(largest * std::sqrt(double{kDraws}), 2.23) << "column " << j;  // p = 1e-4
  }
}

TEST_P(SampleLaw, ColumnsAndDrawsAreUncorrelated) {
  constexpr std::size_t kDraws = 40'000;
  const Matrix found = draws(GetParam().noise, Vector(6, 1.0), 0, kDraws);
  const double allowance = 4.5 / std::sqrt(double{kDraws});
  // Signs and sizes, both bounded, so that heavy tails do no harm.
  const auto sign = [](double x) { return x > 0 ? 1.0 : -1.0; };
  const auto size = [&](double x) { return GetParam().cdf(std::abs(x)) > 0.75 ? 1.0 : -1.0; };
  for (std::size_t a = 0; a < 6; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double signs = 0;
      double sizes = 0;
      // A column against the others, and against its own next draw.
      const std::size_t lag = a == b ? 1 : 0;
      for (std::size_t k = lag; k < kDraws; ++k) {
        signs += sign(found[k][a]) * sign(found[k - lag][b]);
        sizes += size(found[k][a]) * size(found[k - lag][b]);
      }
      EXPECT_LT(std::abs(signs) / kDraws, allowance) << a << ", " << b;
      EXPECT_LT(std::abs(sizes) / kDraws, allowance) << a << ", " << b;
    }
  }
}

TEST_P(SampleLaw, DrawsDoNotDependOnTheBatch) {
  for (std::size_t width = 1; width <= 9; ++width) {
    const Vector scales(width, 0.3);
    const Matrix whole = draws(GetParam().noise, scales, 0, 40);
    for (const auto& [first, count] :
         {std::pair<std::size_t, std::size_t>{0, 1}, {0, 39}, {1, 5}, {17, 23}, {39, 1}}) {
      const Matrix part = draws(GetParam().noise, scales, first, count);
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_TRUE(std::ranges::equal(part[k], whole[first + k])) << width << ", " << first + k;
      }
    }
  }
}

TEST_P(SampleLaw, DrawsDoNotDependOnTheOtherColumns) {
  const Matrix whole = draws(GetParam().noise, {1, 1, 1, 1, 1, 1}, 0, 50);
  for (std::size_t j = 0; j < 6; ++j) {
    Vector alone(6, 0.0);
    alone[j] = 2;
    const Matrix found = draws(GetParam().noise, alone, 0, 50);
    for (std::size_t k = 0; k < 50; ++k) {
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(found[k][i], i == j ? 2 * whole[k][j] : 0.0);
      }
    }
    const Matrix narrow = draws(GetParam().noise, Vector(j + 1, 1.0), 0, 50);
    EXPECT_EQ(column(narrow, j), column(whole, j));
  }
}

TEST_P(SampleLaw, DrawsDependOnSeedPurposeAndItem) {
  const Vector scales{1, 1, 1};
  const Matrix whole = draws(GetParam().noise, scales, 0, 20);
  for (const Stream& other : {Stream{43, Purpose::evaluate, 7}, Stream{42, Purpose::certify, 7},
                              Stream{42, Purpose::evaluate, 8}}) {
    const Matrix found = draws(GetParam().noise, scales, 0, 20, other);
    for (std::size_t i = 0; i < found.data.size(); ++i) EXPECT_NE(found.data[i], whole.data[i]);
  }
}

TEST_P(SampleLaw, OverwritesWhatTheMatrixHeld) {
  const Vector scales{1, 0, 1};
  Matrix out(3, 3);
  std::ranges::fill(out.data, 99.0);
  sample(GetParam().noise, scales, kStream, 0, out);
  EXPECT_EQ(out.data, draws(GetParam().noise, scales, 0, 3).data);
}

INSTANTIATE_TEST_SUITE_P(Shapes, SampleLaw, ::testing::ValuesIn(laws()),
                         [](const auto& test) { return test.param.name; });

/// `power` moments of a standard draw; the tolerance is 4.5 standard errors of the mean.
void expect_moment(const Noise& noise, double power, double expected, double variance) {
  constexpr std::size_t kDraws = 200'000;
  const Vector values = column(draws(noise, {1.0}, 0, kDraws), 0);
  const double found = mean_of(values, [&](double x) { return std::pow(std::abs(x), power); });
  EXPECT_NEAR(found, expected, 4.5 * std::sqrt(variance / kDraws)) << noise_text(noise);
}

TEST(SampleMoments, AreThoseOfTheShapes) {
  // E|x|^p and Var|x|^p = E|x|^2p - (E|x|^p)^2.
  expect_moment({}, 2, 1, 2);
  expect_moment({}, 4, 3, 96);
  expect_moment({.shape = NoiseShape::uniform}, 1, 0.5, 1.0 / 12);
  expect_moment({.shape = NoiseShape::uniform}, 2, 1.0 / 3, 4.0 / 45);
  expect_moment({.shape = NoiseShape::laplace}, 1, 1, 1);
  expect_moment({.shape = NoiseShape::laplace}, 2, 2, 20);
  // Student-t with 9 degrees of freedom: variance 9/7, fourth moment 3 * 81 / (7 * 5).
  expect_moment({.shape = NoiseShape::student_t, .degrees_of_freedom = 9}, 2, 9.0 / 7,
                3 * 81.0 / 35 - 81.0 / 49);
}

TEST(SampleMoments, MeansAreZero) {
  constexpr std::size_t kDraws = 200'000;
  const auto expect_mean_zero = [](const Noise& noise, double variance) {
    const Vector values = column(draws(noise, {1.0}, 0, kDraws), 0);
    EXPECT_NEAR(mean_of(values, [](double x) { return x; }), 0, 4.5 * std::sqrt(variance / kDraws))
        << noise_text(noise);
  };
  expect_mean_zero({}, 1);
  expect_mean_zero({.shape = NoiseShape::uniform}, 1.0 / 3);
  expect_mean_zero({.shape = NoiseShape::laplace}, 2);
  expect_mean_zero({.shape = NoiseShape::student_t}, 5.0 / 3);
}

TEST(Sample, UniformNoiseStaysWithinItsHalfWidth) {
  const Matrix found = draws({.shape = NoiseShape::uniform}, {0.25}, 0, 20'000);
  const auto [least, largest] = std::ranges::minmax(found.data);
  EXPECT_GT(least, -0.25);
  EXPECT_LT(largest, 0.25);
  EXPECT_LT(least, -0.2499);
  EXPECT_GT(largest, 0.2499);
}

TEST(Sample, RefusesMoreThanTheCounterHolds) {
  const auto text = [](std::size_t width, std::uint64_t first) {
    return fixtures::message_of<InvalidArgument>(
        [&] { return draws({}, Vector(width, 0.0), first, 1); });
  };
  const std::string rule = ": at most 131072 columns and 1099511627776 samples";
  EXPECT_EQ(text(131'073, 0), "131073 columns from sample 0 on" + rule);
  EXPECT_EQ(text(1, std::uint64_t{1} << 40), "1 columns from sample 1099511627776 on" + rule);
  EXPECT_THAT(text(1, ~std::uint64_t{0}), testing::HasSubstr("at most 131072 columns"));
  EXPECT_EQ(text(131'072, (std::uint64_t{1} << 40) - 1), "nothing was thrown");
}

TEST(Sample, StudentDrawsReachTheLastBlockOfTheWidestRow) {
  Vector scales(131'072, 0.0);
  scales.back() = 1;
  scales.front() = 1;
  const Matrix found = draws({.shape = NoiseShape::student_t}, scales, 0, 1);
  EXPECT_NE(found.data.back(), 0.0);
  EXPECT_NE(found.data.back(), found.data.front());
}

}  // namespace
}  // namespace croco
