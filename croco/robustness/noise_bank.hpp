// SPDX-License-Identifier: Apache-2.0
/// A fixed set of noise samples e_1 .. e_K, ready to be laid around any point. With the same
/// samples at every point (common random numbers) the sampled rate is a function of the point
/// alone: a search compares two points without the noise of two independent estimates, and its
/// constraint has a gradient. What does not depend on the point is computed once: a network
/// projects the samples through its first layer, `W1 (x' + e_k) = W1 x' + W1 e_k`, and trees rank
/// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// A point that is recommended to a person.
struct Advice {
  View origin;
  View point;
  std::uint64_t person = 0;  ///< names the person's own samples where they are not shared
};

/// Immutable and thread-safe. Uses the model's own way to bind samples, unless the noise depends on
/// the point it is laid around. Logits are in single precision; where a count must be exact, the
/// samples that its error bound leaves undecided are evaluated again in double precision.
class NoiseBank {
 public:
  /// Samples `first .. first + count - 1` of `stream`. Keeps a reference to the problem. Samples
  /// are bound in parts, of `part` samples when given: with flips, a part is evaluated as a whole.
  NoiseBank(const Problem& problem, const Stream& stream, std::uint64_t first, std::size_t count,
            unsigned threads = 1, std::size_t part = 0);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t part() const noexcept { return part_size_; }
  /// The bank around points with the levels of this one: the same samples in the same order, flips
  /// settled, for many points with these levels. Without flips, the bank itself.
  [[nodiscard]] NoiseBank fixed_at(View point) const;
  /// `out[k]` is about `logit f(point + e_{first + k})`.
  void logits(View origin, View point, std::size_t first, std::span<float> out) const;
  /// `gradient += sum_k weights[k] d logit f(point + e_{first + k}) / d point`.
  void add_gradient(View origin, View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const;

  /// Adds to `invalid[i]` how many samples undo `advice[i]`. `exact` counts are those of the model
  /// in double precision: what single precision cannot decide is evaluated again. The others may be
  /// off by the few samples that fall within its error, and are for searching.
  enum class Counting : std::uint8_t { exact, quick };
  void count_invalid(std::span<const Advice> advice, Counting counting,
                     std::span<std::size_t> invalid, unsigned threads = 1) const;

 private:
  [[nodiscard]] Matrix fitted(View origin, View point, std::size_t first, std::size_t count) const;
  /// Of rows that belong to samples from `first` on.
  void fitted_logits(Rows rows, std::size_t first, MutableView out) const;
  [[nodiscard]] std::size_t fitted_invalid(const Advice& advice) const;
  /// Whether sample k undoes the point, in double precision.
  [[nodiscard]] bool undoes(View point, std::size_t draw) const;

  /// The samples of a part of the bank, bound; large banks are bound part by part.
  [[nodiscard]] std::size_t part_of(std::size_t draw) const noexcept { return draw / part_size_; }
  template <typename Body>
  void for_parts(std::size_t first, std::size_t count, Body body) const;

  const Problem& problem_;
  Stream stream_;
  std::uint64_t first_;
  std::size_t count_;
  std::size_t part_size_;
  Vector scales_;
  struct Kept {
    Matrix draws;
    DrawnFlips flips;
  };
  std::shared_ptr<const Kept> kept_;  ///< samples that must be fitted to the point
  std::vector<std::shared_ptr<const DrawEvaluator>> parts_;  ///< otherwise
};

}  // namespace croco
