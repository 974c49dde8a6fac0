// SPDX-License-Identifier: Apache-2.0
/// Sums over the support vectors of a kernel machine, on blocks of draws stored [column][draw].
#pragma once

#include <cstddef>
#include <cstdint>

namespace croco {

/// Draws of a block.
inline constexpr std::size_t kVectorBlock = 64;
/// Terms that are added before they join the sum of all: sums have fewer roundings in a row.
inline constexpr std::size_t kVectorRun = 32;

/// What becomes of u, which is `base[v]` and then, column by column, `(x - vectors[v])^2` for
/// `gaussian` and `x * vectors[v]` for the others.
enum class VectorKernel : std::uint8_t {
  gaussian,  ///< `exp(-gamma u)`
  power,     ///< `u^degree`
  tanh,      ///< `tanh(u)`
};

/// The sum of `coefficients[v]` times the kernel of each vector.
template <typename Number>
struct VectorSum {
  VectorKernel kernel = VectorKernel::gaussian;
  std::size_t columns = 0;
  std::size_t count = 0;                 ///< of vectors
  const Number* vectors = nullptr;       ///< [vector][column]
  const Number* base = nullptr;          ///< by vector
  const Number* coefficients = nullptr;  ///< by vector
  Number gamma = 0;
  unsigned degree = 1;
};

// Arrays of draws are aligned to 64 bytes. Operations are fused where the processor can: the low
// bits may differ between one that does and one that does not.

/// `out[k]`: the sum for draw k of the block.
void vector_sums(const VectorSum<float>& sum, const float* in, float* out) noexcept;
void vector_sums(const VectorSum<double>& sum, const double* in, double* out) noexcept;

/// From the slopes of the sums: adds those of the columns to `into`, stored as `in` is, and to
/// `totals[v]` the slope of the vector's u (but for a factor of 2 (x - vector) of `gaussian`),
/// summed over the draws.
void vector_slopes(const VectorSum<float>& sum, const float* in, const float* slopes, float* into,
                   double* totals) noexcept;
void vector_slopes(const VectorSum<double>& sum, const double* in, const double* slopes,
                   double* into, double* totals) noexcept;

}  // namespace croco
