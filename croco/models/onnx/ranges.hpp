// SPDX-License-Identifier: Apache-2.0
/// Where the numbers of a program can lie, proved step by step from the functions it is made of.
#pragma once

#include <cstddef>
#include <limits>
#include <map>

#include <croco/models/onnx/builder.hpp>

namespace croco::onnx {

/// All values that a plane can have are from `low` to `high`; it need not reach either.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  /// Within 0 .. 1, up to the roundings of single precision.
  [[nodiscard]] bool is_share() const noexcept { return low >= -1e-5 && high <= 1 + 1e-5; }
};

/// Follows planes of a builder back to the columns of the point. Refers to the builder. Programs
/// that would take long are not followed to the end: of what is left, nothing is known.
class Ranges {
 public:
  explicit Ranges(const Builder& build) : build_(build) {}
  [[nodiscard]] Range of(Plane plane) { return of(plane, 0); }

 private:
  Range of(Plane plane, std::size_t depth);
  Range of_step(const Step& step, std::size_t index, std::size_t depth);
  bool is_share_of_sum(Plane part, Plane whole, std::size_t depth);

  const Builder& build_;
  std::size_t looks_ = 0;  ///< at planes so far
  std::map<Plane, Range> known_;
};

}  // namespace croco::onnx
