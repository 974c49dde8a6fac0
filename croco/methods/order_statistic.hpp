// SPDX-License-Identifier: Apache-2.0
/// "At most j of these draws are invalid" as a continuous constraint: the (j+1)-th smallest margin
/// is positive. It does not saturate far from the boundary as any rate does, and is nearly linear
/// over the steps that matter.
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/trust_region.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// The constraint for one person on the first `count` draws of a bank, with at most `allowed` of
/// them invalid, and validity of the point itself: a low rate does not imply it. Keeps its working
/// memory between calls; one thread at a time.
class OrderStatistic {
 public:
  OrderStatistic(const Problem& problem, const NoiseBank& bank, View origin, std::size_t count,
                 std::size_t allowed);

  /// `C(change) = min(margin of rank allowed + 1, margin of the point - a little)`. The gradient is
  /// the mean over the draws ranked nearby.
  [[nodiscard]] ConstraintValue evaluate(View change);
  /// How many draws are invalid around the changed point.
  [[nodiscard]] std::size_t invalid(View change);
  /// Whether the model gives the wanted answer at the changed point itself.
  [[nodiscard]] bool reached(View change);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t allowed() const noexcept { return allowed_; }
  void allow(std::size_t allowed) noexcept { allowed_ = allowed; }

 private:
  void move_to(View change);
  void find_margins();

  const Problem& problem_;
  const NoiseBank& bank_;
  View origin_;
  std::size_t count_;
  std::size_t allowed_;
  Vector point_;
  std::vector<float> margins_;
  std::vector<float> weights_;
  std::vector<float> scratch_;
};

}  // namespace croco
