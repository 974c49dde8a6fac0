// SPDX-License-Identifier: Apache-2.0
/// How the training data's values of one number are spread: what costs by deviation or by
/// percentile are counted in.
#pragma once

#include <cstddef>
#include <string>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>

namespace croco {

/// Of at least one finite value. Where there are more different values than knots, those are kept
/// whose straight lines stay nearest to the function: the worst place gets the next knot.
[[nodiscard]] Distribution distribution_of(Vector values);

/// Throws DataError naming the rule, with `where` in front: as many values as shares, 1 to
/// `kMostKnots`, finite and rising, shares above 0 and below 1, a deviation of at least 0.
void validate(const Distribution& distribution, const std::string& where);

}  // namespace croco
