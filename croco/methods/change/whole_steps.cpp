// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/whole_steps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <croco/methods/change/relation_steps.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

bool stepped(const Space& space, View change, std::size_t j) noexcept {
  return change[j] != 0 && space.columns[j].step != 0;
}

/// One round of exchanges from a change on steps.
class Exchange {
 public:
  Exchange(const Space& space, const ChangeProblem& changes, View origin, const Vector& change,
           const std::function<bool(View)>& keeps)
      : space_(space), changes_(changes), origin_(origin), change_(change), keeps_(keeps) {
    for (std::size_t j = 0; j < change.size(); ++j) {
      if (stepped(space, change, j)) columns_.push_back(j);
    }
    cost_ = best_cost_ = cost_of(changes, change);
  }

  /// The cheapest exchange and a few neighbours that are cheaper than the change, which they follow
  /// in `found`; false when there is none.
  bool run(std::vector<Vector>& found) {
    for (const std::size_t j : columns_) {
      const double step = std::copysign(space_.columns[j].step, change_[j]);
      const double less = change_[j] - step;
      for (const double back : {less * step > 0 ? less : 0.0, 0.0}) go_back(j, back);
    }
    if (best_.empty()) return false;
    found.push_back(best_);
    for (const double further : {1.0, 2.0, 4.0}) {
      if (made_up_ == change_.size()) break;
      Vector more = further_by(best_, made_up_, further);
      if (holds(more, cost_)) found.push_back(std::move(more));
    }
    return true;
  }
  [[nodiscard]] const Vector& best() const noexcept { return best_; }

 private:
  [[nodiscard]] Vector further_by(const Vector& change, std::size_t j, double steps) const {
    Vector point = moved(origin_, change);
    point[j] += steps * std::copysign(space_.columns[j].step, change_[j]);
    round(space_, origin_, point, Rounding::nearest);
    for (std::size_t k = 0; k < point.size(); ++k) point[k] -= origin_[k];
    return point;
  }
  [[nodiscard]] bool holds(const Vector& change, double below) const {
    return cost_of(changes_, change) < below * (1 - 1e-9) && changes_.keeps_rows(change) &&
           keeps_(change);
  }
  void take(Vector change, std::size_t made_up) {
    best_cost_ = cost_of(changes_, change);
    best_ = std::move(change);
    made_up_ = made_up;
  }

  static constexpr double kMostSteps = 1 << 16;

  /// The last whole number up to `most` for which a condition is true that ceases to be so once; 0
  /// when it is not for 1.
  template <typename Condition>
  [[nodiscard]] static double last_true(double most, const Condition& condition) {
    double low = 0;
    double high = most + 1;
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (condition(middle) ? low : high) = middle;
    }
    return low;
  }

  void go_back(std::size_t j, double back) {
    Vector base = change_;
    base[j] = back;
    base = further_by(base, j, 0);
    if (holds(base, best_cost_)) {
      take(std::move(base), change_.size());
      return;
    }
    for (const std::size_t i : columns_) {
      if (i == j) continue;
      // As far as it pays, then as few as hold: both end where they cease to be true.
      const double most = last_true(kMostSteps, [&](double steps) {
        return cost_of(changes_, further_by(base, i, steps)) < best_cost_ * (1 - 1e-9);
      });
      if (most < 1 || !holds(further_by(base, i, most), best_cost_)) continue;
      const double spare = last_true(most - 1, [&](double steps) {
        return holds(further_by(base, i, most - steps), best_cost_);
      });
      take(further_by(base, i, most - spare), i);
    }
  }

  const Space& space_;
  const ChangeProblem& changes_;
  View origin_;
  const Vector& change_;
  const std::function<bool(View)>& keeps_;
  std::vector<std::size_t> columns_;
  double cost_ = 0;
  double best_cost_ = 0;
  Vector best_;
  std::size_t made_up_ = 0;
};

}  // namespace

bool has_steps(const Space& space, View change) noexcept {
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (stepped(space, change, j)) return true;
  }
  return false;
}

bool only_steps(const Space& space, View change) noexcept {
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (change[j] != 0 && space.columns[j].continuous && !stepped(space, change, j)) return false;
  }
  return true;
}

std::vector<std::size_t> coarse_columns(const Space& space, const ChangeProblem& changes,
                                        View change) {
  constexpr double kCoarse = 0.02;
  constexpr std::size_t kMost = 3;
  const double cost = cost_of(changes, change);
  const auto step_cost = [&](std::size_t j) {
    return step_price(changes, j, change[j], space.columns[j].step);
  };
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (stepped(space, change, j) && step_cost(j) > kCoarse * cost) columns.push_back(j);
  }
  std::ranges::stable_sort(columns, std::greater<>{}, step_cost);
  columns.resize(std::min(columns.size(), kMost));
  return columns;
}

double change_on_step(const Space& space, View origin, View change, std::size_t column,
                      bool outward) {
  Vector point = moved(origin, change);
  round(space, origin, point, Rounding::outward);
  const double outside = point[column] - origin[column];
  if (outward) return outside;
  const double step = std::copysign(space.columns[column].step, change[column]);
  const double inside = std::abs(outside) > std::abs(change[column]) ? outside - step : outside;
  // The present value is always admissible, and nothing goes past it.
  if (inside * step <= 0) return 0;
  point[column] = origin[column] + inside;
  round(space, origin, point, Rounding::nearest);
  return point[column] - origin[column];
}

std::vector<Vector> whole_step_changes(const Space& space, const ChangeProblem& changes,
                                       View origin, View change) {
  constexpr std::size_t kEnumerated = 3;
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (stepped(space, change, j)) columns.push_back(j);
  }
  // Where a step costs most, its choice matters most.
  std::ranges::stable_sort(columns, std::greater<>{}, [&](std::size_t j) {
    return step_price(changes, j, change[j], space.columns[j].step);
  });
  columns.resize(std::min(columns.size(), kEnumerated));

  Vector outward(origin.begin(), origin.end());
  for (std::size_t j = 0; j < outward.size(); ++j) outward[j] += change[j];
  round(space, origin, outward, Rounding::outward);
  std::vector<Vector> points{outward};
  for (const std::size_t j : columns) {
    const double step = std::copysign(space.columns[j].step, change[j]);
    std::vector<Vector> more;
    for (const Vector& point : points) {
      for (const double steps : {-2.0, -1.0, 0.0, 1.0}) {
        Vector& moved = more.emplace_back(point);
        moved[j] += steps * step;
        // A step towards the person may not go past them.
        if ((moved[j] - origin[j]) * step <= 0) moved[j] = origin[j];
        round(space, origin, moved, Rounding::nearest);
      }
    }
    points = std::move(more);
  }
  if (!changes.rows.empty()) {
    std::erase_if(points, [&](Vector& point) {
      return !round_within_relations(space, changes, origin, point, Rounding::nearest);
    });
  }
  for (Vector& point : points) {
    for (std::size_t j = 0; j < point.size(); ++j) point[j] -= origin[j];
  }
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::ranges::stable_sort(points, {},
                           [&](const Vector& point) { return cost_of(changes, point); });
  return points;
}

std::vector<Vector> exchanged_steps(const Space& space, const ChangeProblem& changes, View origin,
                                    View change, const std::function<bool(View)>& keeps) {
  constexpr std::size_t kRounds = 6;
  std::vector<Vector> found;
  Vector from(change.begin(), change.end());
  for (std::size_t round = 0; round < kRounds; ++round) {
    Exchange exchange(space, changes, origin, from, keeps);
    if (!exchange.run(found)) break;
    from = exchange.best();
  }
  std::ranges::stable_sort(found, {}, [&](const Vector& one) { return cost_of(changes, one); });
  return found;
}

}  // namespace croco
