// SPDX-License-Identifier: Apache-2.0
/// A kernel sum on many draws around one point. Columns that are the same for all draws are added
/// up once; the others go through the vectors in blocks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/kernels/aligned.hpp>
#include <croco/models/graph/kernel_sum.hpp>

namespace croco {

/// In double or float; `sum` must outlive it. Results are near to those of `KernelSum`, as
/// plane_error.hpp bounds it.
template <typename Number>
class KernelBlocks {
 public:
  /// `fixed[i]`: input i is `values[i]` for all draws.
  KernelBlocks(const KernelSum& sum, std::vector<bool> fixed, std::span<const Number> values);

  void apply(std::span<const Number* const> in, std::size_t items, Number* out);
  /// Adds to `into[i]` the slopes of the inputs; of a fixed input, what all items have together,
  /// at the first one.
  void add_slopes(std::span<const Number* const> in, std::size_t items, const Number* slopes,
                  std::span<Number* const> into);

 private:
  using Numbers = std::vector<Number, CacheLineAllocator<Number>>;

  /// The items from `begin` on as a block; what is missing to a whole one is 0.
  void load(std::span<const Number* const> in, std::size_t begin, std::size_t count);

  const KernelSum& of_;
  std::vector<bool> fixed_;
  Vector values_;
  std::vector<std::size_t> open_;  ///< inputs that are not fixed
  Numbers vectors_;                ///< [vector][open input]
  Numbers base_;
  Numbers coefficients_;
  VectorSum<Number> sum_;
  Numbers in_;      ///< [open input][draw]
  Numbers slopes_;  ///< as `in_`
  Numbers block_;   ///< of results, or of their slopes
};

extern template class KernelBlocks<double>;
extern template class KernelBlocks<float>;

}  // namespace croco
