// SPDX-License-Identifier: Apache-2.0
/// Order statistics of many numbers, by counting instead of sorting.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace croco {

/// The values of some ranks.
struct SelectedBand {
  float value = 0;  ///< of `rank`, exactly
  float low = 0;    ///< at most `low_rank` values are below it, approximately as many
  float high = 0;   ///< at least `high_rank` values are at most it, approximately as many
};

/// The (rank + 1)-th smallest of `values`, and values near two other ranks, low_rank <= rank <=
/// high_rank < values.size(). Infinities are fine, NaN is not. The same on every instruction set.
/// `scratch` is reused.
[[nodiscard]] SelectedBand select_band(std::span<const float> values, std::size_t low_rank,
                                       std::size_t rank, std::size_t high_rank,
                                       std::vector<float>& scratch);

/// How many values are at most `threshold`, and how many are above it. NaN is neither.
[[nodiscard]] std::size_t count_at_most(std::span<const float> values, float threshold) noexcept;
[[nodiscard]] std::size_t count_above(std::span<const float> values, float threshold) noexcept;

/// Logits to margins in place, `sign * (value - threshold)`; NaN becomes -infinity.
void margins_of(std::span<float> values, float sign, float threshold) noexcept;

/// `weights[k]` = 1 where low <= values[k] <= high, else 0; returns how many.
std::size_t band_weights(std::span<const float> values, float low, float high,
                         float* weights) noexcept;

}  // namespace croco
