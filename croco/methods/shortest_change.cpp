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
#include <croco/methods/starts.hpp>
#include <croco/methods/trust_region.hpp>
#include <croco/methods/whole_steps.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// Draws that scan single columns, and that rank the starts.
constexpr std::size_t kScanSamples = 256;
constexpr std::size_t kCoarseSamples = 512;
/// Steps that promise less than this, in cost, are not worth a look: the calibration moves further.
constexpr double kCoarsePrecision = 1e-3;
constexpr double kPrecision = 1e-4;
/// Starts that are polished on the whole bank, unless they cost this much more than the best.
constexpr std::size_t kPolished = 2;
constexpr double kWorthPolishing = 1.02;
/// A single move is worth a start unless it costs this much more than what was found.
constexpr double kWorthStarting = 1.1;

bool better(const TrustRegionResult& a, const TrustRegionResult& b) {
  if (a.feasible != b.feasible) return a.feasible;
  return a.feasible ? a.cost < b.cost : a.constraint > b.constraint;
}

class Person {
 public:
  /// `bank` is fixed at the levels that `changes` lead to.
  Person(const Problem& problem, const NoiseBank& bank, View origin, double rate,
         ChangeProblem changes)
      : problem_(problem),
        bank_(bank),
        origin_(origin),
        rate_(rate),
        whole_(statistic(bank.count())),
        out_{.changes = std::move(changes)} {}

  [[nodiscard]] ShortestChange solve() {
    take(polished(ranked()));
    if (out_.feasible) fix_coarse_steps();
    return std::move(out_);
  }

  /// From few starts on this bank alone: enough to compare sets of moves.
  [[nodiscard]] ShortestChange sketch() {
    std::optional<TrustRegionResult> best;
    const auto run = [&](const Vector& start, double radius) {
      TrustRegionResult result =
          minimise(whole_, out_.changes, start, {.radius = radius, .precision = kCoarsePrecision});
      if (!best || better(result, *best)) best = std::move(result);
    };
    const Vector nothing = fixed_change(out_.changes);
    run(nothing, 0.1);
    run(nothing, 1.0);
    // Some boundaries are only reached by a long way along one column.
    OrderStatistic scanned = statistic(kScanSamples);
    const std::vector<Vector> singles = single_moves(out_.changes, scanned);
    if (!singles.empty() &&
        (!best->feasible || cost_of(out_.changes, singles[0]) < kWorthStarting * best->cost)) {
      run(singles[0], 0.1);
    }
    take(std::move(*best));
    return std::move(out_);
  }

 private:
  [[nodiscard]] OrderStatistic statistic(std::size_t samples) const {
    samples = std::min(samples, bank_.count());
    const auto allowed = static_cast<std::size_t>(rate_ * static_cast<double>(samples));
    return {problem_, bank_, origin_, samples, allowed};
  }

  void take(TrustRegionResult result) {
    out_.change = std::move(result.change);
    out_.feasible = result.feasible;
    out_.cost = result.cost;
    out_.constraint = result.constraint;
  }

  TrustRegionResult minimise(OrderStatistic& statistic, const ChangeProblem& changes,
                             const Vector& start, const TrustRegionOptions& options) {
    TrustRegionResult result = minimise_change(
        changes, [&](View change) { return statistic.evaluate(change); }, start, options);
    out_.evaluations += result.evaluations;
    return result;
  }

  /// A run from every start on a few draws, the best first.
  [[nodiscard]] std::vector<TrustRegionResult> ranked() {
    OrderStatistic scanned = statistic(kScanSamples);
    OrderStatistic coarse = statistic(kCoarseSamples);
    std::vector<TrustRegionResult> found;
    const auto run = [&](const Vector& start, double radius) {
      found.push_back(
          minimise(coarse, out_.changes, start, {.radius = radius, .precision = kCoarsePrecision}));
    };
    const Vector nothing = fixed_change(out_.changes);
    run(nothing, 0.1);
    run(nothing, 1.0);
    for (const Vector& start : single_moves(out_.changes, scanned)) {
      // Most people's best change is a single one, and the first runs have found it already.
      const double near = 0.1 * cost_of(out_.changes, start);
      const bool known = std::ranges::any_of(found, [&](const TrustRegionResult& result) {
        return result.feasible && distance_between(result.change, start) < near;
      });
      if (!known) run(start, 0.1);
    }
    std::ranges::stable_sort(found, better);
    return found;
  }

  /// The best of the few best that differ, on all draws.
  [[nodiscard]] TrustRegionResult polished(const std::vector<TrustRegionResult>& found) {
    constexpr double kDiffers = 0.01;
    std::optional<TrustRegionResult> best;
    std::vector<Vector> done;
    for (const TrustRegionResult& start : found) {
      const bool worth = start.feasible == found[0].feasible &&
                         (!start.feasible || start.cost <= kWorthPolishing * found[0].cost);
      if (!worth || done.size() == kPolished) break;
      const bool known = std::ranges::any_of(done, [&](const Vector& other) {
        return distance_between(other, start.change) < kDiffers;
      });
      if (known) continue;
      done.push_back(start.change);
      TrustRegionResult result =
          minimise(whole_, out_.changes, start.change,
                   {.radius = 0.03, .iterations = 20, .precision = kPrecision});
      if (!best || better(result, *best)) best = std::move(result);
    }
    return std::move(*best);
  }

  /// Columns whose steps are long against what the change costs: rounding one of them away from
  /// the optimum leaves slack that the others can use, so each is put on a step and the rest is
  /// solved again, for the steps on both sides and every combination of the columns.
  void fix_coarse_steps() {
    const std::vector<std::size_t> columns =
        coarse_columns(problem_.space, out_.changes, out_.change);
    if (columns.empty()) return;
    std::optional<TrustRegionResult> best;
    ChangeProblem fixed;
    for (std::size_t choice = 0; choice < (std::size_t{1} << columns.size()); ++choice) {
      ChangeProblem changes = out_.changes;
      Vector start = out_.change;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::size_t j = columns[i];
        const bool outward = (choice >> i & 1U) != 0;
        start[j] = change_on_step(problem_.space, origin_, out_.change, j, outward);
        changes.intervals[j] = {start[j], start[j]};
      }
      TrustRegionResult result = minimise(
          whole_, changes, start, {.radius = 0.1, .iterations = 30, .precision = kPrecision});
      if (!result.feasible || (best && result.cost >= best->cost)) continue;
      best = std::move(result);
      fixed = std::move(changes);
    }
    if (!best) return;
    take(std::move(*best));
    out_.changes = std::move(fixed);
  }

  const Problem& problem_;
  const NoiseBank& bank_;
  View origin_;
  double rate_;
  OrderStatistic whole_;
  ShortestChange out_;
};

/// Which categories to move, and what to change beside them.
class LevelSearch {
 public:
  LevelSearch(const Problem& problem, const SearchDraws& draws, View origin, double rate,
              ChangeProblem changes)
      : problem_(problem),
        draws_(draws),
        origin_(origin),
        rate_(rate),
        changes_(std::move(changes)) {}

  [[nodiscard]] ShortestChange solve() {
    const LevelSet nothing;
    best_ = solved(nothing);
    find_outlook();
    explore(nothing);
    std::ranges::stable_sort(
        sketches_, [](const Sketch& a, const Sketch& b) { return cheaper(a.found, b.found); });
    std::size_t count = 0;
    for (const Sketch& sketch : sketches_) {
      if (count == kSolvedSets) break;
      // Few draws are a little off; much dearer sets will not turn out to be cheaper.
      if (best_.feasible &&
          !(sketch.found.feasible && sketch.found.cost < kWorthSolving * best_.cost)) {
        break;
      }
      ++count;
      ShortestChange found = solved(sketch.set);
      if (cheaper(found, best_)) best_ = std::move(found);
    }
    best_.evaluations = evaluations_;
    return std::move(best_);
  }

 private:
  static constexpr std::size_t kBeam = 8;
  static constexpr std::size_t kDeepest = 3;
  static constexpr std::size_t kEnumerated = 64;
  static constexpr std::size_t kSolvedSets = 4;
  static constexpr double kWorthSolving = 1.05;

  struct Sketch {
    LevelSet set;
    ShortestChange found;
  };

  [[nodiscard]] static bool cheaper(const ShortestChange& a, const ShortestChange& b) {
    if (a.feasible != b.feasible) return a.feasible;
    return a.feasible ? a.cost < b.cost : a.constraint > b.constraint;
  }

  [[nodiscard]] ChangeProblem changes_with(const LevelSet& set) const {
    return with_levels(problem_.space, origin_, changes_, set);
  }

  [[nodiscard]] ShortestChange solved(const LevelSet& set) {
    ChangeProblem changes = changes_with(set);
    const NoiseBank bank = draws_.whole.fixed_at(moved(origin_, fixed_change(changes)));
    ShortestChange found = Person(problem_, bank, origin_, rate_, std::move(changes)).solve();
    evaluations_ += found.evaluations;
    return found;
  }

  void sketch(const LevelSet& set) {
    ChangeProblem changes = changes_with(set);
    const NoiseBank bank = draws_.coarse.fixed_at(moved(origin_, fixed_change(changes)));
    ShortestChange found = Person(problem_, bank, origin_, rate_, std::move(changes)).sketch();
    evaluations_ += found.evaluations;
    if (found.feasible) cheapest_sketch_ = std::min(cheapest_sketch_, found.cost);
    sketches_.push_back({set, std::move(found)});
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
    const Vector change = fixed_change(changes_with(set));
    double value = here_.value;
    for (std::size_t j = 0; j < change.size(); ++j) value += here_.gradient[j] * change[j];
    const double rest = std::max(0.0, -value);
    if (rest == 0) return set.price;
    return steepest_ > 0 ? set.price + rest / steepest_ : std::numeric_limits<double>::max() - rest;
  }

  [[nodiscard]] double incumbent() const {
    const double solved = best_.feasible ? best_.cost : std::numeric_limits<double>::infinity();
    return std::min(solved, cheapest_sketch_);
  }

  void explore(const LevelSet& nothing) {
    std::vector<LevelSet> kept{nothing};
    std::vector<LevelSet> seen;
    for (std::size_t depth = 1; depth <= kDeepest && !kept.empty(); ++depth) {
      std::vector<LevelSet> candidates;
      for (const LevelSet& set : kept) {
        for (LevelSet& more : extended(problem_.space, origin_, set)) {
          // Moves alone that cost as much as what is known already are no use.
          if (more.price >= incumbent()) continue;
          if (std::ranges::find(seen, more) != seen.end()) continue;
          seen.push_back(more);
          candidates.push_back(std::move(more));
        }
      }
      std::ranges::stable_sort(candidates, {}, [&](const LevelSet& set) { return promise(set); });
      const std::size_t width =
          depth <= 2 && candidates.size() <= kEnumerated ? kEnumerated : kBeam;
      if (candidates.size() > width) candidates.resize(width);
      for (const LevelSet& set : candidates) {
        if (set.price < incumbent()) sketch(set);
      }
      kept = std::move(candidates);
      if (depth >= 2 && kept.size() > kBeam) kept.resize(kBeam);
    }
  }

  const Problem& problem_;
  const SearchDraws& draws_;
  View origin_;
  double rate_;
  ChangeProblem changes_;
  ConstraintValue here_;
  double steepest_ = 0.0;
  ShortestChange best_;
  std::vector<Sketch> sketches_;
  double cheapest_sketch_ = std::numeric_limits<double>::infinity();
  std::size_t evaluations_ = 0;
};

}  // namespace

ShortestChange shortest_change(const Problem& problem, const SearchDraws& draws, View origin,
                               double rate) {
  ChangeProblem changes = change_problem(problem.space, origin);
  Vector nothing(origin.size());
  if (!changes.keeps_rows(nothing) && !nearest_change(changes, nothing)) {
    return {.change = std::move(nothing), .changes = std::move(changes)};
  }
  if (has_level_moves(problem.space)) {
    return LevelSearch(problem, draws, origin, rate, std::move(changes)).solve();
  }
  const NoiseBank bank = draws.whole.fixed_at(origin);
  return Person(problem, bank, origin, rate, std::move(changes)).solve();
}

double distance_between(View a, View b) noexcept {
  double most = 0;
  for (std::size_t j = 0; j < a.size(); ++j) most = std::max(most, std::abs(a[j] - b[j]));
  return most;
}

}  // namespace croco
