// SPDX-License-Identifier: Apache-2.0
// The draws themselves: one Philox block serves four columns (two for Student-t).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/base/random.hpp>
#include <croco/kernels/normal_draws.hpp>
#include <croco/noise/noise.hpp>

namespace croco {
namespace {

/// Limits of the counter that the draws are computed from.
constexpr std::size_t kMaxColumns = std::size_t{1} << 17;
constexpr std::uint64_t kMaxDraws = std::uint64_t{1} << 40;

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
        break;  // made many at a time
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

void sample(const Noise& noise, View scales, const Stream& stream, std::uint64_t first,
            Matrix& out) {
  if (scales.size() > kMaxColumns || first > kMaxDraws || out.count() > kMaxDraws - first) {
    throw InvalidArgument(fmt::format("{} columns from draw {} on: at most {} columns and {} draws",
                                      scales.size(), first, kMaxColumns, kMaxDraws));
  }
  if (noise.shape == NoiseShape::gaussian) {
    sample_gaussian(scales, stream, first, out);
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

}  // namespace croco
