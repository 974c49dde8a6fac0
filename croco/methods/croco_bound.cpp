// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/croco_bound.hpp>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>

namespace croco {

CrocoBound bound_of(const Croco& options, const Goal& goal) {
  if (options.as_published) {
    const CrocoBound published{options.margin.value_or(0.1), options.samples.value_or(500)};
    require_margin(published.margin);
    require_samples(published.samples);
    return published;
  }
  const BoundPlan plan = plan_bound({.target = options.target,
                                     .confidence = options.confidence,
                                     .threshold = goal.wanted_threshold(),
                                     .margin = options.margin,
                                     .samples = options.samples});
  if (plan.samples > kMaxBoundSamples) {
    throw InvalidArgument(fmt::format(
        "target is {}; CROCO's bound needs m = {:.4g} and K = {} for it, more than the {} samples "
        "that a point can be judged by; method certified needs far fewer",
        options.target, plan.margin, plan.samples, kMaxBoundSamples));
  }
  return {plan.margin, plan.samples};
}

}  // namespace croco
