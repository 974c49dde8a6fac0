// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/kernel_blocks.hpp>

#include <algorithm>
#include <utility>

namespace croco {

template <typename Number>
KernelBlocks<Number>::KernelBlocks(const KernelSum& sum, std::vector<bool> fixed,
                                   std::span<const Number> values)
    : of_(sum),
      fixed_(std::move(fixed)),
      values_(values.begin(), values.end()),
      block_(kVectorBlock) {
  const KernelSum::Parameters& from = sum.parameters();
  const bool distance = from.kernel == VectorKernel::gaussian;
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    if (!fixed_[i]) open_.push_back(i);
  }
  for (std::size_t v = 0; v < sum.count(); ++v) {
    const double* vector = &from.vectors[v * sum.inputs()];
    double base = 0;
    for (std::size_t i = 0; i < fixed_.size(); ++i) {
      if (!fixed_[i]) continue;
      const double gap = values_[i] - vector[i];
      base += distance ? gap * gap : values_[i] * vector[i];
    }
    base_.push_back(static_cast<Number>(distance ? base : from.gamma * base + from.shift));
    for (const std::size_t i : open_) {
      vectors_.push_back(static_cast<Number>(distance ? vector[i] : from.gamma * vector[i]));
    }
    coefficients_.push_back(static_cast<Number>(from.coefficients[v]));
  }
  in_.resize(open_.size() * kVectorBlock);
  slopes_.resize(in_.size());
  sum_ = {.kernel = from.kernel,
          .columns = open_.size(),
          .count = sum.count(),
          .vectors = vectors_.data(),
          .base = base_.data(),
          .coefficients = coefficients_.data(),
          .gamma = static_cast<Number>(from.gamma),
          .degree = from.degree};
}

template <typename Number>
void KernelBlocks<Number>::load(std::span<const Number* const> in, std::size_t begin,
                                std::size_t count) {
  for (std::size_t j = 0; j < open_.size(); ++j) {
    Number* to = &in_[j * kVectorBlock];
    std::copy_n(in[open_[j]] + begin, count, to);
    std::fill(to + count, to + kVectorBlock, Number{0});
  }
}

template <typename Number>
void KernelBlocks<Number>::apply(std::span<const Number* const> in, std::size_t items,
                                 Number* out) {
  const auto offset = static_cast<Number>(of_.parameters().offset);
  for (std::size_t begin = 0; begin < items; begin += kVectorBlock) {
    const std::size_t n = std::min(kVectorBlock, items - begin);
    load(in, begin, n);
    vector_sums(sum_, in_.data(), block_.data());
    for (std::size_t k = 0; k < n; ++k) out[begin + k] = block_[k] + offset;
  }
}

template <typename Number>
void KernelBlocks<Number>::add_slopes(std::span<const Number* const> in, std::size_t items,
                                      const Number* slopes, std::span<Number* const> into) {
  Vector totals(of_.count());
  for (std::size_t begin = 0; begin < items; begin += kVectorBlock) {
    const std::size_t n = std::min(kVectorBlock, items - begin);
    load(in, begin, n);
    std::copy_n(slopes + begin, n, block_.begin());
    std::fill(block_.begin() + static_cast<std::ptrdiff_t>(n), block_.end(), Number{0});
    std::ranges::fill(slopes_, Number{0});
    vector_slopes(sum_, in_.data(), block_.data(), slopes_.data(), totals.data());
    for (std::size_t j = 0; j < open_.size(); ++j) {
      for (std::size_t k = 0; k < n; ++k) {
        into[open_[j]][begin + k] += slopes_[j * kVectorBlock + k];
      }
    }
  }
  const KernelSum::Parameters& from = of_.parameters();
  const bool distance = from.kernel == VectorKernel::gaussian;
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    if (!fixed_[i]) continue;
    double slope = 0;
    for (std::size_t v = 0; v < totals.size(); ++v) {
      const double entry = from.vectors[v * of_.inputs() + i];
      slope += totals[v] * (distance ? values_[i] - entry : from.gamma * entry);
    }
    into[i][0] += static_cast<Number>(slope);
  }
}

template class KernelBlocks<double>;
template class KernelBlocks<float>;

}  // namespace croco
