// SPDX-License-Identifier: Apache-2.0
// The draws themselves: one Philox block serves four columns (two for Student-t).
#include <croco/noise/sample.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/base/random.hpp>
#include <croco/kernels/normal_draws.hpp>

namespace croco {
namespace {

/// Limits of the counter that the draws are computed from.
constexpr std::size_t kMaxColumns = std::size_t{1} << 17;
constexpr std::uint64_t kMaxDraws = std::uint64_t{1} << 40;
/// Blocks of words from here on are for flips, four categories each.
constexpr std::size_t kFlipBlock = 0xC000;
constexpr std::size_t kPerBlock = 4;

double laplace_quantile(double u) noexcept {
  return u < 0.5 ? portable_log(2 * u) : -portable_log(2 * (1 - u));
}

/// Bailey (1994): exact for every number of degrees of freedom.
double student_t(double u, double v, double degrees) noexcept {
  return std::sqrt(degrees * (std::pow(u, -2 / degrees) - 1)) * std::cos(2 * std::numbers::pi * v);
}

/// The standard draws of up to four columns from one block of words.
std::array<double, 4> standard_draws(const Noise& noise,
                                     const std::array<std::uint32_t, 4>& words) noexcept {
  std::array<double, 4> draws{};
  for (std::size_t i = 0; i < 4; ++i) {
    const double u = to_uniform(words[i]);
    switch (noise.shape) {
      case NoiseShape::gaussian:
      case NoiseShape::mixed:
      case NoiseShape::empirical:
      case NoiseShape::correlated:
        break;  // the caller samples these
      case NoiseShape::uniform:
        draws[i] = 2 * u - 1;
        break;
      case NoiseShape::laplace:
        draws[i] = laplace_quantile(u);
        break;
      case NoiseShape::student_t:
        if (i % 2 == 0)
          draws[i / 2] = student_t(u, to_uniform(words[i + 1]), noise.degrees_of_freedom);
        break;
    }
  }
  return draws;
}

/// The words of column j are those that it has under each of the shapes alone.
void sample_mixed(const Noise& noise, View scales, const Stream& stream, std::uint64_t first,
                  Matrix& out) {
  for (const NoiseShape shape : {NoiseShape::gaussian, NoiseShape::uniform, NoiseShape::laplace}) {
    Vector own(scales.begin(), scales.end());
    for (std::size_t j = 0; j < own.size(); ++j) {
      if (noise.column_shapes[j] != shape) own[j] = 0;
    }
    if (std::ranges::all_of(own, [](double scale) { return scale == 0; })) continue;
    Matrix part(out.count(), out.width);
    sample({.shape = shape}, own, stream, first, part);
    for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] += part.data[i];
  }
}

void sample_empirical(const Residuals& residuals, View scales, const Stream& stream,
                      std::uint64_t first, Matrix& out) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t rows = residuals.rows.count();
  for (std::size_t k = 0; k < out.count(); ++k) {
    // The high word of a product of 64 bits with the number of rows: no row is favoured by more
    // than rows / 2^64.
    const auto words = random_words(stream, first + k, 0);
    const std::uint64_t wide = std::uint64_t{words[0]} << 32U | words[1];
    const auto row = static_cast<std::size_t>((Wide{wide} * rows) >> 64U);
    for (std::size_t i = 0; i < residuals.columns.size(); ++i) {
      const std::size_t j = residuals.columns[i];
      if (scales[j] != 0) out[k][j] = residuals.rows[row][i];
    }
  }
}

void sample_correlated(const Covariance& covariance, View scales, const Stream& stream,
                       std::uint64_t first, Matrix& out) {
  const std::size_t n = covariance.columns().size();
  Matrix normals(out.count(), n);
  sample({.shape = NoiseShape::gaussian}, Vector(n, 1.0), stream, first, normals);
  for (std::size_t k = 0; k < out.count(); ++k) {
    const View row = normals[k];
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = covariance.columns()[i];
      if (scales[j] == 0) continue;
      double sum = 0;
      for (std::size_t m = 0; m < n; ++m) sum += covariance.root()[i][m] * row[m];
      out[k][j] = sum;
    }
  }
}

/// Runs of draws at a time: the same numbers as one by one.
void sample_gaussian(View scales, const Stream& stream, std::uint64_t first, Matrix& out) {
  constexpr std::size_t kRun = 64;
  constexpr std::size_t kColumns = 4;
  std::array<double, kColumns * kRun> draws{};
  std::ranges::fill(out.data, 0.0);
  for (std::size_t begin = 0; begin < out.count(); begin += kRun) {
    const std::size_t n = std::min(kRun, out.count() - begin);
    for (std::size_t j = 0; j < scales.size(); j += kColumns) {
      const std::size_t columns = std::min(kColumns, scales.size() - j);
      const View some = scales.subspan(j, columns);
      if (std::ranges::all_of(some, [](double scale) { return scale == 0; })) continue;
      normal_draws(stream, first + begin, static_cast<std::uint32_t>(j / kColumns), n,
                   draws.data());
      for (std::size_t k = 0; k < n; ++k) {
        double* row = out[begin + k].data() + j;
        for (std::size_t i = 0; i < columns; ++i) row[i] = some[i] * draws[i * n + k];
      }
    }
  }
}

}  // namespace

double largest_standard_draw(NoiseShape shape, double degrees_of_freedom) noexcept {
  const double least = to_uniform(0);
  switch (shape) {
    case NoiseShape::gaussian:
      return -normal_quantile(least);
    case NoiseShape::uniform:
      return 1;
    case NoiseShape::laplace:
      return -laplace_quantile(least);
    case NoiseShape::student_t:
      return student_t(least, 0, degrees_of_freedom);
    case NoiseShape::mixed:
    case NoiseShape::empirical:
    case NoiseShape::correlated:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

void sample(const Noise& noise, View scales, const Stream& stream, std::uint64_t first,
            Matrix& out) {
  if (scales.size() > kMaxColumns || first > kMaxDraws || out.count() > kMaxDraws - first) {
    throw InvalidArgument(
        fmt::format("{} columns from sample {} on: at most {} columns and {} samples",
                    scales.size(), first, kMaxColumns, kMaxDraws));
  }
  if (!noise.flips.empty() && noise.shape == NoiseShape::student_t &&
      scales.size() > 2 * kFlipBlock) {
    throw InvalidArgument(
        fmt::format("{} columns: beside flips, student-t noise can have at most {}", scales.size(),
                    2 * kFlipBlock));
  }
  if (noise.shape == NoiseShape::gaussian) {
    sample_gaussian(scales, stream, first, out);
    return;
  }
  if (noise.shape >= NoiseShape::mixed) {
    std::ranges::fill(out.data, 0.0);
    if (noise.shape == NoiseShape::mixed) {
      sample_mixed(noise, scales, stream, first, out);
    } else if (noise.shape == NoiseShape::empirical) {
      sample_empirical(noise.residuals, scales, stream, first, out);
    } else {
      sample_correlated(noise.covariance, scales, stream, first, out);
    }
    return;
  }
  const std::size_t per_block = noise.shape == NoiseShape::student_t ? 2 : 4;
  for (std::size_t k = 0; k < out.count(); ++k) {
    const MutableView row = out[k];
    for (std::size_t j = 0; j < row.size(); j += per_block) {
      bool noisy = false;
      for (std::size_t i = j; i < std::min(j + per_block, row.size()); ++i) {
        row[i] = 0;
        noisy = noisy || scales[i] != 0;
      }
      if (!noisy) continue;
      const auto draws = standard_draws(
          noise, random_words(stream, first + k, static_cast<std::uint32_t>(j / per_block)));
      for (std::size_t i = j; i < std::min(j + per_block, row.size()); ++i) {
        row[i] = scales[i] * draws[i - j];
      }
    }
  }
}

DrawnFlips sample_flips(const Noise& noise, const Stream& stream, std::uint64_t first,
                        std::size_t count) {
  DrawnFlips out{noise.flips, std::vector<std::uint32_t>(count * noise.flips.size())};
  const std::size_t categories = noise.flips.size();
  std::vector<std::uint32_t> words(kPerBlock * count);
  for (std::size_t c = 0; c < categories; ++c) {
    if (c % kPerBlock == 0) {
      random_words_of(stream, first, static_cast<std::uint32_t>(kFlipBlock + c / kPerBlock), count,
                      words.data());
    }
    const LevelFlips& flips = noise.flips[c];
    const std::uint32_t* own = words.data() + c % kPerBlock * count;
    for (std::size_t k = 0; k < count; ++k) {
      out.cells[k * categories + c] = static_cast<std::uint32_t>(flips.cell_of(to_uniform(own[k])));
    }
  }
  return out;
}

}  // namespace croco
