// SPDX-License-Identifier: Apache-2.0
/// Which points may be told to a person: in range, in the allowed direction, on a step. A person's
/// present value is always admissible, even where it is out of range or between two steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// The values that a column may take for a person who has `origin` there.
struct Interval {
  double lower;
  double upper;
};
[[nodiscard]] Interval admissible_interval(const Column& column, double origin) noexcept;

/// Moves every column to the nearest value of its interval; fixed columns go back to the origin.
void clamp(const Space& space, View origin, MutableView point) noexcept;

enum class Rounding : std::uint8_t {
  nearest,  ///< the admissible step nearest to the value
  outward,  ///< the first admissible step that is at least as far from the origin
};

/// Clamps, and puts columns with a step on it. Outward falls back to the last admissible step when
/// the range ends before the next. Categories that moved as they may stay there, exactly one-hot;
/// others go back to the origin.
void round(const Space& space, View origin, MutableView point, Rounding rounding);

/// Whether `round` would leave the point as it is (to 1e-9 of a unit or step).
[[nodiscard]] bool is_admissible(const Space& space, View origin, View point);

}  // namespace croco
