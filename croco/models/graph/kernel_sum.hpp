// SPDX-License-Identifier: Apache-2.0
/// What a support vector machine computes: `offset + sum over v of coefficient[v] * k(x, s_v)`.
#pragma once

#include <cstddef>
#include <span>

#include <croco/base/types.hpp>
#include <croco/kernels/vector_sums.hpp>

namespace croco {

/// Immutable. The kernels are `exp(-gamma |x - s|^2)`, `(gamma x.s + shift)^degree` and
/// `tanh(gamma x.s + shift)`.
class KernelSum {
 public:
  struct Parameters {
    VectorKernel kernel = VectorKernel::gaussian;
    double gamma = 1;
    double shift = 0;     ///< coef0
    unsigned degree = 1;  ///< of `power`, at least 1
    std::size_t inputs = 0;
    Vector vectors = {};  ///< [vector][input]
    Vector coefficients = {};
    double offset = 0;
  };
  /// Throws ModelError when the lists are not as long as each other, or the degree is 0.
  explicit KernelSum(Parameters parameters);

  [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::size_t inputs() const noexcept { return parameters_.inputs; }
  [[nodiscard]] std::size_t count() const noexcept { return parameters_.coefficients.size(); }
  /// Of the coefficients' sizes.
  [[nodiscard]] double total() const noexcept { return total_; }
  /// By input, the largest size of a vector's number.
  [[nodiscard]] const Vector& reach() const noexcept { return reach_; }

  /// `out[k]` for planes of `items` items, each in the same order whatever the others. `single`:
  /// every operation is rounded to single precision.
  void apply(std::span<const double* const> in, std::size_t items, bool single, double* out) const;
  /// Adds to `into[i]` the slopes of the inputs, from those of the results.
  void add_slopes(std::span<const double* const> in, std::size_t items, const double* slopes,
                  std::span<double* const> into) const;

 private:
  Parameters parameters_;
  double total_ = 0;
  Vector reach_;
};

}  // namespace croco
