// SPDX-License-Identifier: Apache-2.0
/// Brings a change to the point where just as many samples fail as may: by growing or shrinking it.
#pragma once

#include <cstddef>
#include <optional>

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>

namespace croco {

/// One person's search along the ray of a change, for the smallest factor s with at most `allowed`
/// of `samples` invalid at `s * change`. At an optimum all changed coordinates between their ends
/// have the same yield |g_j| / cost_j (the KKT conditions), so growing or shrinking them together
/// is the cheapest correction to first order. Asks for one count at a time, so that many people can
/// be counted together: `proposal`, count, `observe`, until `done`.
///
/// The root is found in the normal quantile of the failure rate,
///
///     q(s) = -Phi^-1((invalid(s) + .5) / (samples + 1)),
///
/// which is nearly linear in s (for a linear model under Gaussian noise it is the margin over its
/// spread, exactly linear): a step with the guessed slope, then secants inside the bracket, make
/// two or three counts enough. Done when the count is at most a fifth of a standard error below
/// `allowed`.
class RayCalibration {
 public:
  /// `slope` is a guess of how fast the normal quantile of the success rate grows with the factor.
  RayCalibration(const ChangeProblem& changes, Vector change, std::size_t samples,
                 std::size_t allowed, double slope);

  [[nodiscard]] bool done() const noexcept { return done_; }
  /// The change to count next.
  [[nodiscard]] const Vector& proposal() const noexcept { return proposal_; }
  /// What the count was, and whether the model accepts the point itself.
  void observe(std::size_t invalid, bool reached);

  /// The shortest change that satisfied, once done; none when the ray ends before.
  [[nodiscard]] const std::optional<Vector>& result() const noexcept { return result_; }
  /// Invalid samples at the result.
  [[nodiscard]] std::size_t result_invalid() const noexcept { return result_invalid_; }
  /// Invalid samples at the last change that was counted.
  [[nodiscard]] std::size_t last_invalid() const noexcept { return last_invalid_; }

 private:
  void propose(double factor);
  [[nodiscard]] double quantile(std::size_t invalid) const;

  const ChangeProblem& changes_;
  Vector change_;
  double samples_;
  std::size_t allowed_;
  std::size_t tolerance_;
  double slope_;
  double aim_;

  double factor_ = 1.0;
  Vector proposal_;
  bool done_ = false;
  std::size_t rounds_ = 0;
  std::optional<double> low_ = {};   ///< the largest factor that failed
  std::optional<double> high_ = {};  ///< the smallest that satisfied
  double low_quantile_ = 0;
  double high_quantile_ = 0;
  std::optional<Vector> result_ = {};
  std::size_t result_invalid_ = 0;
  std::size_t last_invalid_ = 0;
};

}  // namespace croco
