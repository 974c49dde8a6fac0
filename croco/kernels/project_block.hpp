// SPDX-License-Identifier: Apache-2.0
/// One block of draws through the units of a layer.
#pragma once

#include <cstddef>

#include <croco/kernels/relu_bank.hpp>

namespace croco {

/// `out[u][k] = sum_j weights[u * inputs + j] * columns[j][k]` for the kBankBlock draws k, summed
/// in double in the order of j and rounded once; `largest[u]` is raised to the largest magnitude.
/// The same bits on every instruction set. `columns` and `out` are aligned to 64 bytes.
void project_block(const double* columns, const double* weights, std::size_t inputs,
                   std::size_t units, float* out, double* largest) noexcept;

/// `sizes[j] = max(sizes[j], the largest size of column j)` of a block of draws, stored as above.
void raise_sizes(const double* columns, std::size_t inputs, double* sizes) noexcept;

}  // namespace croco
