// SPDX-License-Identifier: Apache-2.0
/// Fully connected layers in single precision on one block of draws, stored [unit][draw].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <croco/kernels/relu_bank.hpp>

namespace croco {

/// `out[o] = bias[o] + sum_i weights[o * inputs + i] * in[i]` on each of kBankBlock draws, summed
/// in the order of i with fused multiply-adds where the processor has them: the low bits may differ
/// between one that does and one that does not. `bias` may be null. Arrays of draws are aligned to
/// 64 bytes.
void dense_block(const float* weights, const float* bias, std::size_t inputs, std::size_t outputs,
                 const float* in, float* out) noexcept;

/// `out[i][k] = max(0, shifts[i] + in[units[i]][k])` on one block.
void shifted_relu_blocks(std::span<const std::uint32_t> units, const float* in, const float* shifts,
                         float* out) noexcept;
/// `values[k] = max(0, values[k])`.
void relu_blocks(std::size_t units, float* values) noexcept;
/// `slopes[k] = 0` where `values[k] <= 0`.
void relu_mask_blocks(std::size_t units, const float* values, float* slopes) noexcept;

/// `sums[u] += sum of values[u][k] over k`: sixteen partial sums per unit, added in a fixed order.
void add_block_sums(std::size_t units, const float* values, double* sums) noexcept;

}  // namespace croco
