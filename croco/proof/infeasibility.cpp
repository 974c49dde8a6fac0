// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/infeasibility.hpp>

#include <memory>
#include <optional>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/proof/branch_and_bound.hpp>
#include <croco/proof/drawn_network.hpp>
#include <croco/proof/prove.hpp>
#include <croco/robustness/error_budget.hpp>

namespace croco {
namespace {

class Refuter {
 public:
  Refuter(const Problem& problem, double target, const InfeasibilityOptions& options,
          const std::stop_token& stop)
      : problem_(problem),
        options_(options),
        stop_(stop),
        allowed_(count_not_exceeded(
            options.samples, target,
            share_confidence(options.confidence, options.family, options.share))),
        exact_(problem, Matrix(0, problem.space.width()).rows()) {
    if (problem.shared_draws && margin_obstacle(problem).empty()) {
      shared_ = std::make_unique<DrawnNetwork>(draw_for_proof(problem, options.samples, 0));
    }
  }

  [[nodiscard]] Infeasibility refute(const InfeasibilityRequest& request) const {
    Infeasibility out;
    if (largest_cost(movable_costs(exact_, request.origin),
                     admissible_region(exact_, request.origin)) == kInfinite) {
      out.reason = "a column without an end may move";
      return out;
    }
    if (none_solves(exact_, 0, request, out)) {
      out.without_noise = true;
      out.target = true;
      out.confidence = 1;
      return out;
    }
    out.reason = margin_obstacle(problem_);
    if (!out.reason.empty() || stop_.stop_requested()) return out;
    std::unique_ptr<DrawnNetwork> own;
    if (!shared_) {
      own = std::make_unique<DrawnNetwork>(
          draw_for_proof(problem_, options_.samples, request.person));
    }
    out.samples = options_.samples;
    if (none_solves(own ? *own : *shared_, allowed_, request, out)) {
      out.target = true;
      out.confidence = options_.confidence;
    }
    return out;
  }

 private:
  [[nodiscard]] bool none_solves(const DrawnNetwork& network, std::size_t allowed,
                                 const InfeasibilityRequest& request, Infeasibility& out) const {
    const Vector costs = movable_costs(network, request.origin);
    BranchOptions branch{.max_boxes = options_.max_boxes, .existence = true, .stop = stop_};
    if (!request.promising.empty()) {
      branch.start = change_between(network, request.origin, request.promising);
    }
    const BranchResult result = branch_and_bound(
        network, {request.origin, costs, admissible_region(network, request.origin), allowed},
        branch);
    out.boxes += result.boxes;
    return result.exhausted;
  }

  const Problem& problem_;
  const InfeasibilityOptions& options_;
  std::stop_token stop_;
  std::size_t allowed_;
  DrawnNetwork exact_;  ///< no draws: the point itself alone
  std::unique_ptr<DrawnNetwork> shared_;
};

}  // namespace

void validate(const InfeasibilityOptions& options) {
  validate(ProveOptions{.confidence = options.confidence,
                        .family = options.family,
                        .share = options.share,
                        .samples = options.samples,
                        .max_boxes = options.max_boxes});
}

std::vector<Infeasibility> prove_infeasibility(const Problem& problem, double target,
                                               std::span<const InfeasibilityRequest> people,
                                               const InfeasibilityOptions& options,
                                               unsigned threads, const std::stop_token& stop) {
  validate(problem);
  validate(options);
  require_open_unit("target", target);
  std::vector<Infeasibility> out(people.size());
  if (const std::string_view obstacle = network_obstacle(problem); !obstacle.empty()) {
    for (Infeasibility& one : out) one.reason = obstacle;
    return out;
  }
  const Refuter refuter(problem, target, options, stop);
  parallel_for(people.size(), threads, [&](std::size_t i) {
    if (!stop.stop_requested()) out[i] = refuter.refute(people[i]);
  });
  if (stop.stop_requested()) return {};
  return out;
}

}  // namespace croco
