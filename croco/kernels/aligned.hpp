// SPDX-License-Identifier: Apache-2.0
/// Arrays that start at the beginning of a cache line, as the kernels load them.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace croco {

inline constexpr std::size_t kCacheLine = 64;

template <typename T>
struct CacheLineAllocator {
  using value_type = T;

  CacheLineAllocator() = default;
  template <typename U>
  explicit(false) CacheLineAllocator(const CacheLineAllocator<U>& /*other*/) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{kCacheLine}));
  }
  void deallocate(T* values, std::size_t /*count*/) noexcept {
    ::operator delete(values, std::align_val_t{kCacheLine});
  }
  bool operator==(const CacheLineAllocator&) const = default;
};

using AlignedFloats = std::vector<float, CacheLineAllocator<float>>;

}  // namespace croco
