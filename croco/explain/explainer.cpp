// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/explainer.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/explain/assess.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

bool changed(const Codec& codec, std::size_t column, std::size_t feature, View origin, View point) {
  return codec.feature_of(column) == feature && origin[column] != point[column];
}

std::string percent(double share) { return fmt::format("{:.4g} %", 100 * share); }

void require_provable(const Method& method) {
  if (!target_of(method)) {
    throw InvalidArgument(
        fmt::format("a proof is about a target; method {} has none", name_of(method)));
  }
  if (is_as_published(method)) {
    throw InvalidArgument(
        "a proof is about admissible changes; methods as published ignore what is admissible");
  }
}

}  // namespace

std::string_view name_of(Status status) noexcept {
  constexpr std::array<std::string_view, 5> kNames{"found", "unmet", "infeasible", "already",
                                                   "error"};
  return kNames[static_cast<std::size_t>(status)];
}

Record told_record(const Codec& codec, const Record& before, View origin, View point) {
  Record told = codec.decode(point);
  for (std::size_t feature = 0; feature < told.size(); ++feature) {
    bool moved = false;
    for (std::size_t j = 0; j < point.size(); ++j) {
      moved = moved || changed(codec, j, feature, origin, point);
    }
    if (!moved) told[feature] = before[feature];
  }
  return told;
}

std::size_t features_changed(const Codec& codec, View origin, View point) {
  std::size_t count = 0;
  std::size_t last = codec.schema().features.size();
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (origin[j] != point[j] && codec.feature_of(j) != last) {
      last = codec.feature_of(j);
      ++count;
    }
  }
  return count;
}

Explainer::Explainer(std::shared_ptr<const Model> model, Codec codec, ExplainOptions options)
    : model_(std::move(model)),
      codec_(std::move(codec)),
      options_(std::move(options)),
      problem_{*model_,       codec_.space(), options_.noise,
               options_.goal, options_.seed,  options_.shared_draws} {
  validate(options_.certify);
  if (options_.prove) {
    validate(*options_.prove);
    require_provable(options_.method);
  }
  search_ = make_search(problem_, options_.method);
}

std::vector<Explanation> Explainer::explain(std::span<const Person> people,
                                            const std::stop_token& stop) const {
  std::vector<Explanation> answers(people.size());
  for (Explanation& unanswered : answers) unanswered.termination = Termination::cancelled;
  parallel_for(people.size(), options_.threads, [&](std::size_t i) {
    if (!stop.stop_requested()) answers[i] = answer(people[i], stop);
  });
  const auto unfinished =
      std::ranges::find(answers, Termination::cancelled, &Explanation::termination);
  answers.erase(unfinished, answers.end());

  certify_all(people, answers, stop);
  if (options_.prove) prove_all(answers, stop);
  return answers;
}

void Explainer::prove_all(std::vector<Explanation>& answers, const std::stop_token& stop) const {
  std::vector<ProveRequest> requests;
  std::vector<Explanation*> asked;
  for (Explanation& answer : answers) {
    if (!answer.has_advice() && answer.status != Status::infeasible) continue;
    const bool known = answer.has_advice() && answer.target_met.value_or(false);
    requests.push_back({answer.origin, known ? View(answer.point) : View(), answer.row});
    asked.push_back(&answer);
  }
  std::vector<Proof> proofs = prove(problem_, target_of(options_.method).value_or(0), requests,
                                    *options_.prove, options_.threads, stop);
  if (proofs.size() < requests.size()) {  // stopped: none of them is finished
    answers.clear();
    return;
  }
  for (std::size_t i = 0; i < proofs.size(); ++i) asked[i]->proof = std::move(proofs[i]);
}

void Explainer::certify_all(std::span<const Person> people, std::vector<Explanation>& answers,
                            const std::stop_token& stop) const {
  const std::optional<double> target = target_of(options_.method);
  const bool several = std::holds_alternative<Certified>(options_.method);
  CertifyOptions certify_options = options_.certify;
  std::vector<Explanation*> pending;
  pending.reserve(answers.size());
  for (Explanation& answer : answers) pending.push_back(&answer);
  for (std::size_t attempt = 0; attempt < (several ? kCertifiedAttempts : 1); ++attempt) {
    if (attempt > 0) {
      // Fresh draws for a point that was moved because the last ones failed it.
      std::erase_if(pending, [](const Explanation* answer) {
        return !answer->has_advice() || answer->target_met.value_or(true);
      });
      parallel_for(pending.size(), options_.threads, [&](std::size_t i) {
        Explanation& answer = *pending[i];
        const Person& person = people[static_cast<std::size_t>(&answer - answers.data())];
        tell(person, search_->retry(answer.origin, answer.point, attempt, stop), attempt, answer);
      });
    }
    if (several) {
      certify_options.attempt = attempt;
      certify_options.bound_confidence = attempt_confidence(options_.certify.confidence, attempt);
    }
    add_certificates(problem_, certify_options, target, options_.threads, pending);
  }
  if (!several) return;
  // What counts for this method is the certificate, not what the search expected of it.
  for (Explanation& answer : answers) {
    if (!answer.has_advice() || !answer.certificate) continue;
    if (answer.target_met.value_or(false)) {
      answer.status = Status::found;
      answer.termination = Termination::converged;
      answer.reason.clear();
      continue;
    }
    answer.status = Status::unmet;
    answer.termination = Termination::unmet;
    answer.reason = fmt::format("the certified bound is {}, above the target of {}",
                                percent(answer.certificate->upper), percent(target.value_or(0)));
  }
}

Explanation Explainer::answer(const Person& person, const std::stop_token& stop) const {
  Explanation out;
  out.row = person.row;
  out.where = person.where;
  out.before = person.record;
  if (!person.problem.empty()) {
    out.reason = person.problem;
    return out;
  }
  try {
    out.origin = codec_.encode(person.record, person.where, options_.missing);
  } catch (const MissingValue& error) {
    out.reason = error.what();
    out.missing = true;
    return out;
  } catch (const DataError& error) {
    out.reason = error.what();
    return out;
  }
  const double logit = model_->logit(out.origin);
  out.score_before = sigmoid(logit);
  if (problem_.goal.reached(logit)) {
    out.status = Status::already;
    return out;
  }
  tell(person, search_->find(out.origin, stop), 0, out);
  return out;
}

void Explainer::tell(const Person& person, const Counterfactual& found, std::size_t attempt,
                     Explanation& out) const {
  out.termination = found.termination;
  out.steps += found.steps;
  out.method_rate = found.method_rate;
  out.method_bound = found.method_bound;
  if (found.termination == Termination::cancelled) return;
  if (found.termination == Termination::infeasible) {
    out.status = Status::infeasible;
    out.reason =
        fmt::format("{} found no admissible change after which the model's answer is class {}",
                    name_of(options_.method), problem_.goal.wanted());
    return;
  }
  // What is told is a record; the point that is judged and certified is the one it encodes.
  // Nearest steps are cheaper; outward ones are for when they break the method's rule.
  Judgement judgement;
  for (const Rounding rounding : {Rounding::nearest, Rounding::outward}) {
    Vector rounded = found.point;
    if (!is_as_published(options_.method)) {
      round(codec_.space(), out.origin, rounded, rounding);
    }
    out.after = told_record(codec_, person.record, out.origin, rounded);
    out.point = codec_.encode(out.after, person.where, options_.missing);
    judgement = search_->judge(out.origin, out.point, attempt);
    if (judgement.satisfied) break;
  }
  out.method_rate = judgement.rate;
  out.method_bound = judgement.bound;
  out.valid = judgement.reached;
  out.score = sigmoid(model_->logit(out.point));
  out.distance = distances(codec_.space(), out.origin, out.point);
  out.features_changed = features_changed(codec_, out.origin, out.point);
  if (judgement.satisfied) {
    out.status = Status::found;
    out.termination = Termination::converged;
  } else if (judgement.reached) {
    out.status = Status::unmet;
    out.termination = Termination::unmet;
    const std::optional<double> target = target_of(options_.method);
    out.reason =
        judgement.bound
            ? fmt::format("the bound of {} is {}, above the target of {}", name_of(options_.method),
                          percent(*judgement.bound), percent(target.value_or(0)))
            : fmt::format("the rate that {} measured is {}, above the target of {}",
                          name_of(options_.method), percent(judgement.rate.value_or(0)),
                          percent(target.value_or(0)));
  } else {
    out.status = Status::infeasible;
    out.reason = fmt::format(
        "{} found a change that the model accepts, but not after rounding it to whole steps",
        name_of(options_.method));
  }
}

}  // namespace croco
