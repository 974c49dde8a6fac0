// SPDX-License-Identifier: Apache-2.0
/// Section A.2 of the paper as a tool: which m and K make CROCO's bound reach a target. The bound
/// (m + soft) / (1 - t) is at most the target when
///
///     soft <= target (1 - t) - m,
///
/// so m must be below target (1 - t), and it has the confidence 1 - exp(-2 m^2 K) (proposition 2),
/// so K = ln(1 / (1 - confidence)) / (2 m^2). A small m leaves more room for the soft rate and
/// takes more samples.
#pragma once

#include <cstddef>
#include <optional>

namespace croco {

/// A choice of m and K, and what follows from it.
struct BoundPlan {
  double margin = 0.0;          ///< m
  std::size_t samples = 0;      ///< K
  double confidence = 0.0;      ///< `1 - exp(-2 m^2 K)`, at least what was asked for
  double floor = 0.0;           ///< `m / (1 - t)`: the bound can never be below
  double soft_allowance = 0.0;  ///< the soft rate that still meets the target: target (1 - t) - m
};

struct PlanRequest {
  double target = 0.05;
  double confidence = 0.999;
  double threshold = 0.5;
  std::optional<double> margin = {};        ///< fixes m
  std::optional<std::size_t> samples = {};  ///< fixes K
};

/// The part of the target that the planned margin takes up when nothing is fixed.
inline constexpr double kMarginShare = 0.25;

/// Throws InvalidArgument unless 0 < margin < 1.
void require_margin(double margin);
/// The most samples that judge one point: a few seconds of them.
inline constexpr std::size_t kMaxBoundSamples = 100'000'000;
/// Throws InvalidArgument unless 1 <= samples <= kMaxBoundSamples.
void require_samples(std::size_t samples);

/// Fills in what is not fixed: K from m, m from K, or m as `kMarginShare` of the target's
/// allowance. Throws InvalidArgument, in one sentence, when the target cannot be reached (the floor
/// is not below it) or the confidence is not had with the given m and K.
[[nodiscard]] BoundPlan plan_bound(const PlanRequest& request);

}  // namespace croco
