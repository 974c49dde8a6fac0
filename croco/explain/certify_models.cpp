// SPDX-License-Identifier: Apache-2.0
// Certificates over noise and retrained models. Everything that a person might be recommended is
// fixed before the first certifying model is asked: two candidates, the second with a lower rate on
// the search models. They are then tried in that fixed order, the safest first, and the first that
// misses the target ends the trials. A wrong candidate is certified only if the first wrong one of
// the order is, so trying several costs no error (fixed-sequence testing; Hsu and Berger 1999), and
// the cheapest of those that passed may be recommended.
#include <algorithm>
#include <cmath>
#include <utility>

#include <croco/base/error.hpp>
#include <croco/explain/assess_points.hpp>
#include <croco/explain/explainer_impl.hpp>
#include <croco/explain/model_change_answers.hpp>
#include <croco/explain/status_reasons.hpp>
#include <croco/robustness/error_budget.hpp>

namespace croco {
namespace {

/// The next multiple of the second significant digit: 0.1171 -> 0.12.
double rounded_up(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::round(std::ceil(value / unit - 1e-9) * unit * 1e9) / 1e9;
}

}  // namespace

Models certifying_models(const ModelPopulation& population) {
  Models out;
  for (const RetrainedModel& one : population.certify) out.push_back(one.model);
  return out;
}

Models search_models(const ModelPopulation& population) {
  Models out;
  for (const RetrainedModel& one : population.search) out.push_back(one.model);
  return out;
}

bool passes_models(const Explanation& answer, std::optional<double> target) {
  return answer.model_change && answer.valid && (!target || answer.model_change->bound <= *target);
}

void add_model_changes(const Problem& problem, const Models& models,
                       const ModelChangeOptions& options, unsigned threads,
                       std::span<Explanation* const> answers, const std::stop_token& stop) {
  std::vector<Advice> advice;
  std::vector<Explanation*> advised;
  for (Explanation* answer : answers) {
    if (!answer->has_advice()) continue;
    advice.push_back({answer->origin, answer->point, answer->row});
    advised.push_back(answer);
  }
  if (advice.empty()) return;
  std::vector<ModelChange> changes =
      certify_models(problem, models, advice, options, threads, stop);
  for (std::size_t i = 0; i < changes.size(); ++i) advised[i]->model_change = std::move(changes[i]);
}

void describe_disagreement(Explanation& answer) {
  Obstacle& obstacle = answer.obstacle.emplace();
  obstacle.kind = ObstacleKind::models;
  obstacle.record = answer.after;
  obstacle.point = answer.point;
  obstacle.score = answer.score;
  obstacle.valid = answer.valid;
  obstacle.distance = answer.distance;
  obstacle.lowest = answer.certificate;
  // What is stated of this point holds for every target: a higher one needs no further error.
  const double reached =
      rounded_up(std::max(answer.model_change->upper, answer.certificate->upper));
  if (!(reached < 1)) return;
  obstacle.relaxations.push_back({.kind = RelaxationKind::target,
                                  .value = reached,
                                  .after = answer.after,
                                  .distance = answer.distance,
                                  .certificate = *answer.certificate});
}

std::vector<std::vector<Explanation>> Explainer::Impl::candidates_of(
    std::span<const Person> people, const std::vector<Explanation>& answers,
    const std::stop_token& stop) const {
  std::vector<std::vector<Explanation>> candidates{answers};
  for (std::size_t attempt = 1; attempt < derived_.model_change.candidates; ++attempt) {
    std::vector<Explanation> next = candidates.back();
    std::vector<Pending> moved;
    std::vector<Attempt> from;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (!next[i].has_advice()) continue;
      moved.push_back({&people[i], &next[i]});
      from.push_back({next[i].origin, next[i].point, attempt, derived_.alternatives > 1});
    }
    recommend_all(moved, search_->retry_all(from, derived_.threads, stop), attempt);
    candidates.push_back(std::move(next));
  }
  return candidates;
}

void Explainer::Impl::certify_with_models(std::span<const Person> people,
                                          std::vector<Explanation>& answers,
                                          const std::stop_token& stop,
                                          const std::stop_token& given_up) const {
  const std::optional<double> target = target_of(derived_.method);
  std::vector<std::vector<Explanation>> candidates = candidates_of(people, answers, stop);

  // Samples are bound to a model once and meet all candidates of all people, also those that the
  // trials will not come to: each count is a function of the point alone.
  std::vector<Explanation*> counted;
  for (std::vector<Explanation>& some : candidates) {
    for (Explanation& one : some) counted.push_back(&one);
  }
  add_model_changes(problem_, certifying_, derived_.model_change, derived_.threads, counted,
                    given_up);
  if (given_up.stop_requested()) return;

  // The trials, the safest candidate first, by what the search models say: a candidate that was to
  // be safer may have become worse.
  std::vector<std::vector<Explanation*>> passed(answers.size());
  std::vector<Explanation*> fallback(answers.size(), nullptr);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<Explanation*> order;
    for (std::vector<Explanation>& some : candidates) {
      if (some[i].has_advice()) order.push_back(&some[i]);
    }
    std::ranges::stable_sort(order, {}, [](const Explanation* one) {
      return std::pair(one->method_rate.value_or(1), one->distance.cost);
    });
    for (Explanation* one : order) {
      if (fallback[i] == nullptr) fallback[i] = one;
      if (!passes_models(*one, target)) break;
      passed[i].push_back(one);
    }
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (passed[i].empty() && fallback[i] != nullptr) passed[i].push_back(fallback[i]);
    std::ranges::stable_sort(passed[i], {},
                             [](const Explanation* one) { return one->distance.cost; });
    if (!passed[i].empty()) answers[i] = *passed[i].front();
  }

  // The model in use, under noise: a candidate that fails there makes way for the next costlier
  // one, on fresh samples.
  const bool several = std::holds_alternative<Certified>(derived_.method);
  const std::size_t attempts = several ? kCertifiedAttempts : 1;
  CertifyOptions certify_options = derived_.certify;
  certify_options.attempts = !several && derived_.prove ? kAttemptsBesideProof : attempts;
  std::vector<Explanation*> pending;
  for (Explanation& answer : answers) pending.push_back(&answer);
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    if (attempt > 0) {
      std::erase_if(pending, [&](Explanation* answer) {
        const auto i = static_cast<std::size_t>(answer - answers.data());
        if (!answer->has_advice() || answer->target_met.value_or(true)) return true;
        if (attempt >= passed[i].size()) return true;
        *answer = *passed[i][attempt];
        return false;
      });
    }
    certify_options.attempt = attempt;
    add_certificates(problem_, certify_options, target, derived_.threads, pending, given_up);
    if (given_up.stop_requested()) return;
  }
  for (Explanation& answer : answers) {
    if (!answer.has_advice() || !answer.certificate || !answer.model_change) continue;
    const bool under_noise = answer.target_met.value_or(true);
    const bool over_models = passes_models(answer, target);
    if (target) answer.target_met = under_noise && over_models;
    if (!several) continue;
    answer.status = *answer.target_met ? Status::found : Status::unmet;
    answer.reason = *answer.target_met ? std::string()
                    : over_models      ? missed_bound_reason(answer.certificate->upper, *target)
                                       : missed_models_reason(answer.model_change->upper, *target);
  }
}

}  // namespace croco
