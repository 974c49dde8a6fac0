// SPDX-License-Identifier: Apache-2.0
/// Rows that a surrogate is fitted on: where people are, and where searches and noise lead. A
/// network that has seen people alone says little of rows with moved features, which is where
/// advice lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Makes rows around people. Every row is a pure function of the seed, the stage and its index.
class SurrogateRows {
 public:
  /// `examples` are encoded people. Both must outlive it.
  SurrogateRows(const Problem& problem, const Matrix& examples);

  /// Somebody of `people` (indices of examples), with up to three features moved as they may be and
  /// with noise of up to twice the size; a fifth of them is not moved.
  [[nodiscard]] Matrix explored(std::span<const std::size_t> people, std::size_t count,
                                std::uint64_t stage) const;
  /// Noisy samples along the way from a person to a point, from six tenths of it to a third beyond.
  [[nodiscard]] Matrix along(View origin, View point, std::size_t count, std::uint64_t stage,
                             std::uint64_t person) const;
  /// Noisy samples around a point.
  [[nodiscard]] Matrix around(View origin, View point, std::size_t count, std::uint64_t stage,
                              std::uint64_t person) const;

 private:
  void move(std::span<const std::size_t> features, Sequence& random, View origin,
            MutableView point) const;
  void add_noise(std::uint64_t stage, std::uint64_t index, double size, View origin,
                 MutableView point) const;

  const Problem& problem_;
  const Matrix& examples_;
  std::vector<std::size_t> movable_;  ///< features, by their first columns
  Vector scales_;
};

}  // namespace croco
