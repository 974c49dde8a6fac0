// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/gradient_free/rate_calibration.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include <croco/base/bounds.hpp>
#include <croco/base/random.hpp>
#include <croco/methods/change/relation_steps.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/methods/change/whole_steps.hpp>
#include <croco/methods/gradient_free/rate_search.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/error_budget.hpp>

namespace croco {
namespace {

/// Reserve of each attempt, in standard errors of certificate and calibration together.
constexpr std::array<double, kCertifiedAttempts> kReserve{1.5, 2.5, 4.0};
/// Times that the draws are laid around points for one person, about: the last look is finished.
constexpr std::size_t kCalibrations = 30;
/// Draws at most: queries may be expensive.
constexpr std::size_t kMostDraws = 32'768;
/// Draws that tell whether whole steps are worth a look on all, and how many of them get one.
constexpr std::size_t kStepDraws = 2048;
constexpr std::size_t kStepTrials = 12;

/// The smallest factor, to about 1e-3, with which a change keeps the aim; none up to 2. `reach` is
/// how far from 1 it is looked for at first.
std::optional<double> ray_factor(RateConstraint& rate, const ChangeProblem& changes, View change,
                                 double reach) {
  const auto at = [&](double factor) { return scaled_change(changes, change, factor); };
  const auto value = [&](double factor) { return rate.value(at(factor)); };
  const auto near = [](double kept) { return kept >= 0 && kept < 0.005; };
  double low = 1;
  double high = 1;
  double low_value = value(1);
  double high_value = low_value;
  if (near(low_value)) return 1.0;
  const double here = low_value;
  // Moves of categories do not scale.
  if (at(0.5) == at(1.0) && here >= 0) return 1.0;
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
    // It may lead past the aim: then there is no more to gain the farther it goes.
    constexpr double kLost = 0.1;
    if (step > 1.3 || high_value < here - kLost || at(1 + step) == at(low)) return std::nullopt;
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

}  // namespace

/// One change on its way to the aim of an attempt.
class RateCalibrator::Person {
 public:
  Person(const RateCalibrator& owner, View origin, const ChangeProblem& changes,
         std::size_t attempt, RowBudget& budget)
      : owner_(owner),
        problem_(owner.problem_),
        origin_(origin),
        changes_(changes),
        attempt_(attempt),
        budget_(budget),
        all_(rate(owner.draws_.count(), attempt)) {}

  [[nodiscard]] Counterfactual run(const Vector& start) {
    Counterfactual out;
    out.blocks = attempt_ + 1;
    std::optional<PricedChange> kept = scaled(start);
    if (kept) {
      const bool stepped = has_steps(problem_.space, kept->change);
      std::optional<PricedChange> admissible = stepped ? settled(kept->change) : kept;
      // A change that is feasible only between the steps cannot be recommended.
      out.termination = admissible ? Termination::converged : Termination::unmet;
      if (admissible) kept = std::move(admissible);
      out.point = moved(origin_, kept->change);
      out.method_rate = kept->rate;
      return out;
    }
    out.point = moved(origin_, last_);
    Judgement judgement = owner_.judge(origin_, out.point, attempt_);
    if (!changes_.keeps_rows(last_)) judgement.satisfied = judgement.reached = false;
    out.method_rate = judgement.rate;
    out.termination = judgement.satisfied ? Termination::converged
                      : judgement.reached ? Termination::unmet
                                          : Termination::infeasible;
    return out;
  }

 private:
  [[nodiscard]] RateConstraint rate(std::size_t draws, std::size_t attempt) const {
    return {problem_, owner_.draws_, origin_, changes_, draws, owner_.aims_[attempt], budget_};
  }

  /// The cheapest change seen that keeps the aim on all draws; `last_` is where it ended.
  [[nodiscard]] std::optional<PricedChange> scaled(const Vector& start) {
    const std::size_t count = owner_.draws_.count();
    last_ = start;
    // The ray is found on fewer draws, and only corrected on all.
    RateConstraint coarse = rate(count / 4, attempt_);
    std::optional<double> factor = ray_factor(coarse, changes_, last_, 0.02);
    if (factor) {
      last_ = scaled_change(changes_, last_, *factor);
      factor = ray_factor(all_, changes_, last_, 0.01);
    }
    // The ray runs into a bound, or bends: let the other columns help, on other aims if need be.
    for (std::size_t i = attempt_; i < owner_.aims_.size() && !factor && !budget_.spent(); ++i) {
      RateConstraint half = rate(count / 2, i);
      const Constraint constraint = [&](View at) { return half.evaluate(at); };
      last_ = minimise_change(changes_, constraint, start,
                              {.radius = 0.05, .iterations = 20, .precision = kRatePrecision})
                  .change;
      factor = ray_factor(all_, changes_, last_, 0.01);
    }
    if (factor) {
      if (const PricedChange* cheapest = all_.cheapest()) return *cheapest;
    }
    last_ = scaled_change(changes_, last_, factor.value_or(1.0));
    if (factor) {
      const auto holds = [&](View at) { return all_.value(at) >= 0; };
      if (auto repaired = repaired_answer(problem_, origin_, changes_, last_, budget_, holds)) {
        last_ = std::move(*repaired);
      }
    }
    return std::nullopt;
  }

  /// The cheapest whole steps nearby that keep the aim; few draws tell which are worth counting.
  [[nodiscard]] std::optional<PricedChange> settled(const Vector& change) {
    RateConstraint few = rate(std::min(kStepDraws, owner_.draws_.count()), attempt_);
    const double bar = std::min(0.0, few.value(change));
    const auto keeps = [&](View at) { return !budget_.spent() && few.value(at) >= bar; };
    std::vector<Vector> nearby = whole_step_changes(problem_.space, changes_, origin_, change);
    std::erase_if(nearby, [&](const Vector& one) { return !keeps(one); });
    if (nearby.empty()) return std::nullopt;
    std::vector<Vector> list =
        exchanged_steps(problem_.space, changes_, origin_, nearby.front(), keeps);
    list.resize(std::min(list.size(), kStepTrials));
    nearby.resize(std::min(nearby.size(), kStepTrials));
    list.insert(list.end(), std::make_move_iterator(nearby.begin()),
                std::make_move_iterator(nearby.end()));
    std::ranges::stable_sort(list, {}, [&](const Vector& one) { return cost_of(changes_, one); });
    for (const Vector& one : list) {
      if (budget_.spent()) break;
      RateConstraint all = rate(owner_.draws_.count(), attempt_);
      static_cast<void>(all.value(one));
      if (const PricedChange* kept = all.cheapest()) return *kept;
    }
    return std::nullopt;
  }

  const RateCalibrator& owner_;
  const Problem& problem_;
  View origin_;
  const ChangeProblem& changes_;
  std::size_t attempt_;
  RowBudget& budget_;
  RateConstraint all_;
  Vector last_ = {};
};

RateCalibrator::RateCalibrator(const Problem& problem, const CertifiedSettings& options)
    : problem_(problem),
      draws_(problem, {problem.seed, Purpose::check, Stream::kShared},
             std::min(options.calibration_samples, kMostDraws), Slopes::from_answers),
      aims_(make_aims(options)) {}

std::vector<double> RateCalibrator::make_aims(const CertifiedSettings& options) const {
  if (!options.aims.empty()) return options.aims;
  const auto samples = static_cast<double>(options.certificate_samples);
  const double variance = options.target * (1 - options.target);
  const double error =
      std::sqrt(variance / samples +
                variance / static_cast<double>(std::min(options.calibration_samples, kMostDraws)));
  std::vector<double> aims;
  for (std::size_t attempt = 0; attempt < kCertifiedAttempts; ++attempt) {
    const std::optional<std::size_t> most =
        largest_passing_count(options.certificate_samples, options.target,
                              attempt_confidence(options.confidence, attempt));
    const double passing = static_cast<double>(most.value_or(0)) / samples;
    aims.push_back(std::max(0.0, passing - kReserve[attempt] * error));
  }
  return aims;
}

Judgement RateCalibrator::judge(View origin, View point, std::size_t attempt) const {
  const bool reached = problem_.goal.reached(problem_.model.logit(point));
  Vector margins(draws_.count());
  draws_.margins(origin, point, margins);
  const double rate =
      static_cast<double>(NoisyMargins::invalid(margins)) / static_cast<double>(margins.size());
  return {.reached = reached, .satisfied = reached && rate <= aims_[attempt], .rate = rate};
}

RowBudget RateCalibrator::budget() const noexcept {
  return {.most = kCalibrations * draws_.count()};
}

Counterfactual RateCalibrator::calibrated(View origin, const ChangeProblem& changes,
                                          const Vector& start, std::size_t attempt,
                                          RowBudget& budget) const {
  return Person(*this, origin, changes, attempt, budget).run(start);
}

}  // namespace croco
