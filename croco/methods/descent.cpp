// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/descent.hpp>

#include <algorithm>

#include <croco/methods/change.hpp>
#include <croco/optim/adam.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

double sign_of(double value) noexcept { return value > 0 ? 1.0 : value < 0 ? -1.0 : 0.0; }

Termination termination_of(const Judgement& judgement) {
  if (judgement.satisfied) return Termination::converged;
  return judgement.reached ? Termination::unmet : Termination::infeasible;
}

}  // namespace

Counterfactual descend(const Problem& problem, View origin, const DescentOptions& options,
                       const Objective& objective, const std::stop_token& stop) {
  const Space& space = problem.space;
  const auto moves = [&](std::size_t j) {
    return options.as_published ? space.columns[j].continuous : space.movable(j);
  };
  Counterfactual result;
  result.point.assign(origin.begin(), origin.end());
  result.lambda = options.lambda;
  Vector& point = result.point;
  Vector gradient(origin.size());
  const ChangeProblem changes =
      options.as_published ? ChangeProblem{} : change_problem(space, origin);
  // The published loops know no relations; beyond them each step is brought back to the nearest
  // point that keeps them, as to the ranges.
  bool kept = true;
  const auto keep_relations = [&] {
    if (changes.rows.empty()) return;
    Vector change = point;
    for (std::size_t j = 0; j < change.size(); ++j) change[j] -= origin[j];
    if (changes.keeps_rows(change)) return;
    change = scaled_change(changes, change, 1.0);
    kept = changes.keeps_rows(change);
    point = moved(origin, change);
  };
  keep_relations();
  if (!kept) return result;  // nothing that this person may change keeps them
  Adam adam(origin.size(), {.learning_rate = options.learning_rate, .amsgrad = true});
  const auto finish = [&](const Judgement& judgement) {
    result.termination = termination_of(judgement);
    result.method_rate = judgement.rate;
    result.method_bound = judgement.bound;
    return result;
  };
  for (;;) {
    ++result.blocks;
    for (std::size_t step = 0; step < options.block_steps; ++step) {
      if (stop.stop_requested()) {
        result.termination = Termination::cancelled;
        return result;
      }
      objective.gradient(point, step, gradient);
      for (std::size_t j = 0; j < gradient.size(); ++j) {
        const double price = result.lambda * space.columns[j].cost;
        gradient[j] = moves(j) ? gradient[j] + price * sign_of(point[j] - origin[j]) : 0.0;
      }
      adam.step(gradient, point);
      if (!options.as_published) clamp(space, origin, point);
      keep_relations();
      ++result.steps;
      if (objective.stops_at && objective.stops_at(point)) return finish(objective.judge(point));
    }
    const Judgement judgement = objective.judge(point);
    if (judgement.satisfied || result.blocks == options.max_blocks) return finish(judgement);
    result.lambda -= options.lambda_step;
    // A negative weight would reward distance, and the point would run away.
    if (!options.as_published) result.lambda = std::max(0.0, result.lambda);
  }
}

}  // namespace croco
