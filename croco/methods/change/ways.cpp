// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/ways.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <croco/methods/change/supports.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// Categories to move and, unless all may change, the only numbers to change beside them.
struct Way {
  LevelSet set = {};
  std::optional<FeatureSet> numbers = {};
};

/// Compares ways by sketches and solves the best ones.
class WaySearch {
 public:
  WaySearch(const WayRequest& request, WaySolver& solver)
      : space_(request.space),
        origin_(request.origin),
        changes_(request.changes),
        frozen_(request.frozen),
        stop_(request.stop),
        moves_first_(request.moves_first),
        known_(request.known),
        solver_(solver),
        few_(limits_numbers(request.space)) {}

  [[nodiscard]] std::vector<ShortestChange> run() {
    const LevelSet nothing;
    if (!known_.empty()) begin_at_known();
    if (moves_first_) try_moves(nothing);
    if (!moves_first_) consider(solved({}));
    if (few_ || (moves_first_ && nothing != begun_)) sketch(nothing);
    explore(nothing);
    std::ranges::stable_sort(
        sketches_, [](const Sketch& a, const Sketch& b) { return is_better(a.found, b.found); });
    std::size_t count = 0;
    for (const Sketch& sketch : sketches_) {
      if (count == kSolved || stop_.stop_requested()) break;
      // Few draws are inaccurate; much costlier ways will not turn out to be cheaper.
      if (best_feasible() &&
          !(sketch.found.feasible && sketch.found.cost < kWorthSolving * found_[best_].cost)) {
        break;
      }
      ++count;
      if (solver_.spent()) {
        if (sketch.found.feasible) consider(sketch.found);
      } else {
        solve_in_full(sketch.way);
      }
    }
    // To change nothing is always a way.
    if (found_.empty()) consider(solved({nothing, FeatureSet{}}));
    std::ranges::stable_sort(found_, is_better);
    if (found_.front().feasible) {
      std::erase_if(found_, [](const ShortestChange& one) { return !one.feasible; });
    } else {
      found_.resize(1);
    }
    found_.front().evaluations = solver_.evaluations();
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kBeam = 8;
  static constexpr std::size_t kDeepest = 3;
  static constexpr std::size_t kEnumerated = 64;
  static constexpr std::size_t kSolved = 6;
  static constexpr double kWorthSolving = 1.05;
  // With moves first: sets of moves alone that are tried and how many moves they have, and the
  // share of the best known cost that a set with numbers has to promise to be looked at.
  static constexpr std::size_t kMostTried = 400;
  static constexpr std::size_t kDeepestTried = 4;
  static constexpr double kWorthSketching = 0.7;

  struct Sketch {
    Way way;
    ShortestChange found;
  };

  /// Whether a change keeps to the number of features.
  [[nodiscard]] bool fits(const ShortestChange& found) const {
    return !few_ || changed_features(space_, origin_, moved(origin_, found.change)).size() <=
                        space_.most_changed;
  }

  /// More draws may ask for one more number than few did.
  void solve_in_full(const Way& way) {
    ShortestChange found = solved(way);
    const bool feasible = found.feasible;
    consider(std::move(found));
    if (feasible || !way.numbers) return;
    if (way.set.moves.size() + way.numbers->size() >= space_.most_changed) return;
    for (std::size_t j = 0; j < origin_.size(); ++j) {
      const Interval& interval = changes_.intervals[j];
      if (interval.lower == interval.upper || contains(*way.numbers, j)) continue;
      FeatureSet more = *way.numbers;
      more.insert(std::ranges::upper_bound(more, j), j);
      consider(solved({way.set, std::move(more)}));
    }
  }

  void consider(ShortestChange found) {
    if (!fits(found)) return;
    found_.push_back(std::move(found));
    if (is_better(found_.back(), found_[best_])) best_ = found_.size() - 1;
  }

  [[nodiscard]] bool best_feasible() const { return !found_.empty() && found_[best_].feasible; }

  [[nodiscard]] ChangeProblem changes_of(const Way& way) const {
    ChangeProblem changes = with_levels(space_, origin_, changes_, way.set);
    if (way.numbers) freeze_all_except(space_, *way.numbers, changes);
    return changes;
  }

  [[nodiscard]] ShortestChange with_touch_price(ShortestChange found) const {
    found.cost += touch_price(space_, found.change);
    return found;
  }
  [[nodiscard]] ShortestChange solved(const Way& way) {
    return with_touch_price(solver_.solve(changes_of(way)));
  }
  [[nodiscard]] ShortestChange sketched(const Way& way) {
    return with_touch_price(solver_.sketch(changes_of(way)));
  }

  /// Remembers a way that keeps to the number of features.
  void remember(const LevelSet& set, const ShortestChange& found) {
    if (!fits(found)) return;
    const bool cheapest = found.feasible && found.cost < cheapest_sketch_;
    if (cheapest) cheapest_sketch_ = found.cost;
    Way way{set, {}};
    if (few_) way.numbers = changed_numbers(space_, found.change);
    if (few_ && cheapest) {
      solve_in_full(way);  // what lenient sketches say may not hold
      return;
    }
    sketches_.push_back({std::move(way), found});
  }

  /// Whether moves alone keep the rate, on all draws; nothing beside them can be cheaper then. Few
  /// draws often just fail them, and make numbers look necessary.
  [[nodiscard]] bool suffices(const LevelSet& set) {
    if (set.moves.empty()) return false;
    ChangeProblem changes = changes_of({set, {}});
    Vector change = fixed_change(changes);
    if (!changes.keeps_rows(change)) return false;
    const std::optional<double> value = solver_.constraint_if_feasible(changes, change);
    if (!value) return false;
    consider({.change = std::move(change),
              .changes = std::move(changes),
              .feasible = true,
              .cost = set.price,
              .constraint = *value});
    return true;
  }

  /// The moves that are known to keep a higher rate, with other numbers beside them.
  void begin_at_known() {
    LevelSet set = levels_between(space_, origin_, moved(origin_, known_));
    ChangeProblem changes = changes_of({set, {}});
    known_cost_ = cost_of(changes, known_) + touch_price(space_, known_);
    if (few_) return;
    consider(with_touch_price(solver_.solve_from(std::move(changes), known_)));
    if (best_feasible()) begun_ = std::move(set);
  }

  /// The cheapest set of moves that keeps the rate alone, in the order of their prices: what comes
  /// first is the best of them.
  void try_moves(const LevelSet& nothing) {
    const std::size_t deepest = std::min(kDeepestTried, space_.most_changed);
    std::set<std::vector<LevelChoice>> seen;
    std::multimap<double, LevelSet> next;
    const auto extend = [&](const LevelSet& set) {
      for (LevelSet& more : extended(space_, origin_, set, frozen_)) {
        if (!seen.insert(more.moves).second) continue;
        const double price = more.price;
        next.emplace(price, std::move(more));
      }
    };
    extend(nothing);
    std::size_t tried = 0;
    // What the recommended record was rounded to may be a little dearer than the cheapest change.
    const double least = 0.99 * known_cost_;
    while (!next.empty() && tried < kMostTried && !stop_.stop_requested()) {
      const LevelSet set = std::move(next.begin()->second);
      next.erase(next.begin());
      if (set.price >= least) {
        ++tried;
        if (suffices(set)) return;
      }
      if (set.moves.size() < deepest) extend(set);
    }
  }

  /// The best beside a set of moves, on few draws.
  void sketch(const LevelSet& set) {
    const ShortestChange free = sketched({set, {}});
    remember(set, free);
    if (!few_ || !free.feasible) return;
    // Fewer numbers cost at least as much, but for the prices of touching them.
    if (free.cost - touch_price(space_, free.change) >= incumbent()) return;
    const std::size_t moves = set.moves.size();
    const std::size_t room = space_.most_changed - moves;
    const SupportChoice choice{.space = space_, .changes = changes_, .most = room};
    search_supports(choice, changed_numbers(space_, free.change), [&](const FeatureSet& numbers) {
      ShortestChange found = sketched({set, numbers});
      remember(set, found);
      return found;
    });
  }

  /// The price of a set and of the numbers that it is expected to leave to be changed.
  [[nodiscard]] double promise(const LevelSet& set) {
    return set.price + solver_.estimated_numeric_cost(set, fixed_change(changes_of({set, {}})));
  }

  /// What the best way costs that was solved on all draws.
  [[nodiscard]] double solved_cost() const {
    return best_feasible() ? found_[best_].cost : std::numeric_limits<double>::infinity();
  }
  /// The same, or what few draws promise.
  [[nodiscard]] double incumbent() const {
    return few_ ? solved_cost() : std::min(solved_cost(), cheapest_sketch_);
  }

  /// Leaves out the sets that few draws rule out.
  void prune_expensive(std::vector<LevelSet>& sets) const {
    const double known = incumbent();
    std::erase_if(sets, [&](const LevelSet& set) { return set.price >= known; });
  }

  void explore(const LevelSet& nothing) {
    const std::size_t deepest = std::min(kDeepest, space_.most_changed);
    std::vector<LevelSet> kept{nothing};
    std::vector<LevelSet> seen;
    for (std::size_t depth = 1; depth <= deepest && !kept.empty(); ++depth) {
      std::vector<LevelSet> candidates;
      for (const LevelSet& set : kept) {
        for (LevelSet& more : extended(space_, origin_, set, frozen_)) {
          // Moves alone that cost as much as what is known already are no use.
          if (more.price >= solved_cost()) continue;
          if (std::ranges::find(seen, more) != seen.end()) continue;
          seen.push_back(more);
          candidates.push_back(std::move(more));
        }
      }
      std::ranges::stable_sort(candidates, {}, [&](const LevelSet& set) { return promise(set); });
      // Too many to look at them all: those that few draws rule out make way.
      if (depth > 2 || candidates.size() > kEnumerated) prune_expensive(candidates);
      const std::size_t width =
          depth <= 2 && candidates.size() <= kEnumerated ? kEnumerated : kBeam;
      if (candidates.size() > width) candidates.resize(width);
      for (const LevelSet& set : candidates) {
        if (stop_.stop_requested()) return;
        if (set.price >= solved_cost() || (!moves_first_ && suffices(set))) continue;
        if (moves_first_ && (set == begun_ || promise(set) >= kWorthSketching * incumbent()))
          continue;
        if (set.price < incumbent()) sketch(set);
      }
      prune_expensive(candidates);
      kept = std::move(candidates);
      if (depth >= 2 && kept.size() > kBeam) kept.resize(kBeam);
    }
  }

  const Space& space_;
  View origin_;
  const ChangeProblem& changes_;
  const FeatureSet& frozen_;
  const std::stop_token stop_;
  bool moves_first_;
  View known_;
  double known_cost_ = 0.0;
  std::optional<LevelSet> begun_ = {};  ///< solved from the change that was known
  WaySolver& solver_;
  bool few_;  ///< which numbers change matters, beside by how much
  std::vector<ShortestChange> found_;
  std::size_t best_ = 0;  ///< in `found_`
  std::vector<Sketch> sketches_;
  double cheapest_sketch_ = std::numeric_limits<double>::infinity();
};

}  // namespace

bool has_ways(const Space& space) noexcept {
  return has_level_moves(space) || limits_numbers(space);
}

ChangeProblem changes_without(const Space& space, View origin, const FeatureSet& frozen) {
  ChangeProblem changes = change_problem(space, origin);
  for (const std::size_t feature : frozen) changes.intervals[feature] = {0, 0};
  return changes;
}

SecondStart second_start(const Space& space, View origin, View point, bool same_features) {
  SecondStart out{.changes = with_levels(space, origin, change_problem(space, origin),
                                         levels_between(space, origin, point)),
                  .change = Vector(point.begin(), point.end()),
                  .frozen = {}};
  for (std::size_t j = 0; j < out.change.size(); ++j) out.change[j] -= origin[j];
  if (same_features) {
    const FeatureSet kept = changed_features(space, origin, point);
    for (const std::size_t feature : all_features(space)) {
      if (!contains(kept, feature)) out.frozen.push_back(feature);
    }
  }
  if (same_features || limits_numbers(space)) {
    freeze_all_except(space, changed_numbers(space, out.change), out.changes);
  }
  return out;
}

std::vector<ShortestChange> search_ways(const WayRequest& request, WaySolver& solver) {
  return WaySearch(request, solver).run();
}

}  // namespace croco
