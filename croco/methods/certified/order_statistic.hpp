// SPDX-License-Identifier: Apache-2.0
/// "At most j of K samples are invalid" as a continuous constraint. With the margins
/// z_k(d) = sign (logit f(x + d + e_k) - logit t), sorted as z_(1) <= ... <= z_(K), it is exactly
///
///     Q(d) = z_(j+1)(d) > 0.
///
/// A rate is piecewise constant in d on fixed samples, and any smoothed rate is flat far from the
/// boundary. Q is neither: for a ReLU network it is continuous and piecewise linear in d, it needs
/// no temperature, and it is nearly linear over the steps that matter. Where the order does not
/// change its gradient is that of the one margin z_(j+1); the mean over the margins ranked nearby
/// estimates the slope of the quantile that Q samples, and depends less on a single sample.
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/kernels/order_select.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// The constraint for one person on the first K = `count` samples of a bank, with at most j =
/// `allowed` of them invalid, and validity of the point itself: a low rate does not imply it. Keeps
/// its working memory between calls; one thread at a time.
class OrderStatistic {
 public:
  OrderStatistic(const Problem& problem, const NoiseBank& bank, View origin, std::size_t count,
                 std::size_t allowed);

  /// `C(change) = min(z_(allowed + 1), margin of the point itself - 1e-3)`. The gradient is that of
  /// the smaller one; of the order statistic the mean of dz_k over the samples ranked within 4 % of
  /// K on either side.
  [[nodiscard]] ConstraintValue evaluate(View change);
  /// The value of `evaluate`, without its gradient.
  [[nodiscard]] double value(View change);
  /// How many samples are invalid around the changed point.
  [[nodiscard]] std::size_t invalid(View change);
  /// Whether the model gives the wanted answer at the changed point itself.
  [[nodiscard]] bool reached(View change);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t allowed() const noexcept { return allowed_; }
  void allow(std::size_t allowed) noexcept { allowed_ = allowed; }

 private:
  struct Seen {
    SelectedBand band;
    bool is_own = false;  ///< the point itself is what the constraint is about
  };
  [[nodiscard]] Seen look(View change, ConstraintValue& out);
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
