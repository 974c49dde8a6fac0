// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/lattice_change.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include <croco/methods/change/relation_steps.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

/// Relaxed problems at most; usual people need less than ten.
constexpr std::size_t kMaxNodes = 4000;
/// A value this near to a step, in steps, is on it (as in space/admissible).
constexpr double kOnStep = 1e-9;
/// No cost of missing the constraint is too high.
constexpr double kNoLimit = 1e300;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// With relations, columns without an end are looked at this far, in encoded units.
constexpr double kFarthest = 16.0;

/// The admissible values of a stepped column on one side of the origin.
class Steps {
 public:
  Steps(const Column& column, double origin, bool up)
      : column_(column), origin_(origin), sign_(up ? 1.0 : -1.0) {}

  /// The change of the last step inside the interval; 0 when there is none.
  [[nodiscard]] double last(const Interval& interval) const {
    const double end = sign_ > 0 ? interval.upper : interval.lower;
    if (!std::isfinite(end)) return end;
    return beyond(inward(end));
  }
  /// The admissible changes around one: the last that is not farther, the first that is not nearer.
  [[nodiscard]] std::pair<double, double> around(double change) const {
    const double value = origin_ + change;
    return {beyond(inward(value)), beyond(outward(value))};
  }

 private:
  [[nodiscard]] double inward(double value) const {
    const double steps = (value - column_.step_origin) / column_.step;
    return sign_ > 0 ? std::floor(steps + kOnStep) : std::ceil(steps - kOnStep);
  }
  [[nodiscard]] double outward(double value) const {
    const double steps = (value - column_.step_origin) / column_.step;
    return sign_ > 0 ? std::ceil(steps - kOnStep) : std::floor(steps + kOnStep);
  }
  /// The change to step k; the present value stands in for steps on its other side.
  [[nodiscard]] double beyond(double k) const {
    const double change = column_.step_origin + k * column_.step - origin_;
    return change * sign_ > kOnStep * column_.step ? change : 0.0;
  }

  const Column& column_;
  double origin_;
  double sign_;
};

struct Node {
  std::vector<Interval> intervals;
  Vector change;
  double cost = 0.0;

  bool operator<(const Node& other) const { return cost > other.cost; }
};

class BranchAndBound {
 public:
  BranchAndBound(const Space& space, View origin, View slope, double needed)
      : space_(space),
        origin_(origin),
        slope_(slope),
        needed_(needed),
        whole_(change_problem(space, origin)),
        problem_(whole_) {}

  [[nodiscard]] std::optional<LatticeChange> run() {
    std::vector<Interval> whole;
    whole.reserve(origin_.size());
    for (std::size_t j = 0; j < origin_.size(); ++j) {
      // A relation may ask a column to move although that gains nothing, or less than nothing.
      whole.push_back(whole_.rows.empty() ? useful_interval(j) : stepped_interval(j));
    }
    std::priority_queue<Node> open;
    push(open, std::move(whole));
    std::optional<LatticeChange> best;
    const auto keep = [&](const Vector& change) {
      const double cost = cost_of(whole_, change);
      if (!best || cost < best->cost) best = LatticeChange{change, cost};
    };
    while (!open.empty()) {
      Node node = open.top();
      if (best && node.cost >= best->cost * (1 - 1e-12)) break;
      if (nodes_ >= kMaxNodes) {
        if (best) best->gap = best->cost - node.cost;
        break;
      }
      open.pop();
      const std::optional<std::size_t> broken = off_step(node.change);
      if (!broken) {
        keep(node.change);
        continue;
      }
      const auto [nearer, farther] = around(*broken, node.change[*broken]);
      const bool up = node.change[*broken] > 0;
      if (whole_.rows.empty()) {
        // Moving the broken column outwards keeps the constraint: an answer, if not the best one.
        Vector outward = node.change;
        outward[*broken] = farther;
        const Interval& interval = node.intervals[*broken];
        if (farther >= interval.lower && farther <= interval.upper) keep(outward);
      } else if (const std::optional<Vector> near = rounded(node.change)) {
        keep(*near);
      }
      for (const bool out : {false, true}) {
        std::vector<Interval> part = node.intervals;
        Interval& changed = part[*broken];
        (up == out ? changed.lower : changed.upper) = out ? farther : nearer;
        if (changed.lower <= changed.upper) push(open, std::move(part));
      }
    }
    if (best) {
      best->nodes = nodes_;
      best->optimal = best->gap <= 0;
    }
    return best;
  }

  /// Where a column may go to gain: from 0 to the last admissible value that way.
  [[nodiscard]] Interval useful_interval(std::size_t j) const {
    if (slope_[j] == 0) return {0, 0};
    const Column& column = space_.columns[j];
    const Interval interval = admissible_interval(column, origin_[j]);
    const bool up = slope_[j] > 0;
    const double end = column.step != 0 ? Steps(column, origin_[j], up).last(interval)
                                        : (up ? interval.upper : interval.lower) - origin_[j];
    return up ? Interval{0, end} : Interval{end, 0};
  }

  /// Where a column may go at all: to the last admissible values either way.
  [[nodiscard]] Interval stepped_interval(std::size_t j) const {
    const Column& column = space_.columns[j];
    if (column.step == 0) return whole_.intervals[j];
    const Interval interval = admissible_interval(column, origin_[j]);
    return {Steps(column, origin_[j], false).last(interval),
            Steps(column, origin_[j], true).last(interval)};
  }

 private:
  void push(std::priority_queue<Node>& open, std::vector<Interval> intervals) {
    ++nodes_;
    problem_.intervals = std::move(intervals);
    Node node;
    node.change.resize(origin_.size());
    const Vector zero(origin_.size());
    const ConstraintValue constraint{-needed_, Vector(slope_.begin(), slope_.end())};
    const bool solved = linear_step(problem_, zero, constraint, kInfinite,
                                    whole_.rows.empty() ? kNoLimit : kInfinite, node.change);
    node.intervals = std::move(problem_.intervals);
    if (!solved || !gains_enough(node.change)) return;
    node.cost = cost_of(whole_, node.change);
    open.push(std::move(node));
  }

  /// Up to rounding, and to what the simplex method forgives.
  [[nodiscard]] bool gains_enough(View change) const {
    double gained = 0;
    double magnitude = std::abs(needed_);
    double steepest = 0;
    for (std::size_t j = 0; j < slope_.size(); ++j) {
      gained += slope_[j] * change[j];
      magnitude += std::abs(slope_[j] * change[j]);
      steepest = std::max(steepest, std::abs(slope_[j]));
    }
    const double forgiven = whole_.rows.empty() ? 0.0 : 1e-10 * steepest;
    return gained >= needed_ - 1e-13 * magnitude - forgiven;
  }

  /// A relaxed optimum on steps nearby that keep the relations, when it still gains enough.
  [[nodiscard]] std::optional<Vector> rounded(View change) const {
    Vector point = moved(origin_, change);
    if (!round_within_relations(space_, whole_, origin_, point, Rounding::outward)) {
      return std::nullopt;
    }
    for (std::size_t j = 0; j < point.size(); ++j) point[j] -= origin_[j];
    if (!gains_enough(point)) return std::nullopt;
    return point;
  }

  [[nodiscard]] std::pair<double, double> around(std::size_t j, double change) const {
    return Steps(space_.columns[j], origin_[j], change > 0).around(change);
  }

  /// The stepped column between two of its values whose step is the most expensive. Without
  /// relations the relaxed optimum has one at most.
  [[nodiscard]] std::optional<std::size_t> off_step(View change) const {
    std::optional<std::size_t> most_expensive;
    double most = 0;
    for (std::size_t j = 0; j < change.size(); ++j) {
      const Column& column = space_.columns[j];
      if (column.step == 0 || change[j] == 0) continue;
      const auto [nearer, farther] = around(j, change[j]);
      const double slack = 2 * kOnStep * column.step;
      const bool broken =
          std::abs(change[j] - nearer) > slack && std::abs(farther - change[j]) > slack;
      if (!broken || column.cost * column.step <= most) continue;
      most = column.cost * column.step;
      most_expensive = j;
    }
    return most_expensive;
  }

  const Space& space_;
  View origin_;
  View slope_;
  double needed_;
  ChangeProblem whole_;    ///< all that the person may change
  ChangeProblem problem_;  ///< of one node
  std::size_t nodes_ = 0;
};

}  // namespace

std::optional<LatticeChange> cheapest_lattice_change(const Space& space, View origin, View slope,
                                                     double needed) {
  return BranchAndBound(space, origin, slope, needed).run();
}

Vector farthest_change(const Space& space, View origin, View slope) {
  if (!space.relations.empty()) {
    ChangeProblem changes = change_problem(space, origin);
    for (Interval& interval : changes.intervals) {
      interval = {std::max(interval.lower, -kFarthest), std::min(interval.upper, kFarthest)};
    }
    const std::optional<Vector> repaired = nearest_change(changes, Vector(origin.size()));
    if (!repaired) return Vector(origin.size());
    return steepest_change(changes, *repaired, slope, 2 * kFarthest);
  }
  const BranchAndBound search(space, origin, slope, 0);
  Vector change(origin.size());
  for (std::size_t j = 0; j < change.size(); ++j) {
    const Interval interval = search.useful_interval(j);
    const double end = slope[j] > 0 ? interval.upper : interval.lower;
    if (std::isfinite(end)) change[j] = end;
  }
  return change;
}

}  // namespace croco
