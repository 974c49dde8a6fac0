// SPDX-License-Identifier: Apache-2.0
/// A few numbers about many; 0 for none.
#pragma once

#include <vector>

namespace croco {

[[nodiscard]] double mean_of(const std::vector<double>& values) noexcept;
/// The standard deviation of the population: over n, not n - 1.
[[nodiscard]] double deviation_of(const std::vector<double>& values) noexcept;
/// Of an even number, half way between the middle two.
[[nodiscard]] double median_of(std::vector<double> values);

}  // namespace croco
