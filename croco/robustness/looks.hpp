// SPDX-License-Identifier: Apache-2.0
/// When a certificate looks at its samples, and the error that each look may spend: both are fixed
/// before the first sample. The errors of the looks add up to that of the certificate, so by the
/// union bound all looks' bounds hold together, and the statement is valid wherever sampling stops.
/// Looks double, so there are few of them, and a point far from the target takes at most about
/// twice the samples that it would have needed in hindsight.
#pragma once

#include <cstddef>
#include <vector>

namespace croco {

/// One planned look.
struct Look {
  std::size_t samples = 0;  ///< taken by then
  double share = 1.0;       ///< of the error that the plan as a whole may spend

  bool operator==(const Look&) const = default;
};

/// Samples before the first look of a sequential certificate, unless it says otherwise.
inline constexpr std::size_t kFirstLook = 1000;

/// Looks at 1,000 samples (`first`), 2,000, 4,000 ... while that is at most two thirds of the
/// maximum, then at the maximum; what each may spend is `look_share`. One look with all of the
/// error when the maximum is below 1,500 samples.
[[nodiscard]] std::vector<Look> planned_looks(std::size_t maximum, std::size_t first = kFirstLook);

}  // namespace croco
