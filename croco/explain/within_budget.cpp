// SPDX-License-Identifier: Apache-2.0
// Answers within a query budget: the search runs on a surrogate, a pilot on the model finds how far
// the surrogate is off for this person, and few fresh samples certify. Samples of the pilot choose
// the point, so they come from another stream than those of certificates; samples of a certificate
// that failed choose the next point, which is certified on samples that come after them.
#include <algorithm>
#include <array>
#include <list>
#include <utility>

#include <fmt/format.h>

#include <croco/base/parallel.hpp>
#include <croco/explain/assess_points.hpp>
#include <croco/explain/explainer_impl.hpp>
#include <croco/explain/status_reasons.hpp>
#include <croco/methods/surrogate/surrogate_search.hpp>
#include <croco/remote/metered_model.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/space/features.hpp>

namespace croco {
namespace {

/// How likely a certificate should pass, by attempt: a safer point costs distance, a failed attempt
/// most of the rows. The last one had better pass.
constexpr std::array<double, kCertifiedAttempts> kPassing{0.9, 0.97, 0.99};
/// Samples of the pilots, far from those that calibrate searches (both are `Purpose::check`).
constexpr std::uint64_t kFirstPilot = std::uint64_t{1} << 30;
/// Steps back when the model refuses the point itself, and times that this is tried.
constexpr std::size_t kSaferSteps = 6;
constexpr std::size_t kSaferTrials = 1;
/// Candidates for one alternative at most.
constexpr std::size_t kCandidates = 6;

}  // namespace

/// One alternative of one person. Several candidates for it, which change different features, are
/// compared by the cost at which a certificate of each should pass.
class Explainer::Impl::WithinBudget {
 public:
  /// `rows` is what the model may be asked for. `answer` has what the search found. Further
  /// candidates are looked for unless its features are what tells it from another alternative.
  WithinBudget(const Impl& owner, const Person& person, Explanation& answer, std::size_t rows,
               bool same_features)
      : owner_(owner),
        spending_(*owner.spending_),
        search_(*owner.surrogate_search_),
        person_(person),
        answer_(answer),
        same_features_(same_features),
        asked_(*owner.loaded_.model, owner.loaded_.remote.get(), rows),
        problem_(asked_, owner.problem_.space, owner.problem_.noise, owner.derived_.goal,
                 owner.problem_.seed, owner.problem_.shared_draws) {}
  WithinBudget(const WithinBudget&) = delete;  // the problem refers to the model beside it
  WithinBudget& operator=(const WithinBudget&) = delete;

  [[nodiscard]] std::size_t queries() const noexcept { return asked_.used(); }

  /// Finds out where a certificate should pass, and at which candidate for the lowest cost.
  void pilot(const std::stop_token& stop) {
    find_candidates(stop);
    if (candidates_.empty()) return;
    std::size_t left = spending_.plan.pilot;
    std::uint64_t first = kFirstPilot;
    while (!stop.stop_requested()) {
      Candidate& best = cheapest();
      const std::size_t samples = std::min(next_part(best), left);
      if (samples == 0 || samples > affordable()) break;
      const Advice at{best.answer.origin, best.answer.point, best.answer.row};
      const Tally seen = tally(problem_, {&at, 1},
                               {.purpose = Purpose::check, .samples = samples, .first = first})[0];
      first += samples;
      left -= samples;
      best.observe({best.rate, seen.samples, seen.invalid});
      const std::size_t step = step_for(best, 0, certificate_samples(0));
      go_to(best, step, stop);
      add_found(step, stop);
    }
    // What the model was not asked about is a promise of the surrogate alone.
    std::erase_if(candidates_, [](const Candidate& one) { return one.samples == 0; });
  }

  void certify(const std::stop_token& stop) {
    while (!candidates_.empty() && !stop.stop_requested()) {
      const auto best = candidates_.begin() + (&cheapest() - candidates_.data());
      chosen_ = std::move(*best);
      candidates_.erase(best);
      certify_chosen(stop);
      if (chosen_->answer.certificate) break;
    }
    if (chosen_) conclude();
  }

 private:
  struct Candidate {
    Explanation answer;
    RateShift shift;
    std::size_t step = 0;
    double rate = 1.0;        ///< under the surrogate
    std::size_t samples = 0;  ///< of the model

    void observe(const RateObservation& seen) {
      shift.observe(seen);
      samples += seen.samples;
    }
  };

  /// Leaves it without a certificate when the model refuses its point.
  void certify_chosen(const std::stop_token& stop) {
    Candidate& now = *chosen_;
    for (std::size_t attempt = 0; attempt < kCertifiedAttempts; ++attempt) {
      const CertifyOptions options = certificate(attempt, certificate_samples(attempt));
      if (stop.stop_requested() || options.samples == 0 || !passing_count(options)) break;
      const Candidate before = now;
      if (attempt > 0) {
        now.observe({now.rate, now.answer.certificate->samples, now.answer.certificate->invalid});
        const std::size_t safer = std::max(step_for(now, attempt, options.samples), now.step + 1);
        go_to(now, std::min(safer, last_step()), stop);
      }
      const bool failed = attempt > 0 && now.answer.point == before.answer.point;
      if (failed || !settle(now, stop)) {
        if (attempt > 0) now = before;  // whose certificate there is
        break;
      }
      Explanation* const one = &now.answer;
      add_certificates(problem_, options, options.target, 1, {&one, 1}, stop);
      if (now.answer.target_met.value_or(false)) break;
    }
  }

  /// Samples that can still be asked for, besides the scores of points and what keeps watch.
  [[nodiscard]] std::size_t affordable() const {
    const std::size_t left = asked_.left();
    const std::size_t kept = 2 * asked_.price(1) + 3 * (asked_.price(1) - 1);
    if (left <= kept) return 0;
    std::size_t samples = left - kept;
    while (samples > 0 && asked_.price(samples) > left - kept) --samples;
    return samples;
  }

  /// Samples of an attempt at most: the first as planned, further ones with what is left.
  [[nodiscard]] std::size_t certificate_samples(std::size_t attempt) const {
    const std::size_t most = std::min(affordable(), owner_.derived_.certify.samples);
    return attempt == 0 ? std::min(most, spending_.plan.certificate) : most;
  }

  [[nodiscard]] CertifyOptions certificate(std::size_t attempt, std::size_t samples) const {
    CertifyOptions options = spending_.certify;
    options.attempt = attempt;
    return within_samples(options, samples);
  }

  /// The step at which a certificate of so many samples should pass.
  [[nodiscard]] std::size_t step_for(const Candidate& one, std::size_t attempt,
                                     std::size_t samples) const {
    const std::optional<std::size_t> most = passing_count(certificate(attempt, samples));
    return one.shift.step_to_pass(search_.rates(), samples, most.value_or(0), kPassing[attempt]);
  }

  [[nodiscard]] std::size_t last_step() const { return search_.rates().size() - 1; }

  /// Samples that a candidate should be asked about next; none when it has had all.
  [[nodiscard]] std::size_t next_part(const Candidate& one) const {
    const QueryPlan& plan = spending_.plan;
    if (one.samples == 0) return plan.first_part;
    return one.samples < plan.first_part + plan.second_part ? plan.second_part : 0;
  }

  /// Among those that are as likely to pass as they should be, if any, the one of the lowest cost.
  [[nodiscard]] Candidate& cheapest() {
    const auto order = [&](const Candidate& one) {
      const bool passes = one.step < last_step();
      return std::pair(passes ? 0 : 1, one.answer.distance.cost);
    };
    return *std::ranges::min_element(candidates_, {}, order);
  }

  /// What the search found, or where it found nothing, something at a higher rate; and the best
  /// changes that leave one of its features alone.
  void find_candidates(const std::stop_token& stop) {
    Explanation begun = answer_;
    std::size_t step = search_.first();
    while (!begun.has_advice() && step > 0 && !stop.stop_requested()) {
      step -= std::min(step, kSaferSteps);
      begun = recommended(search_.find_at(begun.origin, step, stop), step);
    }
    if (!begun.has_advice()) return;
    add(begun, step);
    if (same_features_) return;
    const Space& space = owner_.codec_.space();
    for (const std::size_t feature : changed_features(space, begun.origin, begun.point)) {
      if (candidates_.size() == kCandidates || stop.stop_requested()) return;
      const OtherWay other{begun.origin, {{feature}}};
      add(recommended(search_.find_others({&other, 1}, 1, stop).front(), step), step);
    }
  }

  /// The change that a search for this step finds, if its features are new.
  void add_found(std::size_t step, const std::stop_token& stop) {
    if (same_features_ || candidates_.size() == kCandidates) return;
    add(recommended(search_.find_at(answer_.origin, step, stop), step), step);
  }

  void add(Explanation answer, std::size_t step) {
    if (!answer.has_advice()) return;
    const Space& space = owner_.codec_.space();
    const auto features = [&](const Explanation& one) {
      return changed_features(space, one.origin, one.point);
    };
    for (const Candidate& one : candidates_) {
      if (features(one.answer) == features(answer)) return;
    }
    Candidate one{.answer = std::move(answer),
                  .shift = RateShift(spending_.surrogate->fit.prior),
                  .step = step};
    note_rate(one);
    candidates_.push_back(std::move(one));
    // The prior alone says where it should be; nothing of the model is known of it.
    go_to(candidates_.back(), step_for(candidates_.back(), 0, certificate_samples(0)), {});
  }

  /// The person's answer with what was found recommended.
  [[nodiscard]] Explanation recommended(const Counterfactual& found, std::size_t step) const {
    Explanation out = answer_;
    const Pending pending{&person_, &out};
    owner_.recommend_all({&pending, 1}, {&found, 1}, step);
    return out;
  }

  /// Scales a change to another step; it stays as it is when that leads nowhere.
  void go_to(Candidate& one, std::size_t step, const std::stop_token& stop) const {
    if (step == one.step) return;
    const Space& space = owner_.codec_.space();
    const Attempt attempt{one.answer.origin, one.answer.point, step, true};
    Explanation moved = recommended(search_.retry_all({&attempt, 1}, 1, stop).front(), step);
    if (!same_features_) {  // a search for this step may divide the change better
      Explanation found = recommended(search_.find_at(one.answer.origin, step, stop), step);
      const bool alike =
          found.has_advice() && changed_features(space, found.origin, found.point) ==
                                    changed_features(space, one.answer.origin, one.answer.point);
      const bool cheaper = !moved.has_advice() || found.distance.cost < moved.distance.cost;
      if (alike && cheaper) moved = std::move(found);
    }
    one.step = step;
    if (!moved.has_advice()) return;
    one.answer = std::move(moved);
    note_rate(one);
  }

  void note_rate(Candidate& one) const {
    one.rate = search_.judge(one.answer.origin, one.answer.point, one.step).rate.value_or(1);
  }

  /// Scores the point by the model, and goes to a safer one if the model refuses it. False when the
  /// rows are spent, or no accepted point was found.
  bool settle(Candidate& one, const std::stop_token& stop) const {
    for (std::size_t trial = 0; trial <= kSaferTrials; ++trial) {
      if (asked_.left() < asked_.price(1)) return false;
      const double logit = asked_.logit(one.answer.point);
      one.answer.score = sigmoid(logit);
      one.answer.valid = problem_.goal.reached(logit);
      if (one.answer.valid) return true;
      const Vector before = one.answer.point;
      if (trial < kSaferTrials) go_to(one, std::min(one.step + kSaferSteps, last_step()), stop);
      if (one.answer.point == before) break;
    }
    return false;
  }

  /// What counts is the certificate, and what the model says of the point.
  void conclude() {
    answer_ = chosen_->answer;
    answer_.method_rate = chosen_->shift.expected_rate(chosen_->rate);
    if (answer_.target_met.value_or(false)) {
      answer_.status = Status::found;
      answer_.reason.clear();
    } else if (answer_.certificate) {
      answer_.status = Status::unmet;
      answer_.reason =
          missed_bound_reason(answer_.certificate->upper, spending_.certify.target.value_or(0));
    } else {  // the model refuses the point
      answer_.status = Status::infeasible;
      answer_.reason = fmt::format(
          "within the query budget, no change was found after which the model's answer is class {}",
          problem_.goal.wanted());
    }
  }

  const Impl& owner_;
  const Spending& spending_;
  const SurrogateSearch& search_;
  const Person& person_;
  Explanation& answer_;
  bool same_features_;
  MeteredModel asked_;
  Problem problem_;  ///< of the metered model
  std::vector<Candidate> candidates_;
  std::optional<Candidate> chosen_;
};

std::vector<Explanation> Explainer::Impl::answer_within_budget(const Person& person,
                                                               const std::stop_token& stop) const {
  const MeteredModel asked(*loaded_.model, loaded_.remote.get(), derived_.query_budget->rows);
  Start begun = start(person, asked);
  std::vector<Explanation> answers;
  answers.push_back(std::move(begun.answer));
  std::size_t queries = 0;
  if (begun.searched) {
    const std::span<const Person> one(&person, 1);
    const Pending pending{&person, &answers.front()};
    const View origin = answers.front().origin;
    recommend_all({&pending, 1}, search_->find_all({&origin, 1}, 1, stop),
                  surrogate_search_->first());
    std::vector<std::vector<Explanation>> others = find_alternatives(one, answers, stop);
    std::vector<Explanation*> all{&answers.front()};
    for (std::vector<Explanation>& other : others) {
      if (other.front().has_advice()) all.push_back(&other.front());
    }
    // The rows that are left, in equal parts; all points are chosen before the first certificate.
    std::list<WithinBudget> alternatives;
    for (Explanation* one_of_them : all) {
      alternatives.emplace_back(*this, person, *one_of_them, asked.left() / all.size(),
                                derived_.alternatives > 1);
    }
    for (WithinBudget& alternative : alternatives) alternative.pilot(stop);
    for (WithinBudget& alternative : alternatives) alternative.certify(stop);
    for (const WithinBudget& alternative : alternatives) queries += alternative.queries();
    gather(std::move(others), answers);
  }
  answers.front().queries = queries + asked.used();
  return answers;
}

std::vector<Explanation> Explainer::Impl::answer_within_budget(std::span<const Person> people,
                                                               const std::stop_token& stop) const {
  std::vector<std::optional<Explanation>> made(people.size());
  parallel_for(people.size(), derived_.threads, [&](std::size_t i) {
    if (stop.stop_requested()) return;
    std::vector<Explanation> answers = answer_within_budget(people[i], stop);
    if (!stop.stop_requested()) made[i] = std::move(answers.front());
  });
  std::vector<Explanation> answers;
  for (std::optional<Explanation>& one : made) {
    if (!one) break;
    answers.push_back(std::move(*one));
  }
  return answers;
}

}  // namespace croco
