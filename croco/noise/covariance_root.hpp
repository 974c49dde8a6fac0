// SPDX-License-Identifier: Apache-2.0
/// Roots of covariances that are nearly singular: what little of a column the others leave is noise
/// of its own, however small, and some model may magnify it.
#pragma once

#include <croco/base/types.hpp>

namespace croco {

/// `root root' = matrix`, [column][normal], for a symmetric matrix whose covariances are within
/// what the variances allow. Computed with twice the digits of a double: a remainder counts as 0
/// only when it is below the rounding errors of that, relative to its column's variance. Where
/// rounding has left the matrix itself not quite positive semidefinite, columns keep their
/// variance.
[[nodiscard]] Matrix fine_root(const Matrix& matrix);

/// How far each entry of `root root'` is from the matrix, at most, in units of the columns'
/// standard deviations.
[[nodiscard]] Matrix root_error(const Matrix& matrix, const Matrix& root);

}  // namespace croco
