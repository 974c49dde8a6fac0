// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/gradient_free/rate_search.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <croco/methods/change/level_sets.hpp>
#include <croco/methods/change/whole_steps.hpp>
#include <croco/models/model.hpp>

namespace croco {
namespace {

void rank(std::vector<PricedChange>& list) {
  std::ranges::stable_sort(list, {}, &PricedChange::cost);
  constexpr std::size_t kKept = 4;
  if (list.size() > kKept) list.resize(kKept);
}

}  // namespace

RateSearch::RateSearch(const RateDraws& shared, const RatePerson& person,
                       const ChangeProblem& changes)
    : shared_(shared), person_(person), changes_(changes) {
  nearest_.change = fixed_change(changes);
  nearest_.constraint = -std::numeric_limits<double>::infinity();
}

RateStarts RateSearch::starts() const {
  return {shared_.problem, shared_.margins, person_.origin, changes_, person_.aim, person_.budget};
}

void RateSearch::run(const Vector& start, double radius) {
  if (person_.stop.stop_requested() || person_.budget.spent()) return;
  descend(start, {.radius = radius, .iterations = 20, .precision = kRatePrecision}, shared_.some,
          person_.aim);
}

void RateSearch::look_near() {
  run(fixed_change(changes_), 0.1);
  const RateStarts starts = this->starts();
  for (const Vector& donor : starts.donors(shared_.donors)) run(starts.pulled(donor), 0.15);
  for (const Vector& start : starts.singles(shared_.scales, cheapest())) run(start, 0.05);
}

double RateSearch::cheapest() const noexcept {
  double out = std::numeric_limits<double>::infinity();
  for (const PricedChange& one : found_) out = std::min(out, one.cost);
  return out;
}

void RateSearch::look_far() {
  const RateStarts starts = this->starts();
  if (found_.empty()) {
    for (const Vector& donor : starts.safe_donors(shared_.donors)) look_back_from(donor);
  }
  if (found_.empty()) {
    for (const Vector& start : starts.sweeps(person_.stop)) run(starts.pulled(start), 0.15);
  }
}

/// Where the aim is hard to keep, it is kept at the start, and from there the way leads back.
void RateSearch::look_back_from(const Vector& start) {
  const std::size_t before = found_.size();
  run(starts().pulled(start), 0.15);
  if (found_.size() == before) run(start, 0.15);
}

void RateSearch::glance(double aim, std::span<const Vector> near) {
  const TrustRegionOptions options{.radius = 0.1, .iterations = 15, .precision = 1e-3};
  descend(fixed_change(changes_), options, shared_.few, aim);
  for (const Vector& start : near) {
    if (person_.stop.stop_requested() || person_.budget.spent()) return;
    descend(start, options, shared_.few, aim);
  }
  for (const Vector& start : starts().singles(shared_.scales, cheapest())) {
    descend(start, options, shared_.few, aim);
  }
  rank(found_);
}

void RateSearch::polish() {
  rank(found_);
  std::vector<PricedChange> before = std::move(found_);
  found_.clear();
  for (std::size_t i = 0; i < std::min<std::size_t>(2, before.size()); ++i) {
    if (person_.stop.stop_requested() || before[i].cost > 1.04 * before[0].cost) break;
    descend(before[i].change, {.radius = 0.02, .iterations = 8, .precision = kRatePrecision},
            shared_.all, person_.aim);
  }
  rank(found_);
  found_.insert(found_.end(), std::make_move_iterator(before.begin()),
                std::make_move_iterator(before.end()));
}

std::optional<SteppedChange> RateSearch::on_steps(std::size_t columns, double share,
                                                  std::size_t draws, double aim) const {
  if (found_.empty()) return std::nullopt;
  const Space& space = shared_.problem.space;
  const PricedChange& from = *std::ranges::min_element(found_, {}, &PricedChange::cost);
  std::vector<std::size_t> coarse = coarse_columns(space, changes_, from.change);
  std::erase_if(coarse, [&](std::size_t j) {
    return step_price(changes_, j, from.change[j], space.columns[j].step) < share * from.cost;
  });
  coarse.resize(std::min(coarse.size(), columns));
  if (coarse.empty()) return std::nullopt;
  std::optional<SteppedChange> best;
  for (std::size_t choice = 0; choice < (std::size_t{1} << coarse.size()); ++choice) {
    if (person_.stop.stop_requested() || person_.budget.spent()) break;
    ChangeProblem changes = changes_;
    Vector start = from.change;
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      const std::size_t j = coarse[i];
      const bool outward = (choice >> i & 1U) != 0;
      start[j] = change_on_step(space, person_.origin, from.change, j, outward);
      changes.intervals[j] = {start[j], start[j]};
    }
    RateSearch search(shared_, person_, changes);
    search.descend(start, {.radius = 0.1, .iterations = 15, .precision = kRatePrecision}, draws,
                   aim);
    if (search.found_.empty()) continue;
    PricedChange& found = search.found_.front();
    if (!best || found.cost < best->found.cost) best = {std::move(found), std::move(changes)};
  }
  return best;
}

/// Whether a change that was found lies so near that a run would end there too.
bool RateSearch::known(View change) const {
  constexpr double kNear = 0.01;
  return std::ranges::any_of(found_, [&](const PricedChange& other) {
    return std::ranges::equal(other.change, change,
                              [](double a, double b) { return std::abs(a - b) < kNear; });
  });
}

/// One run; what keeps the aim and is valid, if need be after a repair, is found.
void RateSearch::descend(const Vector& start, const TrustRegionOptions& options, std::size_t count,
                         double aim) {
  RateConstraint rate(shared_.problem, shared_.margins, person_.origin, changes_, count, aim,
                      person_.budget);
  const Constraint constraint = [&](View change) {
    ConstraintValue value = rate.evaluate(change);
    // Another run has been here and went on; without a slope this one ends.
    if (known(change)) std::ranges::fill(value.gradient, 0.0);
    return value;
  };
  TrustRegionResult result = minimise_change(changes_, constraint, start, options);
  if (const PricedChange* cheapest = rate.cheapest()) {
    found_.push_back(*cheapest);
  } else if (const PricedChange* invalid = rate.cheapest_unrepaired()) {
    const auto holds = [&](View change) { return rate.value(change) >= 0; };
    if (const auto repaired = repaired_answer(shared_.problem, person_.origin, changes_,
                                              invalid->change, person_.budget, holds)) {
      found_.push_back({*repaired, cost_of(changes_, *repaired), invalid->rate});
    }
  }
  if (result.constraint > nearest_.constraint) nearest_ = std::move(result);
}

std::optional<Vector> repaired_answer(const Problem& problem, View origin,
                                      const ChangeProblem& changes, const Vector& change,
                                      RowBudget& budget, const std::function<bool(View)>& holds) {
  constexpr std::array<double, 9> kSizes{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4};
  std::vector<std::pair<double, Vector>> candidates;
  Matrix points(0, change.size());
  for (std::size_t j = 0; j < change.size(); ++j) {
    const Interval& interval = changes.intervals[j];
    if (interval.lower == interval.upper) continue;
    for (const double size : kSizes) {
      for (const double sign : {-1.0, 1.0}) {
        Vector next = change;
        next[j] = std::clamp(change[j] + sign * size, interval.lower, interval.upper);
        if (next[j] == change[j] || !changes.keeps_rows(next)) continue;
        points.append(moved(origin, next));
        candidates.emplace_back(cost_of(changes, next), std::move(next));
      }
    }
  }
  Vector logits(points.count());
  problem.model.logits(points.rows(), logits);
  budget.used += logits.size();
  std::vector<std::pair<double, Vector>> valid;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (problem.goal.reached(logits[i])) valid.push_back(std::move(candidates[i]));
  }
  std::ranges::stable_sort(valid, {}, [](const auto& entry) { return entry.first; });
  constexpr std::size_t kTried = 6;
  for (std::size_t i = 0; i < std::min(kTried, valid.size()); ++i) {
    if (holds(valid[i].second)) return std::move(valid[i].second);
  }
  return std::nullopt;
}

}  // namespace croco
