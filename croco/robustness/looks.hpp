// SPDX-License-Identifier: Apache-2.0
/// When a certificate looks at its draws, and what each look may cost: both are fixed before the
/// first draw, so the statement holds wherever the drawing stops.
#pragma once

#include <cstddef>
#include <vector>

namespace croco {

/// One planned look.
struct Look {
  std::size_t samples = 0;  ///< draws made by then
  double share = 1.0;       ///< of the error that the plan as a whole may make

  bool operator==(const Look&) const = default;
};

/// Draws before the first look of a sequential certificate.
inline constexpr std::size_t kFirstLook = 1000;

/// 1,000 draws, then twice as many each time, then the maximum; what each may cost is `look_share`.
/// One look with all of the error when the maximum is below 1,500 draws.
[[nodiscard]] std::vector<Look> planned_looks(std::size_t maximum);

}  // namespace croco
