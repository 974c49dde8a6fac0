// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/certified/numeric_change.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <croco/methods/certified/starts.hpp>
#include <croco/methods/change/level_sets.hpp>
#include <croco/methods/change/whole_steps.hpp>

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

}  // namespace

NumericSearch::NumericSearch(const Problem& problem, const NoiseBank& bank, View origin,
                             double rate, ChangeProblem changes, std::stop_token stop)
    : problem_(problem),
      bank_(bank),
      origin_(origin),
      rate_(rate),
      stop_(std::move(stop)),
      whole_(statistic(bank.count())),
      out_{.changes = std::move(changes)} {}

ShortestChange NumericSearch::solve() {
  take(polished(ranked()));
  if (!out_.feasible && !stop_.stop_requested()) reach_further();
  if (out_.feasible && !stop_.stop_requested()) fix_coarse_steps();
  return std::move(out_);
}

ShortestChange NumericSearch::solve_from(View start) {
  take(minimise(whole_, out_.changes, Vector(start.begin(), start.end()),
                {.radius = 0.1, .iterations = 40, .precision = kPrecision}));
  if (out_.feasible && !stop_.stop_requested()) fix_coarse_steps();
  return std::move(out_);
}

/// A run may end on its way, where the constraint is flat or bends; a longer change of the same
/// kind, and a run back from there, often keeps the rate.
void NumericSearch::reach_further() {
  const TrustRegionOptions options{.radius = 0.1, .iterations = 60, .precision = kPrecision};
  for (const double factor : {1.01, 1.05, 1.2, 1.5, 2.0, 3.0}) {
    const Vector longer = scaled_change(out_.changes, out_.change, factor);
    if (whole_.invalid(longer) > whole_.allowed() || !whole_.reached(longer)) continue;
    TrustRegionResult back = minimise(whole_, out_.changes, longer, options);
    if (!back.feasible) continue;
    take(std::move(back));
    return;
  }
  TrustRegionResult onward = minimise(whole_, out_.changes, out_.change,
                                      {.radius = 0.3, .iterations = 60, .precision = kPrecision});
  if (onward.feasible) take(std::move(onward));
}

ShortestChange NumericSearch::sketch() {
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

OrderStatistic NumericSearch::statistic(std::size_t samples) const {
  samples = std::min(samples, bank_.count());
  const auto allowed = static_cast<std::size_t>(rate_ * static_cast<double>(samples));
  return {problem_, bank_, origin_, samples, allowed};
}

void NumericSearch::take(TrustRegionResult result) {
  out_.change = std::move(result.change);
  out_.feasible = result.feasible;
  out_.cost = result.cost;
  out_.constraint = result.constraint;
}

TrustRegionResult NumericSearch::minimise(OrderStatistic& statistic, const ChangeProblem& changes,
                                          const Vector& start, TrustRegionOptions options) {
  options.stop = stop_;
  TrustRegionResult result = minimise_change(
      changes, [&](View change) { return statistic.evaluate(change); }, start, options);
  out_.evaluations += result.evaluations;
  return result;
}

/// A run from every start on a few draws, the best first.
std::vector<TrustRegionResult> NumericSearch::ranked() {
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
    const double near = 0.1 * distance_between(start, nothing);
    const bool known = std::ranges::any_of(found, [&](const TrustRegionResult& result) {
      return result.feasible && distance_between(result.change, start) < near;
    });
    if (!known) run(start, 0.1);
  }
  std::ranges::stable_sort(found, better);
  return found;
}

/// The best of the few best that differ, on all draws.
TrustRegionResult NumericSearch::polished(const std::vector<TrustRegionResult>& found) {
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
void NumericSearch::fix_coarse_steps() {
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
    TrustRegionResult result = minimise(whole_, changes, start,
                                        {.radius = 0.1, .iterations = 30, .precision = kPrecision});
    if (!result.feasible || (best && result.cost >= best->cost)) continue;
    best = std::move(result);
    fixed = std::move(changes);
  }
  if (!best) return;
  take(std::move(*best));
  out_.changes = std::move(fixed);
}

double distance_between(View a, View b) noexcept {
  double most = 0;
  for (std::size_t j = 0; j < a.size(); ++j) most = std::max(most, std::abs(a[j] - b[j]));
  return most;
}

}  // namespace croco
