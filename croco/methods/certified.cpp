// SPDX-License-Identifier: Apache-2.0
// The shortest change whose invalidation rate is certified to be below the target: a trust-region
// search on the order statistic of the margins, calibrated so that fresh draws will pass.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <croco/base/bounds.hpp>
#include <croco/base/random.hpp>
#include <croco/methods/order_statistic.hpp>
#include <croco/methods/searches.hpp>
#include <croco/methods/trust_region.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

/// Failures, in standard errors of the certificate's count, that an attempt stays below the most
/// that would pass. The first is a little greedy; a failed attempt costs one more calibration.
constexpr double kReserve[] = {2.0, 3.5, 5.0};

class CertifiedSearch final : public Search {
 public:
  CertifiedSearch(const Problem& problem, const Certified& options)
      : problem_(problem),
        options_(options),
        search_bank_(problem, {problem.seed, Purpose::search, Stream::kShared}, 0,
                     options.search_samples),
        calibration_bank_(problem, {problem.seed, Purpose::check, Stream::kShared}, 0,
                          options.calibration_samples) {
    for (std::size_t attempt = 0; attempt < kCertifiedAttempts; ++attempt) {
      aims_.push_back(aim_of(attempt));
    }
  }

  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& stop) const override {
    const ChangeProblem changes = change_problem(origin);
    const TrustRegionResult best = shortest(origin, changes, stop);
    if (stop.stop_requested()) return {.point = {}, .termination = Termination::cancelled};
    return calibrated(origin, changes, best.change, 0, best.evaluations);
  }

  [[nodiscard]] Counterfactual retry(View origin, View point, std::size_t attempt,
                                     const std::stop_token& /*stop*/) const override {
    Vector change(point.begin(), point.end());
    for (std::size_t j = 0; j < change.size(); ++j) change[j] -= origin[j];
    return calibrated(origin, change_problem(origin), change, attempt, 0);
  }

  [[nodiscard]] Judgement judge(View origin, View point, std::size_t attempt) const override {
    const bool reached = problem_.goal.reached(problem_.model.logit(point));
    const double rate = tally(problem_, calibration_bank_, {origin, point, 0}, false).rate();
    return {.reached = reached, .satisfied = reached && rate <= aims_[attempt], .rate = rate};
  }

 private:
  /// The rate to aim at: the most failures that certify the target, less the reserve.
  [[nodiscard]] double aim_of(std::size_t attempt) const {
    const auto samples = static_cast<double>(options_.certificate_samples);
    const std::optional<std::size_t> most =
        largest_passing_count(options_.certificate_samples, options_.target,
                              attempt_confidence(options_.confidence, attempt));
    if (!most) return 0;
    const double deviation = std::sqrt(samples * options_.target * (1 - options_.target));
    return std::max(0.0, (static_cast<double>(*most) - kReserve[attempt] * deviation) / samples);
  }

  [[nodiscard]] ChangeProblem change_problem(View origin) const {
    ChangeProblem out;
    for (std::size_t j = 0; j < origin.size(); ++j) {
      const Column& column = problem_.space.columns[j];
      const Interval interval = admissible_interval(column, origin[j]);
      out.intervals.push_back({interval.lower - origin[j], interval.upper - origin[j]});
      out.costs.push_back(column.cost);
    }
    return out;
  }

  [[nodiscard]] static std::size_t allowed(double aim, std::size_t samples) {
    return static_cast<std::size_t>(aim * static_cast<double>(samples));
  }

  /// The best of several starts on the search bank. One start alone ends in a local optimum for
  /// every tenth person.
  [[nodiscard]] TrustRegionResult shortest(View origin, const ChangeProblem& changes,
                                           const std::stop_token& stop) const {
    const OrderStatistic statistic(problem_, search_bank_, origin, search_bank_.count(),
                                   allowed(aims_[0], search_bank_.count()));
    const Constraint constraint = [&](View change) { return statistic.evaluate(change); };
    TrustRegionResult best;
    std::size_t evaluations = 0;
    const auto attempt = [&](const Vector& start, double radius) {
      if (stop.stop_requested()) return;
      TrustRegionResult result = minimise_change(changes, constraint, start, {.radius = radius});
      evaluations += result.evaluations;
      const bool better =
          result.feasible != best.feasible
              ? result.feasible
              : (result.feasible ? result.cost < best.cost : result.constraint > best.constraint);
      if (best.change.empty() || better) best = std::move(result);
    };
    attempt(Vector(origin.size()), 0.1);
    attempt(Vector(origin.size()), 1.0);
    for (const Vector& start : single_moves(origin, changes)) attempt(start, 0.1);
    best.evaluations = evaluations;
    return best;
  }

  /// Changes of one coordinate alone that nearly satisfy the constraint, the four cheapest.
  [[nodiscard]] std::vector<Vector> single_moves(View origin, const ChangeProblem& changes) const {
    constexpr std::size_t kStarts = 4;
    const std::size_t samples = std::min<std::size_t>(512, search_bank_.count());
    const OrderStatistic statistic(problem_, search_bank_, origin, samples,
                                   allowed(aims_[0], samples));
    const auto holds = [&](View change) {
      Vector point(origin.begin(), origin.end());
      for (std::size_t j = 0; j < point.size(); ++j) point[j] += change[j];
      return statistic.invalid(change) <= allowed(aims_[0], samples) &&
             problem_.goal.reached(problem_.model.logit(point));
    };
    std::vector<std::pair<double, Vector>> found;
    for (std::size_t j = 0; j < origin.size(); ++j) {
      for (const double end : {changes.intervals[j].lower, changes.intervals[j].upper}) {
        if (end == 0) continue;
        Vector change(origin.size());
        const double sign = end < 0 ? -1.0 : 1.0;
        const double most = std::min(std::abs(end), kFarthest);
        double low = 0;
        double high = std::min(0.05, most);
        const auto at = [&](double size) {
          change[j] = sign * size;
          return holds(change);
        };
        while (!at(high) && high < most) {
          low = high;
          high = std::min(2 * high, most);
        }
        if (!at(high)) continue;
        for (int halving = 0; halving < 6; ++halving) {
          const double middle = (low + high) / 2;
          (at(middle) ? high : low) = middle;
        }
        change[j] = sign * high;
        found.emplace_back(changes.costs[j] * high, change);
      }
    }
    std::ranges::sort(found, {}, [](const auto& entry) { return entry.first; });
    std::vector<Vector> starts;
    for (std::size_t i = 0; i < std::min(kStarts, found.size()); ++i) {
      starts.push_back(found[i].second);
    }
    return starts;
  }

  /// Moves a change to the aim of an attempt, on the calibration bank.
  [[nodiscard]] Counterfactual calibrated(View origin, const ChangeProblem& changes,
                                          const Vector& start, std::size_t attempt,
                                          std::size_t steps) const {
    const std::size_t count = calibration_bank_.count();
    const OrderStatistic statistic(problem_, calibration_bank_, origin, count,
                                   allowed(aims_[attempt], count));
    Counterfactual out;
    out.steps = steps;
    out.blocks = attempt + 1;
    Vector change = start;
    std::optional<double> factor = ray_factor(statistic, changes, change, out.steps);
    if (!factor) {
      // The ray runs into a bound: let the other coordinates help, then try again.
      const Constraint constraint = [&](View at) { return statistic.evaluate(at); };
      const TrustRegionResult result =
          minimise_change(changes, constraint, start, {.radius = 0.05, .iterations = 20});
      out.steps += result.evaluations;
      change = result.change;
      factor = ray_factor(statistic, changes, change, out.steps);
    }
    out.point.assign(origin.begin(), origin.end());
    const Vector scaled = at_factor(changes, change, factor.value_or(1.0));
    for (std::size_t j = 0; j < scaled.size(); ++j) out.point[j] += scaled[j];
    const Judgement judgement = judge(origin, out.point, attempt);
    out.method_rate = judgement.rate;
    out.termination = judgement.satisfied ? Termination::converged
                      : judgement.reached ? Termination::unmet
                                          : Termination::infeasible;
    return out;
  }

  /// `factor * change`, inside the intervals.
  [[nodiscard]] static Vector at_factor(const ChangeProblem& changes, View change, double factor) {
    Vector out(change.begin(), change.end());
    for (std::size_t j = 0; j < out.size(); ++j) {
      const Interval& interval = changes.intervals[j];
      out[j] = std::clamp(factor * out[j], interval.lower, interval.upper);
    }
    return out;
  }

  /// The smallest factor, to about 1e-3, with which a change satisfies the constraint; none up
  /// to 2. All changed coordinates of an optimum yield the same per cost, so growing or shrinking
  /// them together is the cheapest way to first order.
  [[nodiscard]] static std::optional<double> ray_factor(const OrderStatistic& statistic,
                                                        const ChangeProblem& changes, View change,
                                                        std::size_t& steps) {
    const auto value = [&](double factor) {
      ++steps;
      return statistic.value(at_factor(changes, change, factor));
    };
    double low = 1;
    double high = 1;
    double low_value = value(1);
    double high_value = low_value;
    for (double reach = 0.02; low_value >= 0; reach *= 2) {
      high = low;
      high_value = low_value;
      if (reach > 0.6) return high;
      low = 1 - reach;
      low_value = value(low);
    }
    for (double reach = 0.02; high_value < 0; reach *= 2) {
      low = high;
      low_value = high_value;
      if (reach > 1.3) return std::nullopt;
      high = 1 + reach;
      high_value = value(high);
    }
    // The value is nearly linear in the factor: secants inside the bracket, kept off its ends.
    const double slope = (high_value - low_value) / (high - low);
    for (int round = 0; round < 6 && high - low > 1e-3; ++round) {
      const double share = low_value / (low_value - high_value);
      const double middle = low + std::clamp(share, 0.02, 0.98) * (high - low) + 2e-4;
      if (middle >= high) break;
      const double middle_value = value(middle);
      (middle_value >= 0 ? high : low) = middle;
      (middle_value >= 0 ? high_value : low_value) = middle_value;
      if (middle_value >= 0 && middle_value < 1e-3 * slope) break;
    }
    return high;
  }

  /// No single change is looked for beyond this, in encoded units.
  static constexpr double kFarthest = 16.0;

  const Problem& problem_;
  Certified options_;
  NoiseBank search_bank_;
  NoiseBank calibration_bank_;
  std::vector<double> aims_;
};

}  // namespace

double attempt_confidence(double confidence, std::size_t attempt) noexcept {
  return 1 - (1 - confidence) * std::ldexp(1.0, -static_cast<int>(attempt) - 1);
}

std::unique_ptr<Search> make_certified(const Problem& problem, const Certified& options) {
  return std::make_unique<CertifiedSearch>(problem, options);
}

}  // namespace croco
