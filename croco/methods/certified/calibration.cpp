// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/certified/calibration.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <croco/base/normal.hpp>

namespace croco {
namespace {

constexpr std::size_t kRounds = 8;
/// A count this many standard errors below the allowed one is near enough.
constexpr double kNearEnough = 0.2;
/// The longest stretch of a change that is still its ray.
constexpr double kLargestFactor = 2.5;

}  // namespace

RayCalibration::RayCalibration(const ChangeProblem& changes, Vector change, std::size_t samples,
                               std::size_t allowed, double slope)
    : changes_(changes),
      change_(std::move(change)),
      samples_(static_cast<double>(samples)),
      allowed_(allowed),
      slope_(std::max(slope, 0.05)) {
  const double share = static_cast<double>(allowed) / samples_;
  tolerance_ = static_cast<std::size_t>(kNearEnough * std::sqrt(samples_ * share * (1 - share)));
  aim_ = quantile(allowed - std::min(allowed, tolerance_ / 2));
  propose(1.0);
}

double RayCalibration::quantile(std::size_t invalid) const {
  return -normal_quantile((static_cast<double>(invalid) + 0.5) / (samples_ + 1));
}

void RayCalibration::propose(double factor) {
  factor_ = factor;
  proposal_ = scaled_change(changes_, change_, factor);
}

void RayCalibration::observe(std::size_t invalid, bool reached) {
  ++rounds_;
  last_invalid_ = invalid;
  const bool satisfied = reached && invalid <= allowed_;
  const double here = quantile(invalid);
  if (satisfied) {
    high_ = factor_;
    high_quantile_ = here;
    result_ = proposal_;
    result_invalid_ = invalid;
  } else {
    low_ = factor_;
    low_quantile_ = here;
  }
  const bool near = satisfied && invalid + tolerance_ >= allowed_;
  const bool tight = low_ && high_ && *high_ - *low_ < 1e-3;
  if (near || tight || rounds_ == kRounds) {
    done_ = true;
    return;
  }
  double next = 0;
  if (low_ && high_) {
    const double rise = high_quantile_ - low_quantile_;
    // The count is no reason to stay outside when only the point itself is not accepted.
    const double share = rise > 0 ? (aim_ - low_quantile_) / rise : 0.5;
    next = *low_ + std::clamp(share, 0.1, 0.9) * (*high_ - *low_);
  } else {
    double step = (aim_ - here) / slope_;
    // Look on the other side of the root soon, and never run away.
    if (!satisfied) step = std::max(step, 2e-3 * static_cast<double>(rounds_ * rounds_));
    next = factor_ + std::clamp(step, -0.3 * factor_, 0.5 * factor_);
  }
  if (next > kLargestFactor) {
    done_ = true;
    return;
  }
  const Vector before = proposal_;
  propose(next);
  // Every coordinate is at its bound: the ray ends here.
  if (proposal_ == before) done_ = true;
}

}  // namespace croco
