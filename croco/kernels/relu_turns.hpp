// SPDX-License-Identifier: Apache-2.0
/// Networks with one hidden layer of ReLU units that take turns: kTurn draws are one network's, the
/// next kTurn the next one's. `relu_bank` wants whole blocks of draws of one network; here a single
/// vector of them is enough, so that few draws can meet many networks.
///
/// With units scaled by the size of their output weight, those with a positive one first, a logit
/// is `bias + sum_{u < positive} max(0, P_u + s_u) - sum_{u >= positive} max(0, P_u + s_u)`: P_u is
/// the draw's part, s_u the point's. Four partial sums of either sign, added in a fixed order and
/// without fused operations: every instruction set gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace croco {

/// Draws that a network answers for at a time.
inline constexpr std::size_t kTurn = 8;

/// Turns of networks with equally many units; turn t is that of network `t % networks`.
struct ReluTurns {
  const float* values = nullptr;  ///< [turn][unit][draw], aligned to 32 bytes
  std::size_t units = 0;
  std::size_t networks = 0;
  const float* shifts = nullptr;  ///< [network][unit]
  const std::uint32_t* positive = nullptr;
  const float* biases = nullptr;
};

/// `out[(t - first) * kTurn + k]`: the logits of turns first .. first + count - 1.
void relu_turn_logits(const ReluTurns& turns, std::size_t first, std::size_t count,
                      float* out) noexcept;

/// Adds the slopes of the units that are active at one draw, times a weight: `values` is the draw's
/// first unit, kTurn apart from the next; `slopes` is [unit][stride], `sums` has `stride` numbers,
/// and `stride` is a multiple of kTurn. The order of summation is fixed here too.
void add_active_slopes(const float* values, const float* shifts, const float* slopes,
                       std::size_t units, std::size_t stride, float weight, float* sums) noexcept;

/// `out[i] += factor * in[i]`.
void add_scaled(const float* in, float factor, std::size_t count, float* out) noexcept;

}  // namespace croco
