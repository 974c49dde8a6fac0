// SPDX-License-Identifier: Apache-2.0
/// How the training data's values of one number are spread: what costs by deviation or by
/// percentile are counted in.
#pragma once

#include <cstddef>
#include <string>

#include <croco/base/types.hpp>

namespace croco {

/// The most knots of a distribution.
inline constexpr std::size_t kMostKnots = 128;

/// All in the feature's own units.
struct Distribution {
  /// The median absolute deviation from the median; where that is 0, because more than half of the
  /// data are alike, the mean absolute deviation from the median; 0 for a constant alone.
  double deviation = 0.0;
  /// Knots: values, rising, from the smallest to the largest, and the share of the data below each
  /// plus half of the share that equals it (the mid-distribution function). All values that occur
  /// when these are at most `kMostKnots`.
  Vector values = {};
  Vector shares = {};

  bool operator==(const Distribution&) const = default;
};

/// Of at least one finite value. Where there are more different values than knots, those are kept
/// whose straight lines stay nearest to the function: the worst place gets the next knot.
[[nodiscard]] Distribution distribution_of(Vector values);

/// Throws DataError naming the rule, with `where` in front: as many values as shares, 1 to
/// `kMostKnots`, finite and rising, shares above 0 and below 1, a deviation of at least 0.
void validate(const Distribution& distribution, const std::string& where);

}  // namespace croco
