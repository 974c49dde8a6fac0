// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/shortest_change.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <croco/methods/level_sets.hpp>
#include <croco/methods/order_statistic.hpp>
#include <croco/methods/supports.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// One way to go about a change: categories to move and, unless all may change, the only numbers
/// to change beside them.
struct Way {
  LevelSet set = {};
  std::optional<FeatureSet> numbers = {};
};

/// Compares ways on few draws and solves the best ones.
class WaySearch {
 public:
  WaySearch(const Problem& problem, const SearchDraws& draws, View origin, double rate,
            ChangeProblem changes, const FeatureSet& frozen)
      : problem_(problem),
        draws_(draws),
        origin_(origin),
        rate_(rate),
        changes_(std::move(changes)),
        frozen_(frozen),
        few_(limits_numbers(problem.space)),
        sketch_rate_(few_ ? lenient(rate, draws.coarse.count()) : rate) {}

  [[nodiscard]] ShortestChange solve() {
    consider(solved({}));
    find_outlook();
    const LevelSet nothing;
    if (few_) sketch(nothing);
    explore(nothing);
    std::ranges::stable_sort(
        sketches_, [](const Sketch& a, const Sketch& b) { return is_better(a.found, b.found); });
    std::size_t count = 0;
    for (const Sketch& sketch : sketches_) {
      if (count == kSolved) break;
      // Few draws are a little off; much dearer ways will not turn out to be cheaper.
      if (best_ && best_->feasible &&
          !(sketch.found.feasible && sketch.found.cost < kWorthSolving * best_->cost)) {
        break;
      }
      ++count;
      solve_in_full(sketch.way);
    }
    if (!best_) consider(solved({nothing, FeatureSet{}}));  // to change nothing is always a way
    best_->evaluations = evaluations_;
    return std::move(*best_);
  }

 private:
  static constexpr std::size_t kBeam = 8;
  static constexpr std::size_t kDeepest = 3;
  static constexpr std::size_t kEnumerated = 64;
  static constexpr std::size_t kSolved = 4;
  static constexpr double kWorthSolving = 1.05;

  /// What a standard error of few draws may hide. A way that just holds has no number to spare that
  /// could make up for it.
  [[nodiscard]] static double lenient(double rate, std::size_t draws) {
    return rate + std::sqrt(rate * (1 - rate) / static_cast<double>(draws));
  }

  struct Sketch {
    Way way;
    ShortestChange found;
  };

  /// Whether a change keeps to the number of features.
  [[nodiscard]] bool fits(const ShortestChange& found) const {
    return !few_ ||
           changed_features(problem_.space, origin_, moved(origin_, found.change)).size() <=
               problem_.space.most_changed;
  }

  /// More draws may ask for one more number than few did.
  void solve_in_full(const Way& way) {
    ShortestChange found = solved(way);
    const bool feasible = found.feasible;
    consider(std::move(found));
    if (feasible || !way.numbers) return;
    if (way.set.moves.size() + way.numbers->size() >= problem_.space.most_changed) return;
    for (std::size_t j = 0; j < origin_.size(); ++j) {
      const Interval& interval = changes_.intervals[j];
      if (interval.lower == interval.upper || contains(*way.numbers, j)) continue;
      FeatureSet more = *way.numbers;
      more.insert(std::ranges::upper_bound(more, j), j);
      consider(solved({way.set, std::move(more)}));
    }
  }

  void consider(ShortestChange found) {
    if (fits(found) && (!best_ || is_better(found, *best_))) best_ = std::move(found);
  }

  [[nodiscard]] ChangeProblem changes_of(const Way& way) const {
    ChangeProblem changes = with_levels(problem_.space, origin_, changes_, way.set);
    if (way.numbers) leave_alone_all_but(problem_.space, *way.numbers, changes);
    return changes;
  }

  /// What `run` makes of a way on a bank.
  template <typename Run>
  [[nodiscard]] ShortestChange searched(const Way& way, const NoiseBank& draws, double rate,
                                        const Run& run) {
    ChangeProblem changes = changes_of(way);
    const NoiseBank bank = draws.fixed_at(moved(origin_, fixed_change(changes)));
    NumericSearch search(problem_, bank, origin_, rate, std::move(changes));
    ShortestChange found = run(search);
    found.cost += touch_price(problem_.space, found.change);
    evaluations_ += found.evaluations;
    return found;
  }
  [[nodiscard]] ShortestChange solved(const Way& way) {
    return searched(way, draws_.whole, rate_, [](NumericSearch& search) { return search.solve(); });
  }
  [[nodiscard]] ShortestChange sketched(const Way& way) {
    return searched(way, draws_.coarse, sketch_rate_,
                    [](NumericSearch& search) { return search.sketch(); });
  }

  /// Remembers a way that keeps to the number of features.
  void remember(const LevelSet& set, const ShortestChange& found) {
    if (!fits(found)) return;
    const bool cheapest = found.feasible && found.cost < cheapest_sketch_;
    if (cheapest) cheapest_sketch_ = found.cost;
    Way way{set, {}};
    if (few_) way.numbers = changed_numbers(problem_.space, found.change);
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
    const Vector point = moved(origin_, change);
    // How many more than are allowed on average few draws may fail by chance.
    constexpr double kChance = 4;
    const auto look = [&](const NoiseBank& draws, double slack) {
      const NoiseBank bank = draws.fixed_at(point);
      const double mean = rate_ * static_cast<double>(bank.count());
      OrderStatistic statistic(problem_, bank, origin_, bank.count(),
                               static_cast<std::size_t>(mean + slack * std::sqrt(mean)));
      ++evaluations_;
      return statistic.evaluate(change).value;
    };
    if (look(draws_.coarse, kChance) < 0) return false;
    const double value = look(draws_.whole, 0);
    if (value < 0) return false;
    consider({.change = std::move(change),
              .changes = std::move(changes),
              .feasible = true,
              .cost = set.price,
              .constraint = value});
    return true;
  }

  /// The best beside a set of moves, on few draws.
  void sketch(const LevelSet& set) {
    const ShortestChange free = sketched({set, {}});
    remember(set, free);
    if (!few_ || !free.feasible) return;
    // Fewer numbers cost at least as much, but for the prices of touching them.
    if (free.cost - touch_price(problem_.space, free.change) >= incumbent()) return;
    const std::size_t moves = set.moves.size();
    const std::size_t room = problem_.space.most_changed - moves;
    const SupportChoice choice{.space = problem_.space, .changes = changes_, .most = room};
    search_supports(choice, changed_numbers(problem_.space, free.change),
                    [&](const FeatureSet& numbers) {
                      ShortestChange found = sketched({set, numbers});
                      remember(set, found);
                      return found;
                    });
  }

  /// What the constraint's gradient promises, as things are.
  void find_outlook() {
    const NoiseBank bank = draws_.coarse.fixed_at(origin_);
    const auto allowed = static_cast<std::size_t>(rate_ * static_cast<double>(bank.count()));
    OrderStatistic statistic(problem_, bank, origin_, bank.count(), allowed);
    here_ = statistic.evaluate(Vector(origin_.size()));
    for (std::size_t j = 0; j < origin_.size(); ++j) {
      const Interval& interval = changes_.intervals[j];
      if (interval.lower == interval.upper) continue;
      steepest_ = std::max(steepest_, std::abs(here_.gradient[j]) / changes_.costs[j]);
    }
  }

  /// The price of a set and of the numbers that its promise leaves to be changed.
  [[nodiscard]] double promise(const LevelSet& set) const {
    const Vector change = fixed_change(changes_of({set, {}}));
    double value = here_.value;
    for (std::size_t j = 0; j < change.size(); ++j) value += here_.gradient[j] * change[j];
    const double rest = std::max(0.0, -value);
    if (rest == 0) return set.price;
    return steepest_ > 0 ? set.price + rest / steepest_ : std::numeric_limits<double>::max() - rest;
  }

  /// What the best way costs that was solved on all draws.
  [[nodiscard]] double solved_cost() const {
    const bool known = best_ && best_->feasible;
    return known ? best_->cost : std::numeric_limits<double>::infinity();
  }
  /// The same, or what few draws promise.
  [[nodiscard]] double incumbent() const {
    return few_ ? solved_cost() : std::min(solved_cost(), cheapest_sketch_);
  }

  /// Leaves out the sets that few draws rule out.
  void drop_dear(std::vector<LevelSet>& sets) const {
    const double known = incumbent();
    std::erase_if(sets, [&](const LevelSet& set) { return set.price >= known; });
  }

  void explore(const LevelSet& nothing) {
    const std::size_t deepest = std::min(kDeepest, problem_.space.most_changed);
    std::vector<LevelSet> kept{nothing};
    std::vector<LevelSet> seen;
    for (std::size_t depth = 1; depth <= deepest && !kept.empty(); ++depth) {
      std::vector<LevelSet> candidates;
      for (const LevelSet& set : kept) {
        for (LevelSet& more : extended(problem_.space, origin_, set, frozen_)) {
          // Moves alone that cost as much as what is known already are no use.
          if (more.price >= solved_cost()) continue;
          if (std::ranges::find(seen, more) != seen.end()) continue;
          seen.push_back(more);
          candidates.push_back(std::move(more));
        }
      }
      std::ranges::stable_sort(candidates, {}, [&](const LevelSet& set) { return promise(set); });
      // Too many to look at them all: those that few draws rule out make way.
      if (depth > 2 || candidates.size() > kEnumerated) drop_dear(candidates);
      const std::size_t width =
          depth <= 2 && candidates.size() <= kEnumerated ? kEnumerated : kBeam;
      if (candidates.size() > width) candidates.resize(width);
      for (const LevelSet& set : candidates) {
        if (set.price >= solved_cost() || suffices(set)) continue;
        if (set.price < incumbent()) sketch(set);
      }
      drop_dear(candidates);
      kept = std::move(candidates);
      if (depth >= 2 && kept.size() > kBeam) kept.resize(kBeam);
    }
  }

  const Problem& problem_;
  const SearchDraws& draws_;
  View origin_;
  double rate_;
  ChangeProblem changes_;
  const FeatureSet& frozen_;
  bool few_;  ///< which numbers change matters, beside by how much
  double sketch_rate_;
  ConstraintValue here_;
  double steepest_ = 0.0;
  std::optional<ShortestChange> best_;
  std::vector<Sketch> sketches_;
  double cheapest_sketch_ = std::numeric_limits<double>::infinity();
  std::size_t evaluations_ = 0;
};

}  // namespace

bool has_ways(const Space& space) noexcept {
  return has_level_moves(space) || limits_numbers(space);
}

ShortestChange shortest_change(const Problem& problem, const SearchDraws& draws, View origin,
                               double rate, const FeatureSet& frozen) {
  ChangeProblem changes = change_problem(problem.space, origin);
  for (const std::size_t feature : frozen) changes.intervals[feature] = {0, 0};
  Vector nothing(origin.size());
  if (!changes.keeps_rows(nothing) && !nearest_change(changes, nothing)) {
    return {.change = std::move(nothing), .changes = std::move(changes)};
  }
  if (has_ways(problem.space)) {
    return WaySearch(problem, draws, origin, rate, std::move(changes), frozen).solve();
  }
  const NoiseBank bank = draws.whole.fixed_at(origin);
  return NumericSearch(problem, bank, origin, rate, std::move(changes)).solve();
}

}  // namespace croco
