// SPDX-License-Identifier: Apache-2.0
/// Numbers that stand for "unknown": 999999 in a column of months, -1 in a column of counts.
#pragma once

#include <vector>

namespace croco {

/// The values of a column that are usual codes for "unknown" and lie apart from all others, in
/// rising order. `distinct` are its values, sorted and without repetitions. Codes above the others
/// are 96 to 99 and numbers of three or more equal digits from 6 to 9, further away than the others
/// span; codes below are -1, -7, -8, -9 and negative numbers of nines, where no other value is
/// negative and, for -1 right below 0, there are at least ten others. Empty when fewer than three
/// values would be left.
[[nodiscard]] std::vector<double> sentinels_of(const std::vector<double>& distinct);

}  // namespace croco
