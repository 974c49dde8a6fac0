// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/reasons/reasons.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/normal.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/parallel.hpp>
#include <croco/explain/reasons/category_limits.hpp>
#include <croco/explain/reasons/out_of_reach.hpp>
#include <croco/explain/reasons/relation_conflict.hpp>
#include <croco/explain/reasons/relaxations.hpp>
#include <croco/explain/recommendation.hpp>
#include <croco/explain/status_reasons.hpp>
#include <croco/methods/lowest_rate.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

/// People whose reasons are found together: they share the relaxed problems, and a stop loses
/// their answers alone.
constexpr std::size_t kTogether = 64;
/// How far a limit is overstepped to see whether that would help, in encoded units.
constexpr double kProbe = 0.05;

/// A record that could be recommended, and its rate.
struct Candidate {
  Record record;
  LowestRate seen;
};

class Reasons {
 public:
  Reasons(const ReasonsProblem& with, const std::stop_token& stop)
      : with_(with),
        method_(std::get<Certified>(with.options.method)),
        plan_(method_.certificate.value()),
        stop_(stop),
        problem_{*with.model,       with.codec.space(), with.options.noise.value(),
                 with.options.goal, with.options.seed,  with.options.shared_draws},
        minimiser_(problem_) {}

  void find(std::span<Hindered> people) const {
    std::vector<Lowest> lowest(people.size());
    for (Hindered& one : people) one.obstacle = &one.answer->obstacle.emplace();
    parallel_for(people.size(), with_.options.threads, [&](std::size_t i) {
      if (!stop_.stop_requested()) lowest[i] = lowest_of(people[i]);
    });
    if (stop_.stop_requested()) return;
    measure(people);
    if (stop_.stop_requested()) return;
    std::vector<Hindered> left;
    for (std::size_t i = 0; i < people.size(); ++i) {
      if (rescue(people[i], lowest[i])) continue;
      name_kind(people[i], lowest[i]);
      left.push_back(people[i]);
    }
    parallel_for(left.size(), with_.options.threads, [&](std::size_t i) {
      const auto at = std::ranges::find(people, left[i].answer, &Hindered::answer);
      add_limits(left[i], lowest[static_cast<std::size_t>(at - people.begin())]);
    });
    prove_out_of_reach(problem_, with_.options, left, stop_);
    add_relaxations(with_, left, stop_);
  }

 private:
  struct Lowest {
    LowestRate exact = {};  ///< between the steps
    LowestRate reported = {};
    std::optional<RelationConflict> conflict = {};  ///< when nothing keeps the relations
  };

  [[nodiscard]] Candidate candidate(const Hindered& one, View point, Writing writing) const {
    const View origin = one.answer->origin;
    Recommendation made =
        recommend(with_.codec, *one.person, origin, point, writing, with_.options.missing);
    Candidate out{std::move(made.record), minimiser_.judge(origin, made.point)};
    if (!made.admissible) {  // it cannot be recommended
      out.seen.own_margin = -std::numeric_limits<double>::infinity();
    }
    return out;
  }

  [[nodiscard]] Lowest lowest_of(const Hindered& one) const {
    Explanation& answer = *one.answer;
    std::vector<Vector> starts;
    if (answer.has_advice()) starts.push_back(answer.point);
    Lowest out;
    out.conflict = relation_conflict(with_.codec, answer.origin);
    if (out.conflict) {
      one.obstacle->record = answer.before;
      one.obstacle->point = answer.origin;
      one.obstacle->score = answer.score_before;
      return out;
    }
    out.exact = minimiser_.find(answer.origin, starts, stop_);
    Candidate best = candidate(one, out.exact.point, {Rounding::nearest, Digits::all});
    if (Candidate other = candidate(one, out.exact.point, {Rounding::outward, Digits::all});
        better(other.seen, best.seen)) {
      best = std::move(other);
    }
    if (answer.has_advice()) {
      if (Candidate own{answer.after, minimiser_.judge(answer.origin, answer.point)};
          better(own.seen, best.seen)) {
        best = std::move(own);
      }
    }
    out.reported = best.seen;
    Obstacle& obstacle = *one.obstacle;
    obstacle.record = std::move(best.record);
    obstacle.point = out.reported.point;
    obstacle.valid = out.reported.valid();
    obstacle.score = sigmoid(problem_.model.logit(obstacle.point));
    obstacle.distance = distances(with_.codec.space(), answer.origin, obstacle.point);
    return out;
  }

  /// The rates at those points, on samples that had no part in finding them.
  void measure(std::span<const Hindered> people) const {
    std::vector<Advice> advice;
    std::vector<Obstacle*> obstacles;
    for (const Hindered& one : people) {
      Obstacle& obstacle = *one.obstacle;
      if (!obstacle.valid) continue;
      advice.push_back({one.answer->origin, obstacle.point, one.answer->row});
      obstacles.push_back(&obstacle);
    }
    if (advice.empty()) return;
    CertifyOptions options = with_.options.certify;
    options.purpose = Purpose::reasons;
    options.sequential = false;  // the estimate itself is wanted, not an early no
    options.share = sentence_share(Sentence::lowest_rate);
    const auto certificates = certify(problem_, advice, options, with_.options.threads, stop_);
    for (std::size_t i = 0; i < certificates.size(); ++i) obstacles[i]->lowest = certificates[i];
  }

  /// Whether a certificate of that point may be expected to pass. Nothing is stated by it.
  [[nodiscard]] bool worth_trying(const Certificate& measured) const {
    if (measured.bound == BoundKind::exact) return measured.upper <= method_.target;
    const CertifyOptions& options = with_.options.certify;
    return upper_bound(options.bound, measured.invalid, measured.samples,
                       share_confidence(options.confidence, options.family, 1)) <= method_.target;
  }

  /// When the point with the lowest rate meets the target, the search missed something. The error
  /// has a share for two more attempts at a certificate, on samples not yet seen.
  [[nodiscard]] bool rescue(const Hindered& one, const Lowest& lowest) const {
    Explanation& answer = *one.answer;
    if (with_.options.models) return false;  // what is found here knows the model in use alone
    if (!one.obstacle->lowest || !worth_trying(*one.obstacle->lowest)) return false;
    const Candidate shorter = shortened(one, lowest.reported);
    const Candidate whole{one.obstacle->record, lowest.reported};
    std::size_t attempt = kCertifiedAttempts;
    for (const Candidate* advice : {&shorter, &whole}) {
      CertifyOptions options = with_.options.certify;
      options.attempt = attempt;
      options.attempts = kCertifiedAttempts + kFurtherAttempts;
      ++attempt;
      const Advice point{answer.origin, advice->seen.point, answer.row};
      const auto certificates = certify(problem_, {&point, 1}, options, 1, {});
      if (!advice->seen.valid() || certificates[0].upper > method_.target) continue;
      advise(answer, *advice, certificates[0]);
      return true;
    }
    return false;
  }

  /// The shortest change along the ray to a point that keeps the target with a reserve.
  [[nodiscard]] Candidate shortened(const Hindered& one, const LowestRate& lowest) const {
    const auto samples = static_cast<double>(minimiser_.count());
    const double reserve = 4 * std::sqrt(method_.target * (1 - method_.target) / samples);
    const auto at = [&](double factor) {
      Vector point = one.answer->origin;
      for (std::size_t j = 0; j < point.size(); ++j) {
        point[j] += factor * (lowest.point[j] - point[j]);
      }
      return candidate(one, point, {Rounding::outward, Digits::few});
    };
    double low = 0;
    double high = 1;
    Candidate best = at(1);
    for (int halving = 0; halving < 8; ++halving) {
      const double middle = (low + high) / 2;
      Candidate candidate = at(middle);
      const double rate = static_cast<double>(candidate.seen.invalid) / samples;
      const bool holds = candidate.seen.valid() && rate <= method_.target - reserve;
      (holds ? high : low) = middle;
      if (holds) best = std::move(candidate);
    }
    return best;
  }

  void advise(Explanation& answer, const Candidate& advice, const Certificate& certificate) const {
    answer.obstacle.reset();
    answer.reason.clear();
    answer.status = Status::found;
    answer.after = advice.record;
    answer.point = advice.seen.point;
    answer.valid = true;
    describe_point(problem_.model, with_.codec, answer);
    answer.method_rate =
        static_cast<double>(advice.seen.invalid) / static_cast<double>(minimiser_.count());
    answer.certificate = certificate;
    answer.target_met = true;
  }

  void name_kind(const Hindered& one, const Lowest& lowest) const {
    Explanation& answer = *one.answer;
    Obstacle& obstacle = *one.obstacle;
    if (lowest.conflict) {
      obstacle.kind = ObstacleKind::relations;
      obstacle.proved = true;
      return;
    }
    const double allowed = method_.target * static_cast<double>(minimiser_.count());
    const auto keeps = [&](const LowestRate& seen) {
      return seen.valid() && static_cast<double>(seen.invalid) <= allowed;
    };
    if (!lowest.exact.valid()) {
      obstacle.kind = ObstacleKind::no_valid_point;
    } else if (!lowest.reported.valid() || (keeps(lowest.exact) && !keeps(lowest.reported))) {
      obstacle.kind = ObstacleKind::steps;
    } else if (obstacle.lowest && obstacle.lowest->rate < method_.target && with_.options.models) {
      obstacle.kind = ObstacleKind::models;
    } else if (obstacle.lowest && obstacle.lowest->rate < method_.target) {
      obstacle.kind = ObstacleKind::samples;
      obstacle.samples_needed = samples_to_certify(obstacle.lowest->rate, method_.target,
                                                   plan_.confidence, with_.options.certify.bound);
      leave_undecided(answer, obstacle);
    } else {
      obstacle.kind = ObstacleKind::target;
    }
    if (answer.status == Status::infeasible && obstacle.valid) {
      answer.reason = fmt::format("no admissible change was found that meets the target of {}",
                                  percent(method_.target));
    }
  }

  /// Recommends the point that seems to meet the target where nothing is recommended yet.
  void leave_undecided(Explanation& answer, const Obstacle& obstacle) const {
    if (!answer.has_advice()) {
      answer.after = obstacle.record;
      answer.point = obstacle.point;
      answer.valid = true;
      describe_point(problem_.model, with_.codec, answer);
      answer.certificate.reset();
      answer.target_met = false;
    }
    answer.status = Status::undecided;
    answer.reason = undecided_reason(method_.target, plan_.samples);
  }

  /// Oversteps one limit at a time at the best point and sees whether the margins rise.
  void add_limits(const Hindered& one, const Lowest& lowest) const {
    Obstacle& obstacle = *one.obstacle;
    const View origin = one.answer->origin;
    if (lowest.conflict) {
      for (const std::size_t i : lowest.conflict->relations) {
        obstacle.limits.push_back({i, LimitKind::relation});
      }
      obstacle.limits.insert(obstacle.limits.end(), lowest.conflict->limits.begin(),
                             lowest.conflict->limits.end());
      return;
    }
    const LowestRate& best = lowest.exact;
    const std::size_t rank =
        best.valid() ? best.invalid : std::min(best.invalid, minimiser_.count() / 2);
    const double now = minimiser_.order_statistic(origin, best.point, rank);
    std::vector<std::pair<double, Limit>> found;
    for (std::size_t j = 0; j < origin.size(); ++j) {
      const Column& column = with_.codec.space().columns[j];
      if (!column.continuous) continue;
      const std::size_t feature = with_.codec.feature_of(j);
      double gain = 0;
      LimitKind kind = LimitKind::fixed;
      for (const bool up : {false, true}) {
        const std::optional<LimitKind> blocked = limit_of(column, origin[j], best.point[j], up);
        if (!blocked) continue;
        Vector beyond = best.point;
        beyond[j] += up ? kProbe : -kProbe;
        const double rise = minimiser_.order_statistic(origin, beyond, rank) - now;
        if (!(rise > std::max(gain, 1e-9))) continue;
        gain = rise;
        kind = *blocked;
      }
      if (gain > 0) found.emplace_back(-gain, Limit{feature, kind});
    }
    const std::vector<LinearRow> rows = rows_of(with_.codec.space().relations, origin);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].excess(best.point) < -1e-6) continue;
      double gain = 0;
      for (std::size_t j = 0; j < origin.size(); ++j) {
        const Column& column = with_.codec.space().columns[j];
        const bool up = rows[i].coefficients[j] > 0;
        if (rows[i].coefficients[j] == 0 || limit_of(column, origin[j], best.point[j], up))
          continue;
        Vector beyond = best.point;
        beyond[j] += up ? kProbe : -kProbe;
        gain = std::max(gain, minimiser_.order_statistic(origin, beyond, rank) - now);
      }
      if (gain > 1e-9) found.emplace_back(-gain, Limit{i, LimitKind::relation});
    }
    for (const auto& [gain, limit] :
         category_limits(with_.codec, minimiser_, origin, best.point, rank)) {
      found.emplace_back(-gain, limit);
    }
    std::ranges::stable_sort(found, {}, [](const auto& entry) { return entry.first; });
    if (obstacle.kind == ObstacleKind::steps) {
      for (std::size_t j = 0; j < origin.size(); ++j) {
        if (with_.codec.space().columns[j].step > 0 && best.point[j] != obstacle.point[j]) {
          obstacle.limits.push_back({with_.codec.feature_of(j), LimitKind::step});
        }
      }
    }
    for (const auto& [gain, limit] : found) obstacle.limits.push_back(limit);
  }

  /// What keeps a column from going further in a direction, if anything does.
  [[nodiscard]] static std::optional<LimitKind> limit_of(const Column& column, double origin,
                                                         double value, bool up) {
    const Interval interval = admissible_interval(column, origin);
    const double end = up ? interval.upper : interval.lower;
    if (std::abs(end - value) > 1e-6) return std::nullopt;
    return limit_at_end(column, origin, up);
  }

  const ReasonsProblem& with_;
  Certified method_;
  CertificatePlan plan_;
  const std::stop_token& stop_;
  Problem problem_;
  RateMinimiser minimiser_;
};

}  // namespace

std::optional<std::size_t> samples_to_certify(double rate, double target, double confidence,
                                              BoundKind bound) {
  if (!(rate < target)) return std::nullopt;
  constexpr double kReserve = 2;  // deviations, as the search leaves them
  constexpr double kMost = 0x1p40;
  constexpr double kExact = 1e8;  // beyond, the normal law is right to far less than a per cent
  const double share = attempt_confidence(confidence, 0);
  const double deviation = std::sqrt(target * (1 - target));
  const double factor = (normal_quantile(share) + kReserve) * deviation / (target - rate);
  double needed = std::max(16.0, factor * factor);
  const auto enough = [&](double samples) {
    if (bound == BoundKind::clopper_pearson && samples > kExact) return true;
    const double events = std::ceil(rate * samples + kReserve * deviation * std::sqrt(samples));
    return events < samples && upper_bound(bound, static_cast<std::size_t>(events),
                                           static_cast<std::size_t>(samples), share) <= target;
  };
  while (needed <= kMost && !enough(std::ceil(needed))) needed *= 1.02;
  if (needed > kMost) return std::nullopt;
  return static_cast<std::size_t>(std::ceil(needed));
}

std::size_t add_reasons(const ReasonsProblem& problem, std::span<const Person> people,
                        std::span<Explanation> answers, const std::stop_token& stop) {
  std::vector<Hindered> hindered;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const bool none = answers[i].status == Status::infeasible;
    if (answers[i].obstacle && answers[i].obstacle->kind == ObstacleKind::models) continue;
    if (none || answers[i].status == Status::unmet) hindered.push_back({&people[i], &answers[i]});
  }
  if (hindered.empty()) return answers.size();
  const Reasons reasons(problem, stop);
  for (std::size_t first = 0; first < hindered.size(); first += kTogether) {
    const auto part =
        std::span(hindered).subspan(first, std::min(kTogether, hindered.size() - first));
    if (!stop.stop_requested()) reasons.find(part);
    if (stop.stop_requested()) {
      return static_cast<std::size_t>(part.front().answer - answers.data());
    }
  }
  return answers.size();
}

}  // namespace croco
