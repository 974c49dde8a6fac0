// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/descent/descent.hpp>

#include <algorithm>
#include <cmath>

#include <croco/space/admissible.hpp>

namespace croco {
namespace {

double sign_of(double value) noexcept { return value > 0 ? 1.0 : value < 0 ? -1.0 : 0.0; }

Termination termination_of(const Judgement& judgement) {
  if (judgement.satisfied) return Termination::converged;
  return judgement.reached ? Termination::unmet : Termination::infeasible;
}

}  // namespace

Descent::Descent(const Problem& problem, View origin, const DescentOptions& options)
    : space_(problem.space),
      origin_(origin),
      options_(options),
      adam_(origin.size(), {.learning_rate = options.learning_rate, .amsgrad = true}) {
  result_.point.assign(origin.begin(), origin.end());
  result_.lambda = options.lambda;
  result_.blocks = 1;
  if (options.as_published) return;  // the published loops know no relations
  changes_ = change_problem(space_, origin);
  // Nothing that this person may change keeps them.
  if (!keep_relations()) done_ = true;
}

bool Descent::keep_relations() {
  if (changes_.rows.empty()) return true;
  Vector change = result_.point;
  for (std::size_t j = 0; j < change.size(); ++j) change[j] -= origin_[j];
  if (changes_.keeps_rows(change)) return true;
  change = scaled_change(changes_, change, 1.0);
  result_.point = moved(origin_, change);
  return changes_.keeps_rows(change);
}

void Descent::step(MutableView gradient) {
  const auto moves = [&](std::size_t j) {
    return options_.as_published ? space_.columns[j].continuous : space_.movable(j);
  };
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const Column& column = space_.columns[j];
    double price = result_.lambda * column.cost;
    // The published loops know one price per column.
    if (!column.price.empty() && !options_.as_published) {
      price *= column.price.slope(result_.point[j]);
    }
    // Where the model has no clear answer there is no slope either.
    const double slope = std::isfinite(gradient[j]) ? gradient[j] : 0.0;
    gradient[j] = moves(j) ? slope + price * sign_of(result_.point[j] - origin_[j]) : 0.0;
  }
  adam_.step(gradient, result_.point);
  if (!options_.as_published) {
    clamp(space_, origin_, result_.point);
    // Each step is brought back to the nearest point that keeps the relations, as to the ranges;
    // there is one, or the search would not have begun.
    static_cast<void>(keep_relations());
  }
  ++result_.steps;
}

void Descent::end_block(const Judgement& judgement) {
  if (judgement.satisfied || result_.blocks == options_.max_blocks) {
    finish(judgement);
    return;
  }
  ++result_.blocks;
  result_.lambda -= options_.lambda_step;
  // A negative weight would reward distance, and the point would run away.
  if (!options_.as_published) result_.lambda = std::max(0.0, result_.lambda);
}

void Descent::finish(const Judgement& judgement) {
  result_.termination = termination_of(judgement);
  result_.method_rate = judgement.rate;
  result_.method_bound = judgement.bound;
  done_ = true;
}

void Descent::cancel() {
  result_.termination = Termination::cancelled;
  done_ = true;
}

Counterfactual descend(const Problem& problem, View origin, const DescentOptions& options,
                       const Objective& objective, const std::stop_token& stop) {
  Descent descent(problem, origin, options);
  Vector gradient(origin.size());
  while (!descent.done()) {
    for (std::size_t step = 0; step < options.block_steps; ++step) {
      if (stop.stop_requested()) {
        descent.cancel();
        return descent.result();
      }
      objective.gradient(descent.point(), step, gradient);
      descent.step(gradient);
      if (objective.stops_at && objective.stops_at(descent.point())) {
        descent.finish(objective.judge(descent.point()));
        return descent.result();
      }
    }
    descent.end_block(objective.judge(descent.point()));
  }
  return descent.result();
}

}  // namespace croco
