// SPDX-License-Identifier: Apache-2.0
/// Random samples of noise.
#pragma once

#include <cstddef>
#include <cstdint>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/noise/noise.hpp>
#include <croco/space/level_flips.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// No number that is drawn may be larger, in encoded units: beyond, models cannot be asked.
inline constexpr double kLargestDraw = 1e100;

/// The largest number that can be drawn of a shape with a scale of 1, infinite where there is none.
/// `degrees_of_freedom` is of student_t alone. Not for mixed, empirical and correlated noise.
[[nodiscard]] double largest_standard_draw(NoiseShape shape, double degrees_of_freedom) noexcept;

/// No number of a draw is larger than this. Requires valid noise.
[[nodiscard]] double largest_draw(const Noise& noise);

/// The scale of every column once the scope has been applied, 0 where there is no noise. For
/// `changed` the columns are not known yet: all that may ever change keep their scale. Of empirical
/// and correlated noise it is the root of the mean square. 0 for the columns of flipped categories.
[[nodiscard]] Vector scoped_scales(const Noise& noise, const Space& space);

/// Whether draws depend on the point they are laid around (scope `changed`, or one-sided).
[[nodiscard]] constexpr bool depends_on_point(const Noise& noise) noexcept {
  return noise.scope == NoiseScope::changed || noise.falls_short;
}

/// Draws `first .. first + out.count() - 1` of a stream: `out[k][j] = scales[j] * standard draw`
/// where columns are independent; what is drawn together is kept where scales are not 0. A pure
/// function of (stream, index, column).
void sample(const Noise& noise, View scales, const Stream& stream, std::uint64_t first,
            Matrix& out);

/// The cells of the categories in draws `first .. first + count - 1`. A pure function of (stream,
/// index, category), from words that no numeric draw uses. Refers to the noise.
[[nodiscard]] DrawnFlips sample_flips(const Noise& noise, const Stream& stream, std::uint64_t first,
                                      std::size_t count);

/// Turns a two-sided draw for all columns into the noise around `point`: only changed columns under
/// scope `changed`, and falling short where that is asked for.
void fit_to_point(const Noise& noise, View origin, View point, MutableView draw) noexcept;

}  // namespace croco
