// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/gradient_free/rate_starts.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <croco/base/random.hpp>
#include <croco/methods/change/level_sets.hpp>
#include <croco/models/model.hpp>

namespace croco {
namespace {

/// Points that are made up when there are no donors, in half for each kind.
constexpr std::size_t kMadeUp = 1024;
/// Unbounded columns are looked at this far, in encoded units.
constexpr double kFarthest = 4.0;

/// Draws that are enough to see whether a start is worth a run.
constexpr std::size_t kDraws = 256;

}  // namespace

std::vector<RateStarts::Candidate> RateStarts::candidates(const Matrix* donors) const {
  Matrix points(0, origin_.size());
  if (donors) {
    for (std::size_t i = 0; i < donors->count(); ++i) {
      Vector change((*donors)[i].begin(), (*donors)[i].end());
      for (std::size_t j = 0; j < change.size(); ++j) change[j] -= origin_[j];
      points.append(moved(origin_, scaled_change(changes_, change, 1.0)));
    }
  } else {
    points = made_up();
  }
  if (points.count() == 0) return {};
  Vector margins(points.count());
  problem_.model.logits(points.rows(), margins);
  budget_.used += margins.size();
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < points.count(); ++i) {
    if (!problem_.goal.reached(margins[i])) continue;
    Vector change(points[i].begin(), points[i].end());
    for (std::size_t j = 0; j < change.size(); ++j) change[j] -= origin_[j];
    const double cost = cost_of(changes_, change);
    // Infinite logits must not make every accepted point the same.
    out.push_back({std::move(change), cost, std::min(problem_.goal.margin(margins[i]), 1e3)});
  }
  return out;
}

std::vector<Vector> RateStarts::donors(const Matrix* donors) const {
  std::vector<Candidate> candidates = this->candidates(donors);
  std::vector<Vector> out;
  for (const double weight : {0.3, 1.0, 3.0}) {
    const auto score = [&](const Candidate& c) { return c.cost - weight * c.margin; };
    std::ranges::stable_sort(candidates, {}, score);
    std::size_t taken = 0;
    for (const Candidate& candidate : candidates) {
      if (taken == 2) break;
      if (std::ranges::find(out, candidate.change) != out.end()) continue;
      out.push_back(candidate.change);
      ++taken;
    }
  }
  return out;
}

std::vector<Vector> RateStarts::safe_donors(const Matrix* donors) const {
  constexpr std::size_t kLookedAt = 128;
  constexpr std::size_t kEach = 2;
  std::vector<Candidate> candidates = this->candidates(donors);
  std::ranges::stable_sort(candidates, std::greater<>{}, &Candidate::margin);
  RateConstraint rate(problem_, margins_, origin_, changes_, kDraws, aim_, budget_);
  struct Safe {
    const Candidate* candidate;
    double value;
  };
  std::vector<Safe> safe;
  for (std::size_t i = 0; i < std::min(kLookedAt, candidates.size()); ++i) {
    if (budget_.spent()) break;
    const double value = rate.value(candidates[i].change);
    if (value >= 0) safe.push_back({&candidates[i], value});
  }
  std::vector<Vector> out;
  const auto take = [&](const auto& key) {
    std::ranges::stable_sort(safe, {}, key);
    for (std::size_t i = 0, taken = 0; i < safe.size() && taken < kEach; ++i) {
      if (std::ranges::find(out, safe[i].candidate->change) != out.end()) continue;
      out.push_back(safe[i].candidate->change);
      ++taken;
    }
  };
  take([](const Safe& one) { return one.candidate->cost; });
  take([](const Safe& one) { return -one.value; });
  return out;
}

/// Half of them change one to three columns, half all of them, within what is admissible.
Matrix RateStarts::made_up() const {
  std::vector<std::size_t> movable;
  for (std::size_t j = 0; j < origin_.size(); ++j) {
    if (changes_.intervals[j].lower < changes_.intervals[j].upper) movable.push_back(j);
  }
  Matrix points(0, origin_.size());
  if (movable.empty()) return points;
  const Vector base = fixed_change(changes_);
  Sequence random({problem_.seed, Purpose::search, Stream::kShared - 2});
  for (std::size_t i = 0; i < kMadeUp; ++i) {
    Vector change = base;
    const bool all = i % 2 == 0;
    const std::size_t changes = all ? movable.size() : 1 + random.below(3);
    for (std::size_t c = 0; c < changes; ++c) {
      const std::size_t j =
          all ? movable[c] : movable[random.below(static_cast<std::uint32_t>(movable.size()))];
      const Interval reach = reach_of(j);
      change[j] = reach.lower + (reach.upper - reach.lower) * random.uniform();
    }
    if (!changes_.rows.empty()) change = scaled_change(changes_, change, 1.0);
    points.append(moved(origin_, change));
  }
  return points;
}

/// The changes of a column that are looked at.
Interval RateStarts::reach_of(std::size_t column) const {
  const Interval& interval = changes_.intervals[column];
  return {std::max(interval.lower, -kFarthest), std::min(interval.upper, kFarthest)};
}

Vector RateStarts::pulled(const Vector& start) const {
  RateConstraint rate(problem_, margins_, origin_, changes_, kDraws, aim_, budget_);
  if (rate.value(start) < 0) return start;
  double low = 0;
  double high = 1;
  for (int halving = 0; halving < 6; ++halving) {
    const double middle = (low + high) / 2;
    (rate.value(scaled_change(changes_, start, middle)) >= 0 ? high : low) = middle;
  }
  return scaled_change(changes_, start, high);
}

std::vector<Vector> RateStarts::singles(View scales, double most) const {
  constexpr double kNarrow = 0.08;
  constexpr double kLeastStep = 1.0 / 64;
  constexpr std::size_t kStarts = 3;
  const Vector base = fixed_change(changes_);
  const double base_cost = cost_of(changes_, base);
  RateConstraint rate(problem_, margins_, origin_, changes_, kDraws, aim_, budget_);
  std::optional<double> now;
  std::vector<std::pair<double, Vector>> kept;
  std::vector<std::pair<double, Vector>> partial;  ///< one for each column, by what it gains
  for (std::size_t j = 0; j < base.size(); ++j) {
    const Interval reach = reach_of(j);
    if (reach.lower == reach.upper || scales[j] >= kNarrow * problem_.space.columns[j].span)
      continue;
    const double size = std::max(
        {problem_.space.columns[j].step, scales[j], kLeastStep * problem_.space.columns[j].span});
    if (!now) now = rate.value(base);
    std::pair<double, Vector> nearest;
    for (const double end : {reach.lower, reach.upper}) {
      for (double way = size; end != 0 && !budget_.spent(); way += size) {
        Vector change = base;
        change[j] = std::copysign(std::min(way, std::abs(end)), end);
        if (!changes_.rows.empty()) change = scaled_change(changes_, change, 1.0);
        const double cost = cost_of(changes_, change);
        if (cost >= most) break;
        const double value = rate.value(change);
        const double gain = (value - *now) / std::max(cost - base_cost, 1e-9);
        const bool holds = value >= 0;
        if (!holds && gain > nearest.first) nearest = {gain, change};
        if (holds) kept.emplace_back(cost, std::move(change));
        if (holds || way >= std::abs(end)) break;  // farther out costs more
      }
    }
    if (nearest.first > 0) partial.push_back(std::move(nearest));
  }
  std::ranges::stable_sort(kept, {}, [](const auto& entry) { return entry.first; });
  std::ranges::stable_sort(partial, std::greater<>{},
                           [](const auto& entry) { return entry.first; });
  std::vector<Vector> out;
  for (auto* list : {&kept, &partial}) {
    for (std::size_t i = 0; i < std::min(kStarts, list->size()); ++i) {
      out.push_back(std::move((*list)[i].second));
    }
  }
  return out;
}

std::vector<Vector> RateStarts::sweeps(const std::stop_token& stop) const {
  constexpr std::size_t kStops = 12;
  constexpr std::size_t kStarts = 4;
  RateConstraint rate(problem_, margins_, origin_, changes_, kDraws, aim_, budget_);
  const Vector base = fixed_change(changes_);
  const double base_cost = cost_of(changes_, base);
  struct Move {
    Vector change;
    double value;
    double cost;
  };
  const auto sweep = [&](const Vector& from, std::vector<Move>& moves) {
    for (std::size_t j = 0; j < from.size(); ++j) {
      const Interval reach = reach_of(j);
      if (reach.lower == reach.upper || from[j] != 0) continue;
      for (std::size_t s = 0; s <= kStops; ++s) {
        if (budget_.spent() || stop.stop_requested()) return;
        Vector change = from;
        change[j] = reach.lower + (reach.upper - reach.lower) * static_cast<double>(s) / kStops;
        if (!changes_.rows.empty()) change = scaled_change(changes_, change, 1.0);
        const double value = rate.value(change);
        const double cost = cost_of(changes_, change);
        if (cost > base_cost) moves.push_back({std::move(change), value, cost});
      }
    }
  };
  std::vector<Move> moves;
  const double now = rate.value(base);
  sweep(base, moves);
  const auto gain = [&](const Move& move) { return (now - move.value) / (move.cost - base_cost); };
  std::ranges::stable_sort(moves, {}, gain);
  const std::vector<Move> partial(moves.begin(),
                                  moves.begin() + std::ptrdiff_t(std::min(kStarts, moves.size())));
  for (const Move& move : partial) sweep(move.change, moves);
  // What keeps the aim by price, then the rest by what is missing.
  std::ranges::stable_sort(moves, {}, [](const Move& move) {
    return move.value >= 0 ? std::pair{0, move.cost} : std::pair{1, -move.value};
  });
  std::vector<Vector> starts;
  for (std::size_t i = 0; i < std::min(kStarts, moves.size()); ++i) {
    starts.push_back(std::move(moves[i].change));
  }
  return starts;
}

}  // namespace croco
