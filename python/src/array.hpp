// SPDX-License-Identifier: Apache-2.0
/// NumPy arrays of what the library returns.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace croco::python {

/// A one-dimensional array that owns a copy of the values.
template <class Number>
nanobind::object array_of(const std::vector<Number>& values) {
  auto copy = std::make_unique<Number[]>(values.size());
  std::ranges::copy(values, copy.get());
  const nanobind::capsule owner(
      copy.get(), [](void* memory) noexcept { delete[] static_cast<Number*>(memory); });
  Number* data = copy.release();
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<1>>(data, {values.size()}, owner));
}

}  // namespace croco::python
