// SPDX-License-Identifier: Apache-2.0
// PROBE (Pawelczyk et al., ICLR 2023; eq. 2 of the paper), with its closed-form rate r in the loss
// and a Monte-Carlo rate at the end of each block:
//
//     rate_weight max(0, r(x') - target) + cross-entropy(f(x'), label) + lambda |x' - x|_1.
//
// The gradient of the hinge takes the slope J of the logit as constant (`probe_rate`); that of the
// cross-entropy is f - label in the logit. A label just above the threshold, not 1, keeps the
// second term from pushing points past the boundary further than the rate asks for.
#include <algorithm>

#include <croco/methods/check_draws.hpp>
#include <croco/methods/descent/descent.hpp>
#include <croco/methods/searches.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/probe_rate.hpp>

namespace croco {
namespace {

/// The published code pulls the probability towards .55 at a threshold of .5.
constexpr double kLabelAboveThreshold = 0.05;

class ProbeSearch final : public Search {
 public:
  ProbeSearch(const Problem& problem, const Probe& options)
      : problem_(problem),
        options_(options),
        scales_(scoped_scales(problem.noise, problem.space)),
        label_(std::min(0.99, problem.goal.wanted_threshold() + kLabelAboveThreshold)),
        check_(problem, options.check_samples) {}

  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& stop) const override {
    Vector logit_slope(origin.size());
    const Objective objective{
        .gradient =
            [&](View point, std::size_t, MutableView gradient) {
              const ProbeRate rate = probe_rate(problem_, scales_, point, gradient, logit_slope);
              const double sign = problem_.goal.sign();
              const double hinge = rate.rate > options_.target ? options_.rate_weight : 0.0;
              // d cross-entropy / dz = f - label
              const double slope = sign * (sigmoid(sign * rate.logit) - label_);
              for (std::size_t j = 0; j < gradient.size(); ++j) {
                gradient[j] = hinge * gradient[j] + slope * logit_slope[j];
              }
            },
        .judge = [&](View point) { return judge(origin, point, 0); },
        .stops_at = {},
    };
    return descend(problem_, origin, descent_options(options_), objective, stop);
  }

  [[nodiscard]] Judgement judge(View origin, View point, std::size_t /*attempt*/) const override {
    const bool reached = problem_.goal.reached(problem_.model.logit(point));
    const double rate = check_.tally(origin, point, false).rate();
    const bool low =
        options_.as_published ? rate < options_.target + kPublishedSlack : rate <= options_.target;
    return {.reached = reached, .satisfied = reached && low, .rate = rate, .bound = {}};
  }

 private:
  const Problem& problem_;
  Probe options_;
  Vector scales_;
  double label_;
  CheckDraws check_;
};

}  // namespace

std::unique_ptr<Search> make_probe(const Problem& problem, const Probe& options) {
  require_probe_applies(problem);
  return std::make_unique<ProbeSearch>(problem, options);
}

}  // namespace croco
