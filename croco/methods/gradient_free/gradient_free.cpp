// SPDX-License-Identifier: Apache-2.0
// The certified method for models that only answer: the same trust region on the rate itself, whose
// slope follows from the answers to noisy rows, and the same walk over ways.
#include <algorithm>
#include <utility>
#include <vector>

#include <croco/base/parallel.hpp>
#include <croco/base/random.hpp>
#include <croco/methods/change/supports.hpp>
#include <croco/methods/change/ways.hpp>
#include <croco/methods/gradient_free/rate_calibration.hpp>
#include <croco/methods/gradient_free/rate_search.hpp>
#include <croco/methods/gradient_free/rate_ways.hpp>
#include <croco/methods/lowest_rate.hpp>
#include <croco/methods/noisy_margins.hpp>
#include <croco/methods/searches.hpp>
#include <croco/models/model.hpp>

namespace croco {
namespace {

/// Other ways of a person that are calibrated at most before giving up.
constexpr std::size_t kOtherTrials = 3;
/// Where rows are fewer, runs do with fewer draws, so that more ways are looked at.
constexpr std::size_t kManyRows = 1'000'000;
/// Times that a person is searched for at most, with less allowed each time.
constexpr std::size_t kSearches = 4;

class GradientFreeSearch final : public Search {
 public:
  GradientFreeSearch(const Problem& problem, const CertifiedSettings& options)
      : problem_(problem),
        options_(options),
        first_rows_(std::min(options.soft_search_budget, options.search_budget)),
        calibrator_(problem, options),
        margins_(problem, {problem.seed, Purpose::search, Stream::kShared}, count_for(2048),
                 Slopes::from_answers),
        shared_{.problem = problem,
                .margins = margins_,
                .few = count_for(256),
                .some = count_for(first_rows_ < kManyRows ? 512 : 1024),
                .all = count_for(2048),
                .donors = options_.accepted.get(),
                .scales = scoped_scales(problem.noise, problem.space)},
        minimiser_(problem, 512),
        searches_(has_ways(problem.space) || has_steps(problem.space) ? kSearches : 1) {}

  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& stop) const override {
    Person person{.origin = origin, .budget = {.most = first_rows_}};
    return with_steps(searched(person, 0, stop), person);
  }

  [[nodiscard]] std::vector<Counterfactual> retry_all(std::span<const Attempt> failed,
                                                      unsigned threads,
                                                      const std::stop_token& stop) const override {
    std::vector<Counterfactual> found(failed.size());
    parallel_for(failed.size(), threads, [&](std::size_t i) { found[i] = retry(failed[i], stop); });
    return found;
  }

  [[nodiscard]] std::vector<Counterfactual> find_others(
      std::span<const OtherWay> people, unsigned threads,
      const std::stop_token& stop) const override {
    std::vector<Counterfactual> found(people.size());
    parallel_for(people.size(), threads, [&](std::size_t i) { found[i] = other(people[i], stop); });
    return found;
  }

  [[nodiscard]] Judgement judge(View origin, View point, std::size_t attempt) const override {
    return calibrator_.judge(origin, point, attempt);
  }

 private:
  struct Person {
    View origin;
    FeatureSet frozen = {};  ///< features that stay fixed
    RowBudget budget;
    RowBudget calibration = {};
  };

  [[nodiscard]] static bool has_steps(const Space& space) {
    return std::ranges::any_of(space.columns, [](const Column& one) { return one.step > 0; });
  }

  /// Enough draws for some dozens of failures at the aim.
  [[nodiscard]] std::size_t count_for(std::size_t least) const {
    const double wanted = 32 / std::max(calibrator_.aim_of(0), 1e-3);
    return std::max(least, std::min<std::size_t>(16'384, static_cast<std::size_t>(wanted)));
  }

  [[nodiscard]] static bool better(const Counterfactual& a, const Counterfactual& b) {
    if (a.termination != b.termination) return a.termination < b.termination;
    return a.method_rate.value_or(1) < b.method_rate.value_or(1);
  }

  [[nodiscard]] static Counterfactual with_steps(Counterfactual found, const Person& person) {
    found.steps = person.budget.evaluations + person.calibration.evaluations;
    return found;
  }

  /// Within the first rows, or where nothing holds then, within all.
  [[nodiscard]] Counterfactual searched(Person& person, std::size_t attempt,
                                        const std::stop_token& stop) const {
    Counterfactual found = searched_within(person, attempt, stop);
    if (found.termination == Termination::converged || found.point.empty() ||
        person.budget.most >= options_.search_budget) {
      return found;
    }
    person.budget.most = options_.search_budget;
    Counterfactual more = searched_within(person, attempt, stop);
    if (more.point.empty() || better(more, found)) return more;
    return found;
  }

  /// The best of all changes that are worth calibrating for an attempt. Where none of them holds on
  /// the draws of the calibration, the search is run again with as much less allowed as there was
  /// too much: other categories or steps may do what these cannot. Numbers without steps are
  /// better off with another attempt from where they are, which ends nearer.
  [[nodiscard]] Counterfactual searched_within(Person& person, std::size_t attempt,
                                               const std::stop_token& stop) const {
    const double wanted = calibrator_.aim_of(attempt);
    double aim = wanted;
    Counterfactual best;
    for (std::size_t search = 0; search < searches_; ++search) {
      const std::vector<ShortestChange> ranked = shortest(person, aim, stop);
      if (stop.stop_requested()) return {.point = {}, .termination = Termination::cancelled};
      if (search > 0 && !ranked.front().feasible) break;
      Counterfactual result = calibrated(person, ranked, attempt);
      const double rate = std::max(wanted, result.method_rate.value_or(1));
      if (best.point.empty() || better(result, best)) best = std::move(result);
      if (best.termination == Termination::converged || !ranked.front().feasible) break;
      aim *= std::clamp(wanted / rate, 0.5, 0.97);
    }
    return best;
  }

  /// The first of some changes that calibration brings to the aim, or the one that comes nearest.
  [[nodiscard]] Counterfactual calibrated(Person& person, std::span<const ShortestChange> ranked,
                                          std::size_t attempt) const {
    const std::size_t evaluations = person.calibration.evaluations;
    person.calibration = calibrator_.budget();
    person.calibration.evaluations = evaluations;
    Counterfactual best;
    for (const ShortestChange& one : ranked) {
      Counterfactual result = calibrator_.calibrated(person.origin, one.changes, one.change,
                                                     attempt, person.calibration);
      const bool done = result.termination == Termination::converged;
      if (best.point.empty() || better(result, best)) best = std::move(result);
      if (done || person.calibration.spent()) break;
    }
    return best;
  }

  [[nodiscard]] Counterfactual retry(const Attempt& failed, const std::stop_token& stop) const {
    if (problem_.pool) {  // whose aims lie far apart: the last point may meet this one already
      const Judgement now = judge(failed.origin, failed.point, failed.number);
      if (now.satisfied) return judged_point(failed, now);
    }
    Person person{.origin = failed.origin, .budget = {.most = first_rows_}};
    SecondStart start =
        second_start(problem_.space, failed.origin, failed.point, failed.same_features);
    person.frozen = std::move(start.frozen);
    const ShortestChange start_change{.change = std::move(start.change),
                                      .changes = std::move(start.changes)};
    Counterfactual out = calibrated(person, {&start_change, 1}, failed.number);
    if (out.termination != Termination::converged) {
      // No way on from there: begin again, with the lower aim from the start.
      Counterfactual again = searched(person, failed.number, stop);
      if (!again.point.empty() && better(again, out)) out = std::move(again);
    }
    return with_steps(std::move(out), person);
  }

  /// The cheapest change over the sets that may be left alone, each with its share of the rows.
  [[nodiscard]] Counterfactual other(const OtherWay& way, const std::stop_token& stop) const {
    if (stop.stop_requested()) return {.point = {}, .termination = Termination::cancelled};
    Person person{.origin = way.origin, .budget = {}};
    std::vector<ShortestChange> ranked;
    for (const FeatureSet& frozen : way.frozen) {
      person.frozen = frozen;
      person.budget.most += first_rows_ / way.frozen.size();
      for (ShortestChange& one : shortest(person, calibrator_.aim_of(0), stop)) {
        if (one.feasible) ranked.push_back(std::move(one));
      }
    }
    if (stop.stop_requested()) return {.point = {}, .termination = Termination::cancelled};
    if (ranked.empty()) return with_steps({}, person);
    std::ranges::stable_sort(ranked, {}, &ShortestChange::cost);
    ranked.resize(std::min(ranked.size(), kOtherTrials));
    return with_steps(calibrated(person, ranked, 0), person);
  }

  /// Changes to calibrate, the most promising first; never none.
  [[nodiscard]] std::vector<ShortestChange> shortest(Person& person, double aim,
                                                     const std::stop_token& stop) const {
    const ChangeProblem changes = changes_without(problem_.space, person.origin, person.frozen);
    const RatePerson one{person.origin, aim, person.budget, stop};
    if (!has_ways(problem_.space)) return shortest_numbers(one, changes, person.frozen);
    RateWays solver(shared_, one, changes);
    std::vector<ShortestChange> found =
        search_ways({problem_.space, person.origin, changes, person.frozen, stop}, solver);
    if (!found.front().feasible && !limits_numbers(problem_.space)) {
      look_everywhere(one, changes, person.frozen, found);
    }
    return found;
  }

  /// The same where numbers are all there is to change.
  [[nodiscard]] std::vector<ShortestChange> shortest_numbers(const RatePerson& person,
                                                             const ChangeProblem& changes,
                                                             const FeatureSet& frozen) const {
    RateSearch search(shared_, person, changes);
    search.look_near();
    if (search.found().empty()) search.look_far();
    std::vector<ShortestChange> out;
    if (search.found().empty()) {
      out.push_back({.change = search.nearest().change, .changes = changes});
      look_everywhere(person, changes, frozen, out);
      return out;
    }
    search.polish();
    if (auto stepped = search.on_steps(3, 0.0, shared_.some, person.aim)) {
      out.push_back({.change = std::move(stepped->found.change),
                     .changes = std::move(stepped->changes),
                     .feasible = true,
                     .cost = stepped->found.cost});
    }
    for (const PricedChange& one : search.found()) {
      out.push_back({.change = one.change, .changes = changes, .feasible = true, .cost = one.cost});
    }
    return out;
  }

  /// From the lowest rate within reach, whatever it costs, back. Takes the place of `found`.
  void look_everywhere(const RatePerson& person, const ChangeProblem& changes,
                       const FeatureSet& frozen, std::vector<ShortestChange>& found) const {
    if (person.stop.stop_requested() || person.budget.spent() || !frozen.empty()) return;
    const LowestRate lowest = minimiser_.find(person.origin, {}, person.stop);
    person.budget.used += lowest.evaluations * minimiser_.count();
    Vector change = lowest.point;
    for (std::size_t j = 0; j < change.size(); ++j) change[j] -= person.origin[j];
    ChangeProblem way = with_levels(problem_.space, person.origin, changes,
                                    levels_between(problem_.space, person.origin, lowest.point));
    RateSearch search(shared_, person, way);
    search.look_back_from(change);
    if (search.found().empty()) {
      found = {{.change = std::move(change), .changes = std::move(way)}};
      return;
    }
    search.polish();
    found.clear();
    for (const PricedChange& one : search.found()) {
      found.push_back({.change = one.change, .changes = way, .feasible = true, .cost = one.cost});
    }
  }

  const Problem& problem_;
  CertifiedSettings options_;
  std::size_t first_rows_;
  RateCalibrator calibrator_;
  NoisyMargins margins_;
  RateDraws shared_;
  RateMinimiser minimiser_;
  std::size_t searches_;
};

}  // namespace

std::unique_ptr<Search> make_gradient_free(const Problem& problem,
                                           const CertifiedSettings& options) {
  return std::make_unique<GradientFreeSearch>(problem, options);
}

}  // namespace croco
