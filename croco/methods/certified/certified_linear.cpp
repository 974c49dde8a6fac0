// SPDX-License-Identifier: Apache-2.0
// The certified method where the rate is known exactly (`exact_rate`): with the margin
// m(x') = offset + slope . x' and its standard deviation s under noise, the rate is Phi(-m / s),
// and
//
//     rate(x + d) <= target   <=>   slope . d >= -Phi^-1(target) s - m(x).
//
// The right side is raised so that m(x + d) >= 0 as well, since x + d itself must be accepted. One
// linear constraint: the cheapest change has a closed form, or is found by branch and bound where
// columns move in steps (`cheapest_lattice_change`). No samples, no reserve, and the optimum
// itself.
#include <algorithm>
#include <cmath>
#include <optional>

#include <croco/base/normal.hpp>
#include <croco/base/parallel.hpp>
#include <croco/methods/change/lattice_change.hpp>
#include <croco/methods/change/relation_steps.hpp>
#include <croco/methods/searches.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/exact_rate.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

class CertifiedLinearSearch final : public Search {
 public:
  CertifiedLinearSearch(const Problem& problem, const CertifiedSettings& options)
      : problem_(problem), target_(options.target), margin_(linear_margin(problem)) {
    // A low rate does not imply that the point itself is accepted: with targets above one half it
    // is the stricter demand.
    needed_ = std::max(0.0, -normal_quantile(options.target) * margin_.spread);
    for (const double slope : margin_.slope) steepness_ += std::abs(slope);
  }

  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& /*stop*/) const override {
    return solve(origin, 0);
  }

  /// What is reported has 12 digits: where that loses the target, the next attempt leaves more
  /// room.
  [[nodiscard]] std::vector<Counterfactual> retry_all(
      std::span<const Attempt> failed, unsigned threads,
      const std::stop_token& /*stop*/) const override {
    std::vector<Counterfactual> found(failed.size());
    parallel_for(failed.size(), threads,
                 [&](std::size_t i) { found[i] = solve(failed[i].origin, failed[i].number); });
    return found;
  }

  [[nodiscard]] Judgement judge(View /*origin*/, View point,
                                std::size_t /*attempt*/) const override {
    const bool reached = problem_.goal.reached(problem_.model.logit(point));
    const ExactRate exact = exact_rate(problem_, margin_, point);
    return {.reached = reached, .satisfied = reached && exact.upper <= target_, .rate = exact.rate};
  }

 private:
  [[nodiscard]] Counterfactual solve(View origin, std::size_t attempt) const {
    // Room for rounding, in encoded units: far below what a person could carry out.
    const double room = steepness_ * 1e-8 * std::pow(100.0, static_cast<double>(attempt));
    const std::optional<LatticeChange> cheapest = cheapest_lattice_change(
        problem_.space, origin, margin_.slope, needed_ + room - margin_.at(origin));
    const Vector change =
        cheapest ? cheapest->change : farthest_change(problem_.space, origin, margin_.slope);
    Counterfactual out;
    out.steps = cheapest ? cheapest->nodes : 1;
    out.blocks = attempt + 1;
    out.point.assign(origin.begin(), origin.end());
    for (std::size_t j = 0; j < change.size(); ++j) out.point[j] += change[j];
    const bool kept = round_within_relations(problem_.space, origin, out.point, Rounding::nearest);
    Judgement judgement = judge(origin, out.point, attempt);
    if (!kept) judgement.satisfied = judgement.reached = false;
    out.method_rate = judgement.rate;
    out.termination = judgement.satisfied ? Termination::converged
                      : judgement.reached ? Termination::unmet
                                          : Termination::infeasible;
    return out;
  }

  const Problem& problem_;
  double target_;
  LinearMargin margin_;
  double needed_ = 0.0;     ///< the margin with which the rate is the target
  double steepness_ = 0.0;  ///< what a change of all columns by 1 gains
};

}  // namespace

std::unique_ptr<Search> make_certified_linear(const Problem& problem,
                                              const CertifiedSettings& options) {
  return std::make_unique<CertifiedLinearSearch>(problem, options);
}

}  // namespace croco
