// SPDX-License-Identifier: Apache-2.0
// The certified method for models that only answer: the same trust region on the rate itself, whose
// slope follows from the answers to noisy rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <croco/base/bounds.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/random.hpp>
#include <croco/methods/lowest_rate.hpp>
#include <croco/methods/noisy_margins.hpp>
#include <croco/methods/rate_constraint.hpp>
#include <croco/methods/rate_starts.hpp>
#include <croco/methods/searches.hpp>
#include <croco/models/model.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

/// Reserve of each attempt, in standard errors of certificate and calibration together.
constexpr std::array<double, kCertifiedAttempts> kReserve{1.5, 2.5, 4.0};
/// Of a run's last steps, in cost; finer ones follow the error of its draws.
constexpr double kPrecision = 2e-4;
/// Times that the draws of the calibration are laid around points for one person, about: the last
/// look is finished.
constexpr std::size_t kCalibrations = 30;
/// Draws of the calibration at most: rows may be dear.
constexpr std::size_t kMostCalibration = 32'768;

class GradientFreeSearch final : public Search {
 public:
  GradientFreeSearch(const Problem& problem, const Certified& options)
      : problem_(problem),
        options_(options),
        calibration_count_(std::min(options.calibration_samples, kMostCalibration)),
        aims_(make_aims()),
        search_count_(count_for(1024)),
        polish_count_(count_for(4096)),
        search_(problem, {problem.seed, Purpose::search, Stream::kShared}, polish_count_,
                Slopes::from_answers),
        calibration_(problem, {problem.seed, Purpose::check, Stream::kShared}, calibration_count_,
                     Slopes::from_answers),
        minimiser_(problem, 512) {}

  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& stop) const override {
    Person person{origin, change_problem(problem_.space, origin), {.most = options_.search_rows}};
    Counterfactual best = searched(person, 0, stop);
    best.steps = person.budget.evaluations;
    return best;
  }

  [[nodiscard]] std::vector<Counterfactual> retry_all(std::span<const Attempt> failed,
                                                      unsigned threads,
                                                      const std::stop_token& stop) const override {
    std::vector<Counterfactual> found(failed.size());
    parallel_for(failed.size(), threads, [&](std::size_t i) { found[i] = retry(failed[i], stop); });
    return found;
  }

  [[nodiscard]] Judgement judge(View origin, View point, std::size_t attempt) const override {
    const bool reached = problem_.goal.reached(problem_.model.logit(point));
    Vector margins(calibration_.count());
    calibration_.margins(origin, point, margins);
    const double rate =
        static_cast<double>(NoisyMargins::invalid(margins)) / static_cast<double>(margins.size());
    return {.reached = reached, .satisfied = reached && rate <= aims_[attempt], .rate = rate};
  }

 private:
  struct Person {
    View origin;
    ChangeProblem changes;
    RowBudget budget;
    RowBudget calibration = {};
    double aim = 1.0;  ///< of its search
  };

  /// The best of all changes that are worth calibrating for an attempt.
  [[nodiscard]] Counterfactual searched(Person& person, std::size_t attempt,
                                        const std::stop_token& stop) const {
    person.aim = aims_[attempt];
    person.calibration = {};
    const std::vector<PricedChange> ranked = shortest(person, stop);
    if (stop.stop_requested()) return {.point = {}, .termination = Termination::cancelled};
    Counterfactual best;
    for (const PricedChange& change : ranked) {
      Counterfactual result = calibrated(person, change.change, attempt);
      const bool done = result.termination == Termination::converged;
      if (best.point.empty() || better(result, best)) best = std::move(result);
      if (done || person.calibration.spent()) break;
    }
    return best;
  }

  [[nodiscard]] Counterfactual retry(const Attempt& failed, const std::stop_token& stop) const {
    Person person{failed.origin,
                  change_problem(problem_.space, failed.origin),
                  {.most = options_.search_rows}};
    Vector change(failed.point.begin(), failed.point.end());
    for (std::size_t j = 0; j < change.size(); ++j) change[j] -= failed.origin[j];
    Counterfactual out = calibrated(person, change, failed.number);
    if (out.termination != Termination::converged) {
      // No way on from there: begin again, with the lower aim from the start.
      Counterfactual again = searched(person, failed.number, stop);
      if (!again.point.empty() && better(again, out)) out = std::move(again);
    }
    out.steps = person.budget.evaluations;
    return out;
  }

  /// The rates to aim at: the most failures that certify the target, less the reserve.
  [[nodiscard]] std::vector<double> make_aims() const {
    const auto samples = static_cast<double>(options_.certificate_samples);
    const double variance = options_.target * (1 - options_.target);
    const double error =
        std::sqrt(variance / samples + variance / static_cast<double>(calibration_count_));
    std::vector<double> aims;
    for (std::size_t attempt = 0; attempt < kCertifiedAttempts; ++attempt) {
      const std::optional<std::size_t> most =
          largest_passing_count(options_.certificate_samples, options_.target,
                                attempt_confidence(options_.confidence, attempt));
      const double passing = static_cast<double>(most.value_or(0)) / samples;
      aims.push_back(std::max(0.0, passing - kReserve[attempt] * error));
    }
    return aims;
  }

  /// Enough draws for some dozens of failures at the aim.
  [[nodiscard]] std::size_t count_for(std::size_t least) const {
    const double wanted = 32 / std::max(aims_[0], 1e-3);
    return std::max(least, std::min<std::size_t>(16'384, static_cast<std::size_t>(wanted)));
  }

  [[nodiscard]] static bool better(const Counterfactual& a, const Counterfactual& b) {
    if (a.termination != b.termination) return a.termination < b.termination;
    return a.method_rate.value_or(1) < b.method_rate.value_or(1);
  }

  /// Changes to calibrate, the most promising first; never none.
  [[nodiscard]] std::vector<PricedChange> shortest(Person& person,
                                                   const std::stop_token& stop) const {
    std::vector<PricedChange> found;
    Vector last(person.origin.size());
    const auto run = [&](const Vector& start, double radius) {
      if (stop.stop_requested() || person.budget.spent()) return;
      TrustRegionResult result = descend(person, start, radius, 20, search_count_, found);
      last = std::move(result.change);
    };
    run(Vector(person.origin.size()), 0.1);
    const RateStarts starts(problem_, search_, person.origin, person.changes, person.aim,
                            person.budget);
    for (const Vector& donor : starts.donors(options_.donors.get())) {
      run(starts.pulled(donor), 0.15);
    }
    // Where the aim is hard to keep, it is kept at the start, and from there the way leads back.
    const auto run_back = [&](const Vector& start) {
      const std::size_t before = found.size();
      run(starts.pulled(start), 0.15);
      if (found.size() == before) run(start, 0.15);
    };
    if (found.empty()) {
      for (const Vector& donor : starts.safe_donors(options_.donors.get())) run_back(donor);
    }
    if (found.empty()) {
      for (const Vector& start : starts.sweeps(stop)) run(starts.pulled(start), 0.15);
    }
    if (found.empty() && !stop.stop_requested()) {
      // Whatever it costs: then from there back.
      const LowestRate lowest = minimiser_.find(person.origin, {}, stop);
      person.budget.used += lowest.evaluations * minimiser_.count();
      Vector change = lowest.point;
      for (std::size_t j = 0; j < change.size(); ++j) change[j] -= person.origin[j];
      last = change;
      run_back(change);
    }
    if (found.empty()) return {{last, cost_of(person.changes, last), 1.0}};
    rank(found);
    polish(person, found, stop);
    return found;
  }

  static void rank(std::vector<PricedChange>& list) {
    std::ranges::stable_sort(list, {}, &PricedChange::cost);
    constexpr std::size_t kKept = 4;
    if (list.size() > kKept) list.resize(kKept);
  }

  /// Whether a change that was found lies so near that a run would end there too.
  [[nodiscard]] static bool known(const std::vector<PricedChange>& found, View change) {
    constexpr double kNear = 0.01;
    return std::ranges::any_of(found, [&](const PricedChange& other) {
      return std::ranges::equal(other.change, change,
                                [](double a, double b) { return std::abs(a - b) < kNear; });
    });
  }

  /// One run; what keeps the aim and is valid, if need be after a repair, joins `found`.
  TrustRegionResult descend(Person& person, const Vector& start, double radius,
                            std::size_t iterations, std::size_t count,
                            std::vector<PricedChange>& found) const {
    RateConstraint rate(problem_, search_, person.origin, person.changes, count, person.aim,
                        person.budget);
    const Constraint constraint = [&](View change) {
      ConstraintValue value = rate.evaluate(change);
      // Another run has been here and went on; without a slope this one ends.
      if (known(found, change)) std::ranges::fill(value.gradient, 0.0);
      return value;
    };
    TrustRegionResult result =
        minimise_change(person.changes, constraint, start,
                        {.radius = radius, .iterations = iterations, .precision = kPrecision});
    if (const PricedChange* cheapest = rate.cheapest()) {
      found.push_back(*cheapest);
    } else if (const PricedChange* invalid = rate.cheapest_unrepaired()) {
      const auto holds = [&](View change) { return rate.value(change) >= 0; };
      if (const auto repaired = repair(person, invalid->change, holds)) {
        found.push_back({*repaired, cost_of(person.changes, *repaired), invalid->rate});
      }
    }
    return result;
  }

  /// The two best once more on more draws, in small steps.
  void polish(Person& person, std::vector<PricedChange>& found, const std::stop_token& stop) const {
    const std::vector<PricedChange> before = found;
    found.clear();
    for (std::size_t i = 0; i < std::min<std::size_t>(2, before.size()); ++i) {
      if (stop.stop_requested() || before[i].cost > 1.04 * before[0].cost) break;
      descend(person, before[i].change, 0.02, 8, polish_count_, found);
    }
    rank(found);
    // Those of the search's own draws stay behind them, in case calibration fails.
    found.insert(found.end(), before.begin(), before.end());
  }

  /// The cheapest of many small moves of one column after which the point itself is accepted and
  /// `holds` still does.
  template <typename Holds>
  [[nodiscard]] std::optional<Vector> repair(Person& person, const Vector& change,
                                             const Holds& holds) const {
    constexpr std::array<double, 9> kSizes{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4};
    std::vector<std::pair<double, Vector>> candidates;
    Matrix points(0, change.size());
    for (std::size_t j = 0; j < change.size(); ++j) {
      const Interval& interval = person.changes.intervals[j];
      if (interval.lower == interval.upper) continue;
      for (const double size : kSizes) {
        for (const double sign : {-1.0, 1.0}) {
          Vector next = change;
          next[j] = std::clamp(change[j] + sign * size, interval.lower, interval.upper);
          if (next[j] == change[j] || !person.changes.keeps_rows(next)) continue;
          points.append(moved(person.origin, next));
          candidates.emplace_back(cost_of(person.changes, next), std::move(next));
        }
      }
    }
    Vector logits(points.count());
    problem_.model.logits(points.rows(), logits);
    person.budget.used += logits.size();
    std::vector<std::pair<double, Vector>> valid;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (problem_.goal.reached(logits[i])) valid.push_back(std::move(candidates[i]));
    }
    std::ranges::stable_sort(valid, {}, [](const auto& entry) { return entry.first; });
    constexpr std::size_t kTried = 6;
    for (std::size_t i = 0; i < std::min(kTried, valid.size()); ++i) {
      if (holds(valid[i].second)) return std::move(valid[i].second);
    }
    return std::nullopt;
  }

  /// Moves a change to the aim of an attempt on draws of their own, then repairs the answer at the
  /// point itself.
  [[nodiscard]] Counterfactual calibrated(Person& person, const Vector& start,
                                          std::size_t attempt) const {
    RowBudget& budget = person.calibration;
    budget.most = std::max(budget.most, kCalibrations * calibration_.count());
    const std::size_t evaluations = budget.evaluations;
    RateConstraint rate(problem_, calibration_, person.origin, person.changes, calibration_.count(),
                        aims_[attempt], budget);
    // The ray is found on fewer draws, and only corrected on all.
    RateConstraint coarse(problem_, calibration_, person.origin, person.changes,
                          calibration_.count() / 4, aims_[attempt], budget);
    Vector change = start;
    if (const std::optional<double> near = ray_factor(coarse, person.changes, change, 0.02)) {
      change = scaled_change(person.changes, change, *near);
    }
    std::optional<double> factor = ray_factor(rate, person.changes, change, 0.01);
    // The ray runs into a bound, or bends: let the other columns help, on other aims if need be.
    for (std::size_t i = attempt; i < aims_.size() && !factor && !budget.spent(); ++i) {
      RateConstraint half(problem_, calibration_, person.origin, person.changes,
                          calibration_.count() / 2, aims_[i], budget);
      const Constraint constraint = [&](View at) { return half.evaluate(at); };
      change = minimise_change(person.changes, constraint, start,
                               {.radius = 0.05, .iterations = 20, .precision = kPrecision})
                   .change;
      factor = ray_factor(rate, person.changes, change, 0.01);
    }
    person.budget.evaluations += budget.evaluations - evaluations;
    Counterfactual out;
    out.blocks = attempt + 1;
    if (const PricedChange* cheapest = factor ? rate.cheapest() : nullptr) {
      out.point = moved(person.origin, cheapest->change);
      out.method_rate = cheapest->rate;
      out.termination = Termination::converged;
      return out;
    }
    change = scaled_change(person.changes, change, factor.value_or(1.0));
    if (factor) {
      const auto holds = [&](View at) { return rate.value(at) >= 0; };
      if (auto repaired = repair(person, change, holds)) change = std::move(*repaired);
    }
    out.point = moved(person.origin, change);
    Judgement judgement = judge(person.origin, out.point, attempt);
    if (!person.changes.keeps_rows(change)) judgement.satisfied = judgement.reached = false;
    out.method_rate = judgement.rate;
    out.termination = judgement.satisfied ? Termination::converged
                      : judgement.reached ? Termination::unmet
                                          : Termination::infeasible;
    return out;
  }

  /// The smallest factor, to about 1e-3, with which a change keeps the aim; none up to 2. `reach`
  /// is how far from 1 it is looked for at first.
  [[nodiscard]] static std::optional<double> ray_factor(RateConstraint& rate,
                                                        const ChangeProblem& changes, View change,
                                                        double reach) {
    const auto value = [&](double factor) {
      return rate.value(scaled_change(changes, change, factor));
    };
    const auto near = [](double at) { return at >= 0 && at < 0.005; };
    double low = 1;
    double high = 1;
    double low_value = value(1);
    double high_value = low_value;
    if (near(low_value)) return 1.0;
    for (double step = reach; low_value >= 0; step *= 2) {
      high = low;
      high_value = low_value;
      if (step > 0.6) return high;
      low = 1 - step;
      low_value = value(low);
      if (near(low_value)) return low;
    }
    for (double step = reach; high_value < 0; step *= 2) {
      low = high;
      low_value = high_value;
      if (step > 1.3) return std::nullopt;
      high = 1 + step;
      high_value = value(high);
      if (near(high_value)) return high;
    }
    // h is nearly linear in the factor: secants inside the bracket, kept off its ends.
    for (int round = 0; round < 6 && high - low > 1e-3; ++round) {
      const double share = low_value / (low_value - high_value);
      const double middle = low + std::clamp(share + 0.02, 0.05, 0.95) * (high - low);
      const double middle_value = value(middle);
      (middle_value >= 0 ? high : low) = middle;
      (middle_value >= 0 ? high_value : low_value) = middle_value;
      if (near(middle_value)) break;
    }
    return high;
  }

  const Problem& problem_;
  Certified options_;
  std::size_t calibration_count_;
  std::vector<double> aims_;
  std::size_t search_count_;
  std::size_t polish_count_;
  NoisyMargins search_;
  NoisyMargins calibration_;
  RateMinimiser minimiser_;
};

}  // namespace

std::unique_ptr<Search> make_gradient_free(const Problem& problem, const Certified& options) {
  return std::make_unique<GradientFreeSearch>(problem, options);
}

}  // namespace croco
