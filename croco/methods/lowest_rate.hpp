// SPDX-License-Identifier: Apache-2.0
/// How low can a rate go, whatever the change costs? For people to whom no certified advice could
/// be given.
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>

#include <croco/base/types.hpp>
#include <croco/methods/noisy_margins.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// The best admissible point that was seen: accepted before not accepted, then the fewest invalid
/// draws; among points that are not accepted the largest margin.
struct LowestRate {
  Vector point;
  double own_margin = 0.0;  ///< of the point itself; > 0 when it has the wanted answer
  std::size_t invalid = 0;  ///< of the minimiser's draws
  std::size_t evaluations = 0;

  [[nodiscard]] bool valid() const noexcept { return own_margin > 0; }
};

/// Whether `a` is the better of two by the rule of `LowestRate`.
[[nodiscard]] bool better(const LowestRate& a, const LowestRate& b) noexcept;

/// Trust-region ascent on order statistics of the margins from several starts, inside what is
/// admissible but between steps, and one category at a time. It finds local optima: the true
/// minimum may be lower. Immutable and thread-safe; keeps a reference to the problem.
class RateMinimiser {
 public:
  explicit RateMinimiser(const Problem& problem, std::size_t samples = 2048);

  /// `starts` are admissible points to begin from besides the minimiser's own. Incomplete when
  /// stopped; the present point when nothing that the person may change keeps the relations.
  [[nodiscard]] LowestRate find(View origin, std::span<const Vector> starts,
                                const std::stop_token& stop) const;
  /// What the draws say of any point.
  [[nodiscard]] LowestRate judge(View origin, View point) const;
  /// The margin of rank `rank` at any point, admissible or not.
  [[nodiscard]] double order_statistic(View origin, View point, std::size_t rank) const;
  [[nodiscard]] std::size_t count() const noexcept { return margins_.count(); }

 private:
  class Ascent;

  const Problem& problem_;
  NoisyMargins margins_;
};

}  // namespace croco
