// SPDX-License-Identifier: Apache-2.0
/// Which points may be recommended to a person: in range, in the allowed direction, not too far,
/// on a step, in keeping with the relations. A person's present value is always admissible as such,
/// even where it is out of range or between two steps; relations that it breaks are to be repaired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// The values that a column may take for a person who has `origin` there.
[[nodiscard]] Interval admissible_interval(const Column& column, double origin) noexcept;

/// Moves every column to the nearest value of its interval; fixed columns go back to the origin.
void clamp(const Space& space, View origin, MutableView point) noexcept;

enum class Rounding : std::uint8_t {
  nearest,  ///< the admissible step nearest to the value
  outward,  ///< the first admissible step that is at least as far from the origin
};

/// The admissible value of a column that is nearest to `value` among those not below it (`up`) or
/// not above it; none when the column ends before.
[[nodiscard]] std::optional<double> admissible_beyond(const Column& column, double origin,
                                                      double value, bool up) noexcept;

/// Clamps, and puts columns with a step on it, one by one: relations are not looked at. Outward
/// falls back to the last admissible step when the range ends before the next. Categories that
/// moved as they may stay there, exactly one-hot; others go back to the origin.
void round(const Space& space, View origin, MutableView point, Rounding rounding);

/// Whether the point keeps the relations, changes no more features than it may, and `round` would
/// leave it as it is (to 1e-9 of a unit or step).
[[nodiscard]] bool is_admissible(const Space& space, View origin, View point);

}  // namespace croco
