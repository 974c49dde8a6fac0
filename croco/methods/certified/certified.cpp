// SPDX-License-Identifier: Apache-2.0
// The shortest change whose invalidation rate is certified to be below the target: a trust-region
// search on the order statistic of the margins, calibrated so that fresh draws will pass. People
// are searched one by one on a bank that stays in the cache, and counted together on the large one.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <croco/base/parallel.hpp>
#include <croco/methods/certified/pursuit.hpp>
#include <croco/methods/certified/shortest_search.hpp>
#include <croco/methods/change/ways.hpp>
#include <croco/methods/change/whole_steps.hpp>
#include <croco/methods/searches.hpp>
#include <croco/models/model.hpp>
#include <croco/space/distance.hpp>

namespace croco {
namespace {

/// Ways of a person that are calibrated at most: of the best, and of those for another option.
constexpr std::size_t kRivals = 3;
constexpr std::size_t kOtherTrials = 3;
/// A way is worth it that promises to be cheaper than this share of what is known.
constexpr double kWorthTrying = 0.998;

class CertifiedSearch final : public Search {
 public:
  CertifiedSearch(const Problem& problem, const CertifiedSettings& options, unsigned threads)
      : problem_(problem), calibrator_(problem, options, threads) {}

  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& stop) const override {
    return find_all({&origin, 1}, 1, stop)[0];
  }

  [[nodiscard]] Judgement judge(View origin, View point, std::size_t attempt) const override {
    const Attempt one{origin, point, attempt};
    return judge_all({&one, 1}, 1)[0];
  }

  [[nodiscard]] std::vector<Counterfactual> find_all(std::span<const View> origins,
                                                     unsigned threads,
                                                     const std::stop_token& stop) const override {
    std::vector<Ways> people(origins.size());
    parallel_for(people.size(), threads, [&](std::size_t i) {
      people[i].origin = origins[i];
      if (!stop.stop_requested()) people[i].ways = searched(origins[i], {}, 0, stop);
    });
    return calibrated(people, kRivals, threads, stop);
  }

  [[nodiscard]] std::vector<Counterfactual> retry_all(std::span<const Attempt> failed,
                                                      unsigned threads,
                                                      const std::stop_token& stop) const override {
    if (problem_.pool) return search_again(failed, threads, stop);
    std::vector<Pursuit> people(failed.size());
    parallel_for(people.size(), threads, [&](std::size_t i) {
      begin_again(failed[i], people[i]);
      calibrator_.aim(people[i]);
    });
    return calibrator_.calibrated(std::move(people), threads, stop);
  }

  [[nodiscard]] std::vector<Counterfactual> find_others(
      std::span<const OtherWay> people, unsigned threads,
      const std::stop_token& stop) const override {
    std::vector<Ways> all(people.size());
    parallel_for(people.size(), threads, [&](std::size_t i) {
      all[i].origin = people[i].origin;
      std::vector<Way>& ways = all[i].ways;
      for (const FeatureSet& frozen : people[i].frozen) {
        if (stop.stop_requested()) return;
        Way best = std::move(searched(people[i].origin, frozen, 0, stop).front());
        if (best.shortest.feasible) ways.push_back(std::move(best));
      }
      std::ranges::stable_sort(ways, {}, [](const Way& way) { return way.shortest.cost; });
    });
    return calibrated(all, kOtherTrials, threads, stop);
  }

  [[nodiscard]] std::vector<Judgement> judge_all(std::span<const Attempt> points,
                                                 unsigned threads) const override {
    std::vector<Advice> advice;
    advice.reserve(points.size());
    for (const Attempt& one : points) advice.push_back({one.origin, one.point, 0});
    const std::vector<std::size_t> invalid = calibrator_.count(advice, threads);
    std::vector<Judgement> judged;
    judged.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool reached = problem_.goal.reached(problem_.model.logit(points[i].point));
      judged.push_back({.reached = reached,
                        .satisfied = reached && invalid[i] <= calibrator_.allowed(points[i].number),
                        .rate = calibrator_.rate_of(invalid[i])});
    }
    return judged;
  }

 private:
  /// A change that leaves a set of features alone.
  struct Way {
    FeatureSet frozen;
    ShortestChange shortest;
  };
  /// What a person might be recommended, the best first.
  struct Ways {
    View origin;
    std::vector<Way> ways;
    std::size_t attempt = 0;
  };

  [[nodiscard]] std::vector<Way> searched(View origin, const FeatureSet& frozen,
                                          std::size_t attempt, const std::stop_token& stop,
                                          View known = {}) const {
    std::vector<Way> ways;
    for (ShortestChange& found :
         shortest_changes(problem_, calibrator_.draws(), origin, calibrator_.aim_of(attempt),
                          frozen, stop, known)) {
      ways.push_back({frozen, std::move(found)});
    }
    return ways;
  }

  /// The best of each person's first ways after calibration. The search draws have errors of
  /// their own: another way is calibrated while none holds, or while it promises to cost less than
  /// what does.
  [[nodiscard]] std::vector<Counterfactual> calibrated(std::span<Ways> people, std::size_t trials,
                                                       unsigned threads,
                                                       const std::stop_token& stop) const {
    std::vector<Counterfactual> out(people.size());
    std::vector<double> cost(people.size(), std::numeric_limits<double>::infinity());
    for (std::size_t trial = 0; trial < trials; ++trial) {
      std::vector<std::size_t> asked;
      std::vector<Pursuit> pursuits;
      for (std::size_t i = 0; i < people.size(); ++i) {
        const std::vector<Way>& ways = people[i].ways;
        if (trial >= ways.size() || ways[trial].shortest.cost >= kWorthTrying * cost[i]) continue;
        asked.push_back(i);
        Pursuit& person = pursuits.emplace_back();
        calibrator_.begin(people[i].origin, people[i].attempt, person);
        person.frozen = ways[trial].frozen;
      }
      parallel_for(asked.size(), threads, [&](std::size_t k) {
        calibrator_.take(pursuits[k], std::move(people[asked[k]].ways[trial].shortest));
      });
      std::vector<Counterfactual> found =
          calibrator_.calibrated(std::move(pursuits), threads, stop);
      for (std::size_t k = 0; k < asked.size(); ++k) {
        const std::size_t i = asked[k];
        const bool holds = found[k].termination == Termination::converged;
        const double price =
            holds ? distances(problem_.space, people[i].origin, found[k].point).cost : cost[i];
        found[k].steps += out[i].steps;
        if (out[i].point.empty() || price < cost[i]) {
          out[i] = std::move(found[k]);
          cost[i] = price;
        } else {
          out[i].steps = found[k].steps;
        }
      }
    }
    for (Counterfactual& one : out) {
      if (one.point.empty() && stop.stop_requested()) one.termination = Termination::cancelled;
    }
    return out;
  }

  /// Rates that lie far apart ask for other categories, and not for more of the same change: every
  /// aim of a pool has a search of its own, unless the last point meets it already.
  [[nodiscard]] std::vector<Counterfactual> search_again(std::span<const Attempt> failed,
                                                         unsigned threads,
                                                         const std::stop_token& stop) const {
    std::vector<Counterfactual> out(failed.size());
    std::vector<Judgement> judged = judge_all(failed, threads);
    std::vector<Ways> people;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < failed.size(); ++i) {
      if (judged[i].satisfied) {
        out[i] = judged_point(failed[i], judged[i]);
        continue;
      }
      people.push_back({.origin = failed[i].origin, .ways = {}, .attempt = failed[i].number});
      places.push_back(i);
    }
    parallel_for(people.size(), threads, [&](std::size_t k) {
      const Attempt& one = failed[places[k]];
      const SecondStart start =
          second_start(problem_.space, one.origin, one.point, one.same_features);
      if (!stop.stop_requested()) {
        people[k].ways = searched(one.origin, start.frozen, one.number, stop, start.change);
      }
    });
    std::vector<Counterfactual> found = calibrated(people, kRivals, threads, stop);
    for (std::size_t k = 0; k < places.size(); ++k) out[places[k]] = std::move(found[k]);
    return out;
  }

  /// Puts a person at the point whose certificate failed.
  void begin_again(const Attempt& failed, Pursuit& person) const {
    const Space& space = problem_.space;
    calibrator_.begin(failed.origin, failed.number, person);
    SecondStart start = second_start(space, failed.origin, failed.point, failed.same_features);
    person.changes = std::move(start.changes);
    person.change = std::move(start.change);
    person.frozen = std::move(start.frozen);
    for (const std::size_t j : coarse_columns(space, person.changes, person.change)) {
      person.changes.intervals[j] = {person.change[j], person.change[j]};
    }
  }

  const Problem& problem_;
  PursuitCalibrator calibrator_;
};

}  // namespace

std::unique_ptr<Search> make_certified(const Problem& problem, const CertifiedSettings& options,
                                       unsigned threads) {
  return std::make_unique<CertifiedSearch>(problem, options, threads);
}

}  // namespace croco
