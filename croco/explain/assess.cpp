// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/assess.hpp>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/people.hpp>
#include <croco/explain/status_reasons.hpp>
#include <croco/models/model.hpp>

namespace croco {
namespace {

Vector encode_or_throw(const Codec& codec, const Person& person) {
  if (!person.problem.empty()) throw DataError(person.problem);
  return codec.encode(person.record, place_of(person));
}

Explanation judge(const Problem& problem, const Codec& codec, const AdvisedPerson& person) {
  Explanation out;
  out.row = person.before.row;
  out.where = person.before.where;
  out.kept = person.before.kept;
  out.before = person.before.record;
  out.after = person.after.record;
  try {
    out.origin = encode_or_throw(codec, person.before);
    out.point = encode_or_throw(codec, person.after);
  } catch (const DataError& error) {
    out.reason = error.what();
    return out;
  }
  const double logit = problem.model.logit(out.point);
  out.score_before = sigmoid(problem.model.logit(out.origin));
  out.score = sigmoid(logit);
  out.valid = problem.goal.reached(logit);
  out.distance = distances(codec.space(), out.origin, out.point);
  out.features_changed = features_changed(codec, out.origin, out.point);
  out.broken = broken_rules(codec, out.origin, out.point);
  out.status = out.valid ? Status::found : Status::unmet;
  out.termination = out.valid ? Termination::converged : Termination::unmet;
  if (!out.valid) {
    out.reason = refused_reason(problem.goal.wanted());
  }
  return out;
}

}  // namespace

void add_certificates(const Problem& problem, const CertifyOptions& options,
                      std::optional<double> target, unsigned threads,
                      std::span<Explanation* const> answers, const std::stop_token& stop) {
  std::vector<Advice> advice;
  std::vector<Explanation*> advised;
  for (Explanation* answer : answers) {
    if (!answer->has_advice()) continue;
    advice.push_back({answer->origin, answer->point, answer->row});
    advised.push_back(answer);
  }
  if (advice.empty()) return;
  CertifyOptions with_target = options;
  with_target.target = target;
  const std::vector<Certificate> certificates =
      certify(problem, advice, with_target, threads, stop);
  if (certificates.empty()) return;
  for (std::size_t i = 0; i < advised.size(); ++i) {
    advised[i]->certificate = certificates[i];
    if (target) advised[i]->target_met = advised[i]->valid && certificates[i].upper <= *target;
  }
}

std::vector<Explanation> assess(const Problem& problem, const Codec& codec,
                                std::span<const AdvisedPerson> people,
                                const CertifyOptions& options, std::optional<double> target,
                                unsigned threads, const std::stop_token& stop) {
  validate(problem);
  validate(options);
  if (target) require_open_unit("target", *target);
  std::vector<Explanation> answers(people.size());
  parallel_for(people.size(), threads,
               [&](std::size_t i) { answers[i] = judge(problem, codec, people[i]); });
  std::vector<Explanation*> all;
  for (Explanation& answer : answers) all.push_back(&answer);
  // Draws of their own: croco's own advice may have been moved because of those of its search.
  CertifyOptions audit = options;
  audit.purpose = Purpose::audit;
  add_certificates(problem, audit, target, threads, all, stop);
  if (stop.stop_requested()) return {};
  return answers;
}

}  // namespace croco
