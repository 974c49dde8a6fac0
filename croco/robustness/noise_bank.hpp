// SPDX-License-Identifier: Apache-2.0
/// A fixed set of draws, ready to be laid around any point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Immutable and thread-safe. Uses the model's own way to bind draws, unless the noise depends on
/// the point it is laid around.
class NoiseBank {
 public:
  /// Draws `first .. first + count - 1` of `stream`. Keeps a reference to the problem.
  NoiseBank(const Problem& problem, const Stream& stream, std::uint64_t first, std::size_t count);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// `out[k] = logit f(point + e_{first + k})`.
  void logits(View origin, View point, std::size_t first, MutableView out) const;
  /// `gradient += sum_k weights[k] d logit f(point + e_{first + k}) / d point`.
  void add_gradient(View origin, View point, std::size_t first, View weights,
                    MutableView gradient) const;

 private:
  [[nodiscard]] Matrix fitted(View origin, View point, std::size_t first, std::size_t count) const;

  const Problem& problem_;
  std::size_t count_;
  Matrix draws_;                       ///< kept when they must be fitted to the point
  std::unique_ptr<BoundDraws> bound_;  ///< otherwise
};

}  // namespace croco
