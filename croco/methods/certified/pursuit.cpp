// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/certified/pursuit.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <croco/base/bounds.hpp>
#include <croco/base/normal.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/random.hpp>
#include <croco/methods/certified/order_statistic.hpp>
#include <croco/methods/change/relation_steps.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/methods/change/ways.hpp>
#include <croco/methods/change/whole_steps.hpp>
#include <croco/methods/search.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

/// Failures, in standard errors of the certificate's count, that an attempt stays below the most
/// that would pass. The first is slightly greedy; a failed attempt costs one more calibration.
constexpr double kReserve[] = {2.0, 3.5, 5.0};
/// Times that the search is run again with fewer failures allowed, when a change cannot grow.
constexpr std::size_t kSearchesAgain = 5;
/// The same where several attempts are made anyway, each with an aim of its own.
constexpr std::size_t kPooledSearchesAgain = 2;
/// Draws on which ways to go about a change are compared.
constexpr std::size_t kComparisonSamples = 512;
/// Whole-step points of a person that are counted at most.
constexpr std::size_t kLatticeTrials = 12;
/// Times that whole steps which hold are exchanged for cheaper ones, and trials of each.
constexpr std::size_t kExchanges = 3;
constexpr std::size_t kExchangeTrials = 6;

std::size_t share_of(double share, std::size_t samples) {
  return static_cast<std::size_t>(share * static_cast<double>(samples));
}

}  // namespace

PursuitCalibrator::PursuitCalibrator(const Problem& problem, const CertifiedSettings& options,
                                     unsigned threads)
    : problem_(problem),
      options_(options),
      search_bank_(problem, {problem.seed, Purpose::search, Stream::kShared}, 0,
                   options.search_samples),
      calibration_bank_(problem, {problem.seed, Purpose::check, Stream::kShared}, 0,
                        options.calibration_samples, threads) {
  if (has_ways(problem.space)) {
    coarse_bank_.emplace(problem, Stream{problem.seed, Purpose::search, Stream::kShared}, 0,
                         std::min(kComparisonSamples, options.search_samples));
  }
  const std::size_t attempts = options.aims.empty() ? kCertifiedAttempts : options.aims.size();
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    aims_.push_back(make_aim(attempt));
  }
}

double PursuitCalibrator::make_aim(std::size_t attempt) const {
  if (!options_.calibrate_for_certificate) return options_.target;
  if (!options_.aims.empty()) return options_.aims[attempt];
  const auto samples = static_cast<double>(options_.certificate_samples);
  const std::optional<std::size_t> most =
      largest_passing_count(options_.certificate_samples, options_.target,
                            attempt_confidence(options_.confidence, attempt));
  if (!most) return 0;
  const double deviation = std::sqrt(samples * options_.target * (1 - options_.target));
  return std::max(0.0, (static_cast<double>(*most) - kReserve[attempt] * deviation) / samples);
}

std::size_t PursuitCalibrator::allowed(std::size_t attempt) const noexcept {
  return share_of(aims_[attempt], calibration_bank_.count());
}

double PursuitCalibrator::rate_of(std::size_t invalid) const noexcept {
  return static_cast<double>(invalid) / static_cast<double>(calibration_bank_.count());
}

std::vector<std::size_t> PursuitCalibrator::count(std::span<const Advice> advice,
                                                  unsigned threads) const {
  std::vector<std::size_t> invalid(advice.size());
  calibration_bank_.count_invalid(advice, NoiseBank::Counting::quick, invalid, threads);
  return invalid;
}

SearchDraws PursuitCalibrator::draws() const noexcept {
  return {search_bank_, coarse_bank_ ? *coarse_bank_ : search_bank_};
}

/// The search bank around a person's change.
NoiseBank PursuitCalibrator::bank_at(const Pursuit& person) const {
  return search_bank_.fixed_at(moved(person.origin, person.change));
}

void PursuitCalibrator::begin(View origin, std::size_t attempt, Pursuit& person) const {
  person.origin = origin;
  person.attempt = attempt;
  person.search_allowed = share_of(aims_[attempt], search_bank_.count());
}

void PursuitCalibrator::take(Pursuit& person, ShortestChange shortest) const {
  person.changes = std::move(shortest.changes);
  person.change = std::move(shortest.change);
  person.steps += shortest.evaluations;
  person.searched = true;
  person.done = !person.changes.keeps_rows(person.change);
  aim(person);
}

/// The slope of the ray is measured on the search bank.
void PursuitCalibrator::aim(Pursuit& person) const {
  constexpr double kProbe = 0.1;
  const NoiseBank bank = bank_at(person);
  OrderStatistic statistic(problem_, bank, person.origin, bank.count(), 0);
  const auto quantile = [&](double factor) {
    const std::size_t invalid =
        statistic.invalid(scaled_change(person.changes, person.change, factor));
    return -normal_quantile((static_cast<double>(invalid) + 0.5) /
                            (static_cast<double>(bank.count()) + 1));
  };
  const double slope = (quantile(1 + kProbe) - quantile(1 - kProbe)) / (2 * kProbe);
  person.ray.emplace(person.changes, person.change, calibration_bank_.count(),
                     allowed(person.attempt), slope);
}

std::vector<Counterfactual> PursuitCalibrator::calibrated(std::vector<Pursuit> people,
                                                          unsigned threads,
                                                          const std::stop_token& stop) const {
  std::vector<Pursuit*> active;
  std::vector<Advice> advice;
  for (;;) {
    if (stop.stop_requested()) {
      // What was found by then, for callers that are out of time.
      std::vector<Counterfactual> unfinished;
      for (const Pursuit& person : people) {
        unfinished.push_back(
            {.point = person.change.empty() ? Vector() : moved(person.origin, person.change),
             .termination = Termination::cancelled});
      }
      return unfinished;
    }
    active.clear();
    advice.clear();
    for (Pursuit& person : people) {
      if (!person.done) active.push_back(&person);
    }
    if (active.empty()) break;
    Matrix points(0, problem_.space.width());
    for (const Pursuit* person : active) points.append(moved(person->origin, person->proposal()));
    for (std::size_t i = 0; i < active.size(); ++i) {
      advice.push_back({active[i]->origin, points[i], 0});
    }
    const std::vector<std::size_t> invalid = count(advice, threads);
    parallel_for(active.size(), threads, [&](std::size_t i) {
      const bool reached = problem_.goal.reached(problem_.model.logit(points[i]));
      learn(*active[i], invalid[i], reached, stop);
    });
  }
  std::vector<Counterfactual> found;
  found.reserve(people.size());
  for (const Pursuit& person : people) found.push_back(outcome(person));
  return found;
}

/// What a person's next proposal is, now that the last one has been counted.
void PursuitCalibrator::learn(Pursuit& person, std::size_t invalid, bool reached,
                              const std::stop_token& stop) const {
  ++person.steps;
  if (person.on_lattice) {
    const bool holds = reached && invalid <= allowed(person.attempt);
    if (holds || !person.satisfied) {  // what held before is only left for what holds
      person.change = person.lattice.back();
      person.invalid = invalid;
    }
    person.lattice.pop_back();
    if (holds) {
      person.satisfied = true;
      exchange(person);
    } else if (!person.satisfied && person.lattice.empty() && !person.ray->done()) {
      person.on_lattice = false;  // the guess was no good: the ray goes on where it was
      return;
    }
    person.done = person.lattice.empty();
    return;
  }
  RayCalibration& ray = *person.ray;
  ray.observe(invalid, reached);
  if (!ray.done()) {
    // Where every changed column will be put on a step, one count tells well enough where to
    // look.
    if (!person.guessed && only_steps(problem_.space, ray.proposal())) {
      person.guessed = true;
      person.change = ray.proposal();
      settle(person);
    }
    return;
  }
  if (ray.result()) {
    person.change = *ray.result();
    person.invalid = ray.result_invalid();
    person.satisfied = true;
    person.done = true;
    if (has_steps(problem_.space, person.change)) settle(person);
    return;
  }
  person.change = ray.proposal();
  person.invalid = ray.last_invalid();
  if (person.searches < (options_.aims.empty() ? kSearchesAgain : kPooledSearchesAgain)) {
    search_again(person, stop);
  } else {
    person.done = true;
  }
}

/// The ray has ended at the bounds: another change must be found, with as many failures fewer on
/// the search bank as there were too many on the large one.
void PursuitCalibrator::search_again(Pursuit& person, const std::stop_token& stop) const {
  ++person.searches;
  const double excess =
      static_cast<double>(allowed(person.attempt)) / std::max(1.0, double(person.invalid));
  // Where attempts aim at rates far apart, what another aim found says nothing of this one.
  if (person.searched || options_.aims.empty()) {
    person.search_allowed = share_of(std::min(0.97, excess), person.search_allowed);
  }
  if (coarse_bank_) {  // other features may do what these cannot
    const double share =
        static_cast<double>(person.search_allowed) / static_cast<double>(search_bank_.count());
    ShortestChange shortest =
        shortest_change(problem_, draws(), person.origin, share, person.frozen, stop);
    const bool feasible = shortest.feasible;
    take(person, std::move(shortest));
    if (!feasible) person.done = true;
    return;
  }
  const NoiseBank bank = bank_at(person);
  OrderStatistic statistic(problem_, bank, person.origin, bank.count(), person.search_allowed);
  const TrustRegionResult result =
      minimise_change(person.changes, [&](View change) { return statistic.evaluate(change); },
                      person.change, {.radius = 0.1, .iterations = 30, .stop = stop});
  person.steps += result.evaluations;
  constexpr double kMoved = 0.01;
  if (!result.feasible && distance_between(result.change, person.change) < kMoved) {
    person.done = true;
    return;
  }
  person.change = result.change;
  aim(person);
}

/// Whole steps around a calibrated change, for the columns that have them. Those that the search
/// bank finds no worse than the change itself are counted, cheapest first; the one that goes
/// outward in every column comes last.
void PursuitCalibrator::settle(Pursuit& person) const {
  const NoiseBank bank = bank_at(person);
  OrderStatistic statistic(problem_, bank, person.origin, bank.count(), 0);
  const std::size_t bar = statistic.invalid(person.change);
  person.lattice.clear();
  std::vector<Vector> all =
      whole_step_changes(problem_.space, person.changes, person.origin, person.change);
  for (Vector& change : all) {
    if (person.lattice.size() == kLatticeTrials) break;
    if (statistic.invalid(change) <= bar) person.lattice.push_back(std::move(change));
  }
  Vector outward = moved(person.origin, person.change);
  if (round_within_relations(problem_.space, person.changes, person.origin, outward,
                             Rounding::outward)) {
    for (std::size_t j = 0; j < outward.size(); ++j) outward[j] -= person.origin[j];
    person.lattice.push_back(std::move(outward));
  }
  if (person.lattice.empty()) {  // no steps nearby keep the relations
    person.done = person.ray->done();
    person.satisfied = false;
    return;
  }
  std::ranges::reverse(person.lattice);
  person.on_lattice = true;
  person.done = false;
  person.satisfied = false;
}

/// Whole steps that hold, made cheaper: fewer steps of one column for more of another, as far as
/// the search bank lets what the large one leaves. Counted next, cheapest first.
void PursuitCalibrator::exchange(Pursuit& person) const {
  person.lattice.clear();
  if (person.exchanges == kExchanges) return;
  ++person.exchanges;
  const NoiseBank bank = bank_at(person);
  OrderStatistic statistic(problem_, bank, person.origin, bank.count(), 0);
  const double left = rate_of(allowed(person.attempt) - person.invalid);
  const std::size_t bar = statistic.invalid(person.change) + share_of(left, bank.count());
  person.lattice = exchanged_steps(problem_.space, person.changes, person.origin, person.change,
                                   [&](View change) { return statistic.invalid(change) <= bar; });
  person.lattice.resize(std::min(person.lattice.size(), kExchangeTrials));
  std::ranges::reverse(person.lattice);
}

Counterfactual PursuitCalibrator::outcome(const Pursuit& person) const {
  Counterfactual out;
  out.point = moved(person.origin, person.change);
  out.steps = person.steps;
  out.blocks = person.attempt + 1;
  out.method_rate = rate_of(person.invalid);
  const bool reached = person.satisfied || (person.changes.keeps_rows(person.change) &&
                                            problem_.goal.reached(problem_.model.logit(out.point)));
  out.termination = person.satisfied ? Termination::converged
                    : reached        ? Termination::unmet
                                     : Termination::infeasible;
  return out;
}

}  // namespace croco
