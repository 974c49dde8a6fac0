// SPDX-License-Identifier: Apache-2.0
// Draws of flips, of several shapes together, of residuals and of correlated columns.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/noise/sample.hpp>

#include "tests/fixtures.hpp"
#include "tests/flips.hpp"

namespace croco {
namespace {

constexpr Stream kStream{42, Purpose::evaluate, 7};

Matrix draws(const Noise& noise, const Vector& scales, std::uint64_t first, std::size_t count) {
  Matrix out(count, scales.size());
  sample(noise, scales, kStream, first, out);
  return out;
}

std::string fault(const Noise& noise, std::size_t width) {
  return fixtures::message_of<InvalidArgument>([&] {
    validate(noise, width);
    return 0;
  });
}

TEST(SampleFlips, FollowTheTransitionMatrix) {
  // Chi-square of what becomes of each level, in each of six categories (two blocks of words).
  const Space space = fixtures::mixed_space(0, {4, 3, 2, 5, 3, 4});
  const Noise noise{.flips = fixtures::random_flips(space, 0.3, 1)};
  constexpr std::size_t kDraws = 100'000;
  const DrawnFlips found = sample_flips(noise, kStream, 0, kDraws);
  for (std::size_t c = 0; c < noise.flips.size(); ++c) {
    const LevelFlips& flips = noise.flips[c];
    const std::size_t levels = flips.group().count;
    for (std::size_t from = 0; from < levels; ++from) {
      Vector counts(levels);
      for (std::size_t k = 0; k < kDraws; ++k) counts[flips.target(found.of(k)[c], from)] += 1;
      for (std::size_t to = 0; to < levels; ++to) {
        const double p = flips.probability(from, to);
        EXPECT_NEAR(counts[to], kDraws * p, 4.5 * std::sqrt(kDraws * p * (1 - p)) + 1e-9)
            << c << ": " << from << " -> " << to;
      }
    }
  }
}

TEST(SampleFlips, AreIndependentOfEachOtherAndOfTheNumbers) {
  const Space space = fixtures::mixed_space(3, {2, 2, 2, 2, 2});
  std::vector<LevelFlips> flips;
  for (const OneHotGroup& group : space.groups) {
    flips.push_back(LevelFlips::uniform(group, 0.5, {true, true}));
  }
  const Noise noise{.flips = flips};
  constexpr std::size_t kDraws = 40'000;
  const DrawnFlips found = sample_flips(noise, kStream, 0, kDraws);
  const Matrix numbers = draws(noise, {1, 1, 1}, 0, kDraws);
  const auto sign = [&](std::size_t k, std::size_t what) {
    if (what < 3) return numbers[k][what] > 0 ? 1 : -1;
    return found.of(k)[what - 3] == 0 ? 1 : -1;
  };
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      int sum = 0;
      for (std::size_t k = 0; k < kDraws; ++k) sum += sign(k, a) * sign(k, b);
      EXPECT_LT(std::abs(sum), 4.5 * std::sqrt(kDraws)) << a << ", " << b;
    }
  }
}

TEST(SampleFlips, DoNotDependOnTheBatchNorTheOtherCategories) {
  const Space space = fixtures::mixed_space(0, {4, 3, 2, 5, 3, 4});
  const Noise noise{.flips = fixtures::random_flips(space, 0.3, 1)};
  const DrawnFlips whole = sample_flips(noise, kStream, 0, 50);
  const DrawnFlips part = sample_flips(noise, kStream, 13, 21);
  for (std::size_t k = 0; k < 21; ++k) {
    EXPECT_TRUE(std::ranges::equal(part.of(k), whole.of(13 + k))) << k;
  }
  const Noise fewer{.flips = {noise.flips.begin(), noise.flips.begin() + 2}};
  const DrawnFlips two = sample_flips(fewer, kStream, 0, 50);
  for (std::size_t k = 0; k < 50; ++k) {
    EXPECT_TRUE(std::ranges::equal(two.of(k), whole.of(k).first(2))) << k;
  }
  const DrawnFlips other = sample_flips(noise, {43, Purpose::evaluate, 7}, 0, 50);
  EXPECT_NE(other.cells, whole.cells);
}

TEST(SampleFlips, LeaveTheNumericDrawsAsTheyWere) {
  const Space space = fixtures::mixed_space(6, {3, 2});
  for (const NoiseShape shape :
       {NoiseShape::gaussian, NoiseShape::uniform, NoiseShape::laplace, NoiseShape::student_t}) {
    const Noise plain{.shape = shape, .scope = NoiseScope::continuous};
    Noise flipped = plain;
    flipped.flips = fixtures::random_flips(space, 0.3, 1);
    EXPECT_EQ(draws(plain, scoped_scales(plain, space), 5, 40).data,
              draws(flipped, scoped_scales(flipped, space), 5, 40).data);
  }
}

TEST(SampleFlips, TheirColumnsHaveNoOtherNoise) {
  const Space space = fixtures::mixed_space(1, {2, 3});
  Noise noise{.scale = 0.5};
  noise.flips = {LevelFlips::uniform(space.groups[1], 0.1, {true, true, true})};
  EXPECT_EQ(scoped_scales(noise, space), (Vector{0.5, 0.5, 0.5, 0, 0, 0}));
}

TEST(MixedNoise, EveryColumnHasTheDrawsOfItsShape) {
  const Vector scales{0.5, 2, 0.1, 3, 1, 0.7};
  const Noise mixed{
      .shape = NoiseShape::mixed,
      .column_scales = scales,
      .column_shapes = {NoiseShape::uniform, NoiseShape::gaussian, NoiseShape::laplace,
                        NoiseShape::gaussian, NoiseShape::uniform, NoiseShape::gaussian}};
  const Matrix found = draws(mixed, scales, 3, 70);
  for (std::size_t j = 0; j < scales.size(); ++j) {
    const Matrix alone = draws({.shape = mixed.column_shapes[j]}, scales, 3, 70);
    for (std::size_t k = 0; k < 70; ++k) EXPECT_EQ(found[k][j], alone[k][j]) << k << ", " << j;
  }
}

TEST(EmpiricalNoise, ResamplesWholeRowsAlikeOften) {
  const Residuals residuals{{2, 0}, [] {
                              Matrix rows(0, 2);
                              for (int i = 0; i < 7; ++i) rows.append(Vector{i * 1.0, i * -10.0});
                              return rows;
                            }()};
  const Noise noise{.shape = NoiseShape::empirical, .residuals = residuals};
  const Vector scales = scoped_scales(noise, fixtures::free_space(4));
  EXPECT_EQ(scales[1], 0.0);
  EXPECT_NEAR(scales[2], std::sqrt(91.0 / 7), 1e-12);
  constexpr std::size_t kDraws = 70'000;
  const Matrix found = draws(noise, scales, 0, kDraws);
  Vector counts(7);
  for (std::size_t k = 0; k < kDraws; ++k) {
    ASSERT_EQ(found[k][0], -10 * found[k][2]);
    ASSERT_EQ(found[k][1], 0.0);
    ASSERT_EQ(found[k][3], 0.0);
    counts[static_cast<std::size_t>(found[k][2])] += 1;
  }
  for (const double count : counts) EXPECT_NEAR(count, kDraws / 7.0, 4.5 * std::sqrt(kDraws / 7.0));
  const Matrix part = draws(noise, scales, 500, 9);
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_TRUE(std::ranges::equal(part[k], found[500 + k]));
  }
}

TEST(EmpiricalNoise, ColumnsOutOfScopeAreExact) {
  Space space = fixtures::free_space(2);
  space.columns[1].movement = Movement::fixed;
  Noise noise{.shape = NoiseShape::empirical, .scope = NoiseScope::movable};
  noise.residuals = {{0, 1}, Matrix(1, 2)};
  noise.residuals.rows.data = {3, 4};
  EXPECT_EQ(draws(noise, scoped_scales(noise, space), 0, 1).data, (Vector{3, 0}));
}

/// The covariance of draws, and how far each entry may be off.
void expect_covariance(const Covariance& covariance, std::size_t width) {
  Noise noise{.shape = NoiseShape::correlated, .covariance = covariance};
  const Vector scales = scoped_scales(noise, fixtures::free_space(width));
  constexpr std::size_t kDraws = 100'000;
  const Matrix found = draws(noise, scales, 0, kDraws);
  const std::vector<std::size_t>& columns = covariance.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < kDraws; ++k) sum += found[k][columns[i]] * found[k][columns[j]];
      const Matrix& c = covariance.matrix();
      const double spread = std::sqrt((c[i][i] * c[j][j] + c[i][j] * c[i][j]) / kDraws);
      EXPECT_NEAR(sum / kDraws, c[i][j], 4.5 * spread + 1e-12) << i << ", " << j;
    }
  }
}

Matrix square(std::size_t n, Vector values) {
  Matrix out(n, n);
  out.data = std::move(values);
  return out;
}

TEST(CorrelatedNoise, HasTheCovariance) {
  expect_covariance({{3, 1, 0}, square(3, {4, 1.2, -0.6, 1.2, 1, -0.3, -0.6, -0.3, 0.25})}, 5);
}

TEST(CorrelatedNoise, MayBeSingular) {
  // The third column is the sum of the first two, the fourth exact, the fifth minus the first.
  expect_covariance(
      {{0, 1, 2, 3, 4}, square(5, {1, 0.5,  1.5, 0, -1, 0.5, 2, 2.5, 0,    -0.5, 1.5, 2.5, 4,
                                   0, -1.5, 0,   0, 0,  0,   0, -1,  -0.5, -1.5, 0,   1})},
      5);
}

TEST(CorrelatedNoise, RootsAreRoots) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Sequence random({seed, Purpose::train, 1});
    const std::size_t n = 1 + random.below(8);
    const std::size_t rank = 1 + random.below(static_cast<std::uint32_t>(n));
    const Vector factor = fixtures::random_vector(n * rank, seed);
    Matrix matrix(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t m = 0; m < rank; ++m) {
          matrix[i][j] += factor[i * rank + m] * factor[j * rank + m];
        }
      }
    }
    std::vector<std::size_t> columns(n);
    for (std::size_t i = 0; i < n; ++i) columns[i] = i;
    const Covariance covariance(columns, matrix);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t m = 0; m < n; ++m)
          sum += covariance.root()[i][m] * covariance.root()[j][m];
        EXPECT_NEAR(sum, matrix[i][j], 1e-6) << seed;
      }
    }
  }
}

TEST(CorrelatedNoise, MessagesSayWhatIsWrong) {
  const auto text = [](std::size_t n, Matrix matrix) {
    std::vector<std::size_t> columns(n);
    for (std::size_t i = 0; i < n; ++i) columns[i] = i;
    return fixtures::message_of<InvalidArgument>([&] { return Covariance(columns, matrix); });
  };
  EXPECT_EQ(text(2, Matrix(1, 2)), "the covariance has 1 rows of 2; it must have 2 of 2");
  EXPECT_EQ(text(2, square(2, {1, 0.5, 0.4, 1})),
            "row 2, column 1 of the covariance is 0.4, and row 1, column 2 is 0.5; a covariance "
            "must be symmetric");
  EXPECT_EQ(text(2, square(2, {1, 0, 0, -2})),
            "row 2, column 2 of the covariance is -2; a variance must be at least 0");
  EXPECT_EQ(text(2, square(2, {1, std::numeric_limits<double>::infinity(), 0, 1})),
            "row 1, column 2 of the covariance is inf; it must be a finite number");
  EXPECT_EQ(text(2, square(2, {4, 3, 3, 1})),
            "row 2, column 1 of the covariance is 3; with variances of 1 and 4 it must be within "
            "+-2");
  EXPECT_EQ(text(3, square(3, {1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1})),
            "the covariance is not positive semidefinite: given the other columns, the variance of "
            "column 3 must be above 1");
}

TEST(JointNoise, MessagesNameTheField) {
  const Covariance two({0, 1}, square(2, {1, 0, 0, 1}));
  EXPECT_EQ(fault({.shape = NoiseShape::correlated}, 3), "the correlated noise has no covariance");
  EXPECT_EQ(fault({.shape = NoiseShape::correlated, .covariance = two}, 1),
            "the correlated noise names column 1 (from 0); the model has 1 columns, and each may "
            "occur once");
  EXPECT_EQ(fault({.shape = NoiseShape::correlated,
                   .covariance = Covariance({1, 1}, square(2, {1, 0, 0, 1}))},
                  3),
            "the correlated noise names column 1 twice; the model has 3 columns, and each may "
            "occur once");
  EXPECT_EQ(fault({.shape = NoiseShape::empirical, .residuals = {{0}, Matrix(0, 1)}}, 3),
            "the empirical noise has 0 residuals of 1 numbers for 1 columns; it needs at least "
            "one, and a number for each column");
  Noise infinite{.shape = NoiseShape::empirical, .residuals = {{0}, Matrix(1, 1)}};
  infinite.residuals.rows.data = {std::numeric_limits<double>::infinity()};
  EXPECT_EQ(fault(infinite, 3),
            "a residual of the empirical noise is inf; it must be a finite number of at most "
            "1e+100 (in encoded units)");
  EXPECT_EQ(fault({.shape = NoiseShape::mixed}, 2),
            "the mixed noise has 0 column shapes and 0 column scales; the model has 2 columns");
  EXPECT_EQ(fault({.shape = NoiseShape::mixed,
                   .column_scales = {1},
                   .column_shapes = {NoiseShape::student_t}},
                  1),
            "the mixed noise has a column of shape student-t; it must be gaussian, uniform or "
            "laplace");
}

TEST(JointNoise, FlippedCategoriesMustBeThereAndApart) {
  const auto flips = [](std::size_t first) {
    return LevelFlips::uniform({first, 2}, 0.1, {true, true});
  };
  EXPECT_EQ(fault({.flips = {flips(2)}}, 3),
            "the noise flips columns 2 .. 3; the model has 3 columns");
  EXPECT_EQ(fault({.flips = {flips(0), flips(1)}}, 3),
            "the noise flips column 1 in two categories; each belongs to one");
  EXPECT_EQ(fault({.flips = {flips(0), flips(2)}}, 4), "nothing was thrown");
}

TEST(ScaledNoise, ScalesWhateverThereIs) {
  Noise noise{.scale = 2, .column_scales = {1, 4}};
  noise.residuals = {{0}, Matrix(1, 1)};
  noise.residuals.rows.data = {6};
  noise.covariance = Covariance({0, 1}, square(2, {4, 1, 1, 1}));
  noise.flips = {LevelFlips::uniform({0, 2}, 0.1, {true, true})};
  const Noise half = scaled(noise, 0.5);
  EXPECT_EQ(half.scale, 1.0);
  EXPECT_EQ(half.column_scales, (Vector{0.5, 2}));
  EXPECT_EQ(half.residuals.rows.data, Vector{3});
  EXPECT_EQ(half.covariance.matrix().data, (Vector{1, 0.25, 0.25, 0.25}));
  EXPECT_DOUBLE_EQ(half.flips[0].probability(0, 1), 0.05);
}

}  // namespace
}  // namespace croco
