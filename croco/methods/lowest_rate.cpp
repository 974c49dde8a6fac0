// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/lowest_rate.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <croco/base/random.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/models/model.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// Unbounded columns are followed this far, in encoded units.
constexpr double kFarthest = 16.0;
/// Corners of the admissible set that are looked at, and starts taken from these and the ends of
/// single columns.
constexpr std::size_t kCorners = 16;
constexpr std::size_t kStarts = 3;
constexpr std::size_t kRounds = 4;
/// Rounds over the levels of all categories, with numbers in between.
constexpr std::size_t kLevelRounds = 4;

}  // namespace

bool better(const LowestRate& a, const LowestRate& b) noexcept {
  if (a.valid() != b.valid()) return a.valid();
  if (!a.valid()) return a.own_margin > b.own_margin;
  return a.invalid != b.invalid ? a.invalid < b.invalid : a.own_margin > b.own_margin;
}

/// One person's ascent; keeps the best of all points that it sees.
class RateMinimiser::Ascent {
 public:
  Ascent(const RateMinimiser& owner, View origin, const std::stop_token& stop)
      : owner_(owner),
        origin_(origin),
        stop_(stop),
        margins_(owner.count()),
        changes_(change_problem(owner.problem_.space, origin)) {
    changes_.intervals.clear();
    for (std::size_t j = 0; j < origin.size(); ++j) {
      const Interval interval = admissible_interval(owner.problem_.space.columns[j], origin[j]);
      intervals_.push_back({std::max(interval.lower, origin[j] - kFarthest),
                            std::min(interval.upper, origin[j] + kFarthest)});
      changes_.intervals.push_back(
          {intervals_[j].lower - origin[j], intervals_[j].upper - origin[j]});
    }
    best_.point = kept({origin.begin(), origin.end()});
    best_.own_margin = -std::numeric_limits<double>::infinity();
  }

  /// The point that keeps the relations and is nearest.
  [[nodiscard]] Vector kept(Vector point) const {
    if (changes_.rows.empty()) return point;
    return moved(origin_, scaled_change(changes_, change_to(point), 1.0));
  }
  /// Whether anything that this person may change keeps the relations.
  [[nodiscard]] bool possible() const { return changes_.keeps_rows(change_to(best_.point)); }

  /// Rank `rank` of the margins, or the margin of the point itself where the model's gradient can
  /// say how that moves and it is the smaller one.
  [[nodiscard]] ConstraintValue evaluate(View point, std::size_t rank) {
    const NoisyMargins& noisy = owner_.margins_;
    noisy.margins(origin_, point, margins_);
    LowestRate seen{Vector(point.begin(), point.end()), noisy.own_margin(point),
                    NoisyMargins::invalid(margins_), 0};
    ConstraintValue out = noisy.order_statistic(origin_, point, margins_, rank);
    if (const Gradient* gradient = owner_.problem_.model.gradient();
        gradient != nullptr && seen.own_margin < out.value) {
      out.value = seen.own_margin;
      gradient->logit_gradient(point, out.gradient);
      for (double& slope : out.gradient) slope *= owner_.problem_.goal.sign();
    }
    keep_finite(out);
    ++evaluations_;
    if (better(seen, best_)) best_ = std::move(seen);
    return out;
  }

  /// Each step is the exact solution of the linear program in the trust region and the intervals.
  void climb(Vector point, std::size_t rank, double radius) {
    constexpr std::size_t kSteps = 25;
    hold_levels(point);
    ConstraintValue at = evaluate(point, rank);
    Vector next(point.size());
    for (std::size_t step = 0; step < kSteps && radius > 1e-3; ++step) {
      if (stop_.stop_requested()) return;
      if (changes_.rows.empty()) {
        for (std::size_t j = 0; j < point.size(); ++j) {
          const double reach = at.gradient[j] > 0 ? radius : at.gradient[j] < 0 ? -radius : 0.0;
          next[j] = std::clamp(point[j] + reach, intervals_[j].lower, intervals_[j].upper);
        }
      } else {
        next = moved(origin_, steepest_change(changes_, change_to(point), at.gradient, radius));
      }
      double predicted = 0;
      for (std::size_t j = 0; j < point.size(); ++j) {
        predicted += at.gradient[j] * (next[j] - point[j]);
      }
      if (!(predicted > 1e-6)) return;
      ConstraintValue reached = evaluate(next, rank);
      const double ratio = (reached.value - at.value) / predicted;
      if (ratio >= 0.1) {
        point.swap(next);
        at = std::move(reached);
        if (ratio >= 0.75) radius *= 2;
        if (ratio < 0.3) radius *= 0.6;
      } else {
        radius *= 0.35;
      }
    }
  }

  /// Gives one category after the other each level that it may have, numbers as they are; whether
  /// that helped.
  [[nodiscard]] bool move_levels() {
    const LowestRate before = best_;
    for (const OneHotGroup& group : owner_.problem_.space.groups) {
      const std::size_t own = level_at(group, origin_);
      for (std::size_t level = 0; level < group.count && !group.moves.empty(); ++level) {
        if (stop_.stop_requested()) return false;
        const bool back = level == own;
        if (level == level_at(group, best_.point)) continue;
        if (!back && find_move(group, own, level) == nullptr) continue;
        Vector point = best_.point;
        if (back) {
          std::ranges::copy(origin_.subspan(group.first, group.count),
                            point.begin() + static_cast<std::ptrdiff_t>(group.first));
        } else {
          set_level(group, level, point);
        }
        static_cast<void>(evaluate(point, owner_.count() / 2));
      }
    }
    return better(best_, before);
  }

  /// The best of the ends of single columns and of random corners, by their median margin.
  [[nodiscard]] std::vector<Vector> own_starts() {
    std::vector<std::pair<double, Vector>> candidates;
    const auto consider = [&](const Vector& end) {
      Vector point = kept(end);
      const double value = evaluate(point, owner_.count() / 2).value;
      candidates.emplace_back(-value, std::move(point));
    };
    Sequence random({owner_.problem_.seed, Purpose::search, Stream::kShared - 1});
    const auto end = [&](std::size_t j, bool upper) {
      return upper ? intervals_[j].upper : intervals_[j].lower;
    };
    for (std::size_t j = 0; j < origin_.size(); ++j) {
      for (const bool upper : {false, true}) {
        if (end(j, upper) == origin_[j] || stop_.stop_requested()) continue;
        Vector point(origin_.begin(), origin_.end());
        point[j] = end(j, upper);
        consider(point);
      }
    }
    for (std::size_t corner = 0; corner < kCorners && !stop_.stop_requested(); ++corner) {
      Vector point(origin_.begin(), origin_.end());
      for (std::size_t j = 0; j < point.size(); ++j) {
        if (owner_.problem_.space.movable(j)) point[j] = end(j, random.below(2) == 1);
      }
      consider(point);
    }
    std::ranges::stable_sort(candidates, {}, [](const auto& entry) { return entry.first; });
    std::vector<Vector> starts;
    for (std::size_t i = 0; i < std::min(kStarts, candidates.size()); ++i) {
      starts.push_back(std::move(candidates[i].second));
    }
    return starts;
  }

  [[nodiscard]] const LowestRate& best() const noexcept { return best_; }
  [[nodiscard]] std::size_t evaluations() const noexcept { return evaluations_; }

 private:
  /// Numbers move and levels stay where the point has them.
  void hold_levels(View point) {
    for (const OneHotGroup& group : owner_.problem_.space.groups) {
      if (group.moves.empty()) continue;
      for (std::size_t j = group.first; j < group.first + group.count; ++j) {
        intervals_[j] = {point[j], point[j]};
        changes_.intervals[j] = {point[j] - origin_[j], point[j] - origin_[j]};
      }
    }
  }

  [[nodiscard]] Vector change_to(View point) const {
    Vector change(point.begin(), point.end());
    for (std::size_t j = 0; j < change.size(); ++j) change[j] -= origin_[j];
    return change;
  }

  const RateMinimiser& owner_;
  View origin_;
  const std::stop_token& stop_;
  Vector margins_;
  std::vector<Interval> intervals_ = {};
  ChangeProblem changes_;
  LowestRate best_;
  std::size_t evaluations_ = 0;
};

RateMinimiser::RateMinimiser(const Problem& problem, std::size_t samples)
    : problem_(problem),
      margins_(problem, {problem.seed, Purpose::search, Stream::kShared}, samples,
               !problem.has_gradient() ? Slopes::from_answers : Slopes::from_model) {}

LowestRate RateMinimiser::find(View origin, std::span<const Vector> starts,
                               const std::stop_token& stop) const {
  Ascent ascent(*this, origin, stop);
  if (!ascent.possible()) return judge(origin, origin);
  std::vector<Vector> from = ascent.own_starts();
  from.push_back(ascent.kept({origin.begin(), origin.end()}));
  from.insert(from.end(), starts.begin(), starts.end());
  // A low rank sees what demanding targets see; the median still has a slope far from the boundary.
  for (const Vector& start : from) {
    ascent.climb(start, count() / 2, 0.25);
    ascent.climb(ascent.best().point, count() / 50, 0.25);
  }
  for (std::size_t round = 0; round < kLevelRounds && ascent.move_levels(); ++round) {
    ascent.climb(ascent.best().point, count() / 2, 0.25);
    ascent.climb(ascent.best().point, count() / 50, 0.25);
  }
  // "One draw fewer" is the order statistic just below the present count.
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::size_t invalid = ascent.best().invalid;
    if (invalid == 0 && ascent.best().valid()) break;
    ascent.climb(ascent.best().point, invalid == 0 ? 0 : invalid - 1, 0.1);
    if (ascent.best().invalid >= invalid) break;
  }
  LowestRate out = ascent.best();
  out.evaluations = ascent.evaluations();
  return out;
}

LowestRate RateMinimiser::judge(View origin, View point) const {
  Vector margins(count());
  margins_.margins(origin, point, margins);
  return {Vector(point.begin(), point.end()), margins_.own_margin(point),
          NoisyMargins::invalid(margins), 1};
}

double RateMinimiser::order_statistic(View origin, View point, std::size_t rank) const {
  Vector margins(count());
  margins_.margins(origin, point, margins);
  const auto at = margins.begin() + std::ptrdiff_t(std::min(rank, count() - 1));
  std::nth_element(margins.begin(), at, margins.end());
  return *at;
}

}  // namespace croco
