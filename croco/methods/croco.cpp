// SPDX-License-Identifier: Apache-2.0
// CROCO, the paper's method: eq. 6 minimised until the class has flipped and the bound of
// proposition 2 is at most the target.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/methods/check_draws.hpp>
#include <croco/methods/croco_bound.hpp>
#include <croco/methods/descent.hpp>
#include <croco/methods/searches.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/soft_rate.hpp>

namespace croco {
namespace {

/// The published code accepts a bound this much above the target.
constexpr double kPublishedSlack = 0.01;

/// Every step of a block has draws of its own; blocks use the same ones again. Fewer when they
/// would take too much memory.
std::size_t distinct_steps(const Problem& problem, const Croco& options) {
  const std::size_t bytes =
      std::max<std::size_t>(1, problem.model.bound_bytes_per_draw() * options.step_samples);
  return std::clamp<std::size_t>(kBankBytes / bytes, 1, options.block_steps);
}

/// The published code puts the one-hot columns of its noisy copies back to what they were, so its
/// steps see noise on the numeric columns alone, whatever its rates are measured with.
Problem step_problem(Problem problem, const Croco& options) {
  if (options.as_published && problem.noise.scope == NoiseScope::all) {
    problem.noise.scope = NoiseScope::continuous;
  }
  return problem;
}

/// With flips, a part of a bank is evaluated as a whole: a step should be one.
std::size_t step_part(const Problem& problem, const Croco& options) {
  return problem.noise.flips.empty() ? 0 : options.step_samples;
}

class CrocoSearch final : public Search {
 public:
  CrocoSearch(const Problem& problem, const Croco& options, const CrocoBound& bound)
      : problem_(problem),
        step_problem_(step_problem(problem, options)),
        options_(options),
        margin_(bound.margin),
        steps_(distinct_steps(problem, options)),
        bank_(step_problem_, {problem.seed, Purpose::search, Stream::kShared}, 0,
              steps_ * options.step_samples, 1, step_part(problem, options)),
        check_(problem, bound.samples) {}

  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& stop) const override {
    std::vector<float> scratch;
    Vector logit_slope(origin.size());
    const double threshold = problem_.goal.wanted_threshold();
    const double sign = problem_.goal.sign();
    const Objective objective{
        .gradient =
            [&](View point, std::size_t step, MutableView gradient) {
              const double soft = soft_rate_gradient(bank_, problem_.goal, origin, point,
                                                     step % steps_ * options_.step_samples,
                                                     options_.step_samples, scratch, gradient);
              const double excess = soft_rate_bound(soft, margin_, threshold) - options_.target;
              const double robustness = 2 * excess / (1 - threshold);
              const double logit = problem_.model.gradient()->logit_gradient(point, logit_slope);
              const double f = sigmoid(sign * logit);
              const double validity = -2 * (1 - f) * f * (1 - f) * sign;
              for (std::size_t j = 0; j < gradient.size(); ++j) {
                gradient[j] = robustness * gradient[j] + validity * logit_slope[j];
              }
            },
        .judge = [&](View point) { return judge(origin, point, 0); },
        .stops_at = {},
    };
    return descend(problem_, origin, descent_options(options_), objective, stop);
  }

  [[nodiscard]] Judgement judge(View origin, View point, std::size_t /*attempt*/) const override {
    const bool reached = problem_.goal.reached(problem_.model.logit(point));
    const Tally tally = check_.tally(origin, point);
    const double bound =
        soft_rate_bound(tally.soft_rate(), margin_, problem_.goal.wanted_threshold());
    const bool satisfied = options_.as_published
                               ? reached || bound <= options_.target + kPublishedSlack
                               : reached && bound <= options_.target;
    return {.reached = reached, .satisfied = satisfied, .rate = tally.rate(), .bound = bound};
  }

 private:
  const Problem& problem_;
  Problem step_problem_;
  Croco options_;
  double margin_;
  std::size_t steps_;
  NoiseBank bank_;
  CheckDraws check_;
};

}  // namespace

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
        "target is {}; CROCO's bound needs m = {:.4g} and K = {} for it, more than the {} draws "
        "that a point can be judged by; method certified needs far fewer",
        options.target, plan.margin, plan.samples, kMaxBoundSamples));
  }
  return {plan.margin, plan.samples};
}

std::unique_ptr<Search> make_croco(const Problem& problem, const Croco& options) {
  return std::make_unique<CrocoSearch>(problem, options, bound_of(options, problem.goal));
}

}  // namespace croco
