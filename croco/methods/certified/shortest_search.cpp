// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/certified/shortest_search.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <croco/methods/certified/order_statistic.hpp>
#include <croco/methods/change/level_sets.hpp>
#include <croco/methods/change/supports.hpp>
#include <croco/methods/change/ways.hpp>

namespace croco {
namespace {

/// A bank of draws around the point that was asked for last: a way is looked at with its moves
/// alone first, and then sketched from the same point.
class FixedDraws {
 public:
  explicit FixedDraws(const NoiseBank& draws) : draws_(draws) {}

  /// Valid until the next call.
  [[nodiscard]] const NoiseBank& at(Vector point) {
    if (!bank_ || point != point_) {
      bank_.emplace(draws_.fixed_at(point));
      point_ = std::move(point);
    }
    return *bank_;
  }
  /// The bank with nothing fixed.
  [[nodiscard]] const NoiseBank& free() const noexcept { return draws_; }

 private:
  const NoiseBank& draws_;
  Vector point_;
  std::optional<NoiseBank> bank_;
};

/// Solves ways on banks of draws, with the model's gradient.
class DrawnWays final : public WaySolver {
 public:
  DrawnWays(const Problem& problem, const SearchDraws& draws, View origin, double rate,
            const ChangeProblem& changes, const std::stop_token& stop)
      : problem_(problem),
        coarse_(draws.coarse),
        whole_(draws.whole),
        origin_(origin),
        rate_(rate),
        changes_(changes),
        stop_(stop),
        sketch_rate_(limits_numbers(problem.space) ? lenient(rate, draws.coarse.count()) : rate) {}

  [[nodiscard]] ShortestChange solve(ChangeProblem changes) override {
    return searched(std::move(changes), whole_, rate_,
                    [](NumericSearch& search) { return search.solve(); });
  }

  [[nodiscard]] ShortestChange sketch(ChangeProblem changes) override {
    return searched(std::move(changes), coarse_, sketch_rate_,
                    [](NumericSearch& search) { return search.sketch(); });
  }

  [[nodiscard]] ShortestChange solve_from(ChangeProblem changes, View start) override {
    return searched(std::move(changes), whole_, rate_,
                    [&](NumericSearch& search) { return search.solve_from(start); });
  }

  [[nodiscard]] std::optional<double> constraint_if_feasible(const ChangeProblem& /*changes*/,
                                                             View change) override {
    const Vector point = moved(origin_, change);
    // How many more than are allowed on average few draws may fail by chance.
    constexpr double kChance = 4;
    const auto look = [&](FixedDraws& draws, double slack) {
      const NoiseBank& bank = draws.at(point);
      const double mean = rate_ * static_cast<double>(bank.count());
      OrderStatistic statistic(problem_, bank, origin_, bank.count(),
                               static_cast<std::size_t>(mean + slack * std::sqrt(mean)));
      ++evaluations_;
      return statistic.value(change);
    };
    if (look(coarse_, kChance) < 0) return std::nullopt;
    const double value = look(whole_, 0);
    if (value < 0) return std::nullopt;
    return value;
  }

  /// What the constraint's gradient promises, as things are.
  [[nodiscard]] double estimated_numeric_cost(const LevelSet& /*set*/, View change) override {
    if (here_.gradient.empty()) find_outlook();
    double value = here_.value;
    for (std::size_t j = 0; j < change.size(); ++j) value += here_.gradient[j] * change[j];
    const double rest = std::max(0.0, -value);
    if (rest == 0) return 0;
    return steepest_ > 0 ? rest / steepest_ : std::numeric_limits<double>::max() - rest;
  }

  [[nodiscard]] std::size_t evaluations() const noexcept override { return evaluations_; }

 private:
  /// What a standard error of few draws may hide. A way that just holds has no number to spare that
  /// could make up for it.
  [[nodiscard]] static double lenient(double rate, std::size_t draws) {
    return rate + std::sqrt(rate * (1 - rate) / static_cast<double>(draws));
  }

  /// What `run` makes of a way on a bank.
  template <typename Run>
  [[nodiscard]] ShortestChange searched(ChangeProblem changes, FixedDraws& draws, double rate,
                                        const Run& run) {
    const NoiseBank& bank = draws.at(moved(origin_, fixed_change(changes)));
    NumericSearch search(problem_, bank, origin_, rate, std::move(changes), stop_);
    ShortestChange found = run(search);
    evaluations_ += found.evaluations;
    return found;
  }

  void find_outlook() {
    // Of a pool what is fixed has no gradient by categories.
    const NoiseBank& bank =
        problem_.pool ? coarse_.free() : coarse_.at({origin_.begin(), origin_.end()});
    const auto allowed = static_cast<std::size_t>(rate_ * static_cast<double>(bank.count()));
    OrderStatistic statistic(problem_, bank, origin_, bank.count(), allowed);
    here_ = statistic.evaluate(Vector(origin_.size()));
    for (std::size_t j = 0; j < origin_.size(); ++j) {
      const Interval& interval = changes_.intervals[j];
      if (interval.lower == interval.upper) continue;
      steepest_ = std::max(steepest_, std::abs(here_.gradient[j]) / changes_.costs[j]);
    }
  }

  const Problem& problem_;
  FixedDraws coarse_;
  FixedDraws whole_;
  View origin_;
  double rate_;
  const ChangeProblem& changes_;
  const std::stop_token& stop_;
  double sketch_rate_;
  ConstraintValue here_;
  double steepest_ = 0.0;
  std::size_t evaluations_ = 0;
};

}  // namespace

std::vector<ShortestChange> shortest_changes(const Problem& problem, const SearchDraws& draws,
                                             View origin, double rate, const FeatureSet& frozen,
                                             const std::stop_token& stop, View known) {
  ChangeProblem changes = changes_without(problem.space, origin, frozen);
  Vector nothing(origin.size());
  std::vector<ShortestChange> found;
  if (!changes.keeps_rows(nothing) && !nearest_change(changes, nothing)) {
    found.push_back({.change = std::move(nothing), .changes = std::move(changes)});
    return found;
  }
  if (has_ways(problem.space)) {
    DrawnWays solver(problem, draws, origin, rate, changes, stop);
    return search_ways(
        {problem.space, origin, changes, frozen, stop, problem.pool != nullptr, known}, solver);
  }
  const NoiseBank bank = draws.whole.fixed_at(origin);
  if (!known.empty()) {
    found.push_back(NumericSearch(problem, bank, origin, rate, changes, stop).solve_from(known));
    if (found.back().feasible) return found;
    found.clear();
  }
  found.push_back(NumericSearch(problem, bank, origin, rate, std::move(changes), stop).solve());
  return found;
}

ShortestChange shortest_change(const Problem& problem, const SearchDraws& draws, View origin,
                               double rate, const FeatureSet& frozen, const std::stop_token& stop) {
  return std::move(shortest_changes(problem, draws, origin, rate, frozen, stop).front());
}

}  // namespace croco
