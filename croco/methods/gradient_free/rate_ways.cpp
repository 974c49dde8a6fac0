// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/gradient_free/rate_ways.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <croco/methods/change/level_sets.hpp>
#include <croco/methods/change/supports.hpp>

namespace croco {
namespace {

/// Draws that a single move is judged by.
constexpr std::size_t kPromiseDraws = 256;
/// A step that costs this share of a change is worth a look while ways are compared.
constexpr double kDearStep = 0.1;
/// What a missing unit of the constraint costs where no number has a slope: more than any price.
constexpr double kNoSlope = 1e6;

/// What a standard error of few draws may hide. A way that just holds has no number to spare that
/// could make up for it.
double lenient(double rate, std::size_t draws, double errors) {
  return rate + errors * std::sqrt(rate * (1 - rate) / static_cast<double>(draws));
}

}  // namespace

RateWays::RateWays(const RateDraws& shared, const RatePerson& person, const ChangeProblem& changes)
    : shared_(shared),
      person_(person),
      changes_(changes),
      sketch_aim_(limits_numbers(shared.problem.space) ? lenient(person.aim, shared.few, 1)
                                                       : person.aim),
      sketch_rows_((person.budget.used + person.budget.most) / 2) {}

ShortestChange RateWays::solve(ChangeProblem changes) {
  RateSearch search(shared_, person_, changes);
  search.look_near();
  if (!search.found().empty()) search.polish();
  // Before `changes` go: the search looks at them.
  std::optional<SteppedChange> stepped = search.on_steps(3, 0.0, shared_.some, person_.aim);
  return outcome(search, std::move(stepped), std::move(changes));
}

ShortestChange RateWays::sketch(ChangeProblem changes) {
  RateSearch search(shared_, person_, changes);
  if (person_.budget.used < sketch_rows_ && !person_.stop.stop_requested()) {
    std::vector<Vector> near;
    if (lead_) near.push_back(scaled_change(changes, lead_->change, 1.0));
    search.glance(sketch_aim_, near);
  }
  std::optional<SteppedChange> stepped = search.on_steps(1, kDearStep, shared_.few, sketch_aim_);
  return outcome(search, std::move(stepped), std::move(changes));
}

ShortestChange RateWays::outcome(const RateSearch& search, std::optional<SteppedChange> stepped,
                                 ChangeProblem changes) {
  ShortestChange out{.changes = stepped ? std::move(stepped->changes) : std::move(changes)};
  if (search.found().empty()) {
    out.change = search.nearest().change;
    out.cost = cost_of(out.changes, out.change);
    out.constraint = search.nearest().constraint;
  } else {
    const PricedChange& best = stepped ? stepped->found : search.found().front();
    out.change = best.change;
    out.cost = best.cost;
    out.feasible = true;
  }
  if (!lead_ || is_better(out, *lead_)) lead_ = out;
  return out;
}

std::optional<double> RateWays::constraint_if_feasible(const ChangeProblem& changes, View change) {
  if (person_.budget.spent()) return std::nullopt;
  // More than this fail on few draws by chance only once in many thousand times.
  constexpr double kChance = 4;
  const auto look = [&](std::size_t draws, double aim) -> std::optional<double> {
    RateConstraint rate(shared_.problem, shared_.margins, person_.origin, changes, draws, aim,
                        person_.budget);
    const double value = rate.value(change);
    return rate.cheapest() == nullptr ? std::nullopt : std::optional(value);
  };
  if (!look(shared_.few, lenient(person_.aim, shared_.few, kChance))) return std::nullopt;
  return look(shared_.all, person_.aim);
}

double RateWays::gain_of(const LevelChoice& choice) {
  RateConstraint rate(shared_.problem, shared_.margins, person_.origin, changes_, kPromiseDraws,
                      person_.aim, person_.budget);
  if (!here_) {
    const ConstraintValue here = rate.evaluate(Vector(person_.origin.size()));
    here_ = here.value;
    for (std::size_t j = 0; j < here.gradient.size(); ++j) {
      const Interval& interval = changes_.intervals[j];
      if (interval.lower == interval.upper) continue;
      steepest_ = std::max(steepest_, std::abs(here.gradient[j]) / changes_.costs[j]);
    }
  }
  const auto known = gains_.find(choice);
  if (known != gains_.end()) return known->second;
  double gain = 0;
  if (!person_.budget.spent()) {
    const Space& space = shared_.problem.space;
    LevelSet alone;
    alone.moves.push_back(choice);
    gain = rate.value(fixed_change(with_levels(space, person_.origin, changes_, alone))) - *here_;
  }
  gains_.emplace(choice, gain);
  return gain;
}

double RateWays::estimated_numeric_cost(const LevelSet& set, View /*change*/) {
  double gain = 0;
  for (const LevelChoice& choice : set.moves) gain += gain_of(choice);
  const double rest = std::max(0.0, -(here_.value_or(0) + gain));
  return steepest_ > 0 ? rest / steepest_ : kNoSlope * rest;
}

}  // namespace croco
