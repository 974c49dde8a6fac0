// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/plan.hpp>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>

namespace croco {
void require_margin(double margin) { require_open_unit("margin", margin); }

void require_samples(std::size_t samples) {
  if (samples == 0) throw InvalidArgument("bound-samples is 0; the bound needs at least 1");
  if (samples > kMaxBoundSamples) {
    throw InvalidArgument(
        fmt::format("bound-samples is {}; at most {} can be drawn for every point that is judged",
                    samples, kMaxBoundSamples));
  }
}

BoundPlan plan_bound(const PlanRequest& request) {
  require_open_unit("target", request.target);
  require_open_unit("threshold", request.threshold);
  require_confidence(request.confidence);
  if (request.margin) require_margin(*request.margin);
  if (request.samples) require_samples(*request.samples);
  const double allowance = request.target * (1 - request.threshold);
  BoundPlan plan;
  if (request.margin) {
    plan.margin = *request.margin;
  } else if (request.samples) {
    plan.margin = margin_for_samples(*request.samples, request.confidence);
  } else {
    plan.margin = kMarginShare * allowance;
  }
  plan.samples =
      request.samples ? *request.samples : samples_for_margin(plan.margin, request.confidence);
  plan.floor = plan.margin / (1 - request.threshold);
  plan.soft_allowance = allowance - plan.margin;
  plan.confidence = margin_confidence(plan.margin, plan.samples);
  if (!(plan.soft_allowance > 0)) {
    throw InvalidArgument(fmt::format(
        "target is {}; with m = {:.4g} and t = {} the bound (m + soft rate) / (1 - t) is never "
        "below {:.4g}, so no target of {:.4g} or less is reachable (m must be less than {:.4g}, "
        "which needs K of at least {})",
        request.target, plan.margin, request.threshold, plan.floor, plan.floor, allowance,
        samples_for_margin(allowance, request.confidence)));
  }
  // The margin that follows from K has its confidence up to rounding.
  if (plan.confidence < request.confidence * (1 - 1e-12)) {
    throw InvalidArgument(
        fmt::format("confidence is {}; m = {} and K = {} give only {:.6g} (K must be at least {})",
                    request.confidence, plan.margin, plan.samples, plan.confidence,
                    samples_for_margin(plan.margin, request.confidence)));
  }
  return plan;
}

}  // namespace croco
