// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/explainer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/data/cell.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/people.hpp>
#include <croco/explain/reasons.hpp>
#include <croco/explain/relation_conflict.hpp>
#include <croco/explain/status_reasons.hpp>
#include <croco/explain/time_limit.hpp>
#include <croco/methods/relation_steps.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

bool changed(const Codec& codec, std::size_t column, std::size_t feature, View origin, View point) {
  return codec.feature_of(column) == feature && origin[column] != point[column];
}

/// Apart by no more than telling and encoding a value may do. Whether a point meets its target is
/// for the certificate to say, which is about what is told; the search's own rule is settled.
bool same_point(View a, View b) {
  constexpr double kTelling = 1e-9;
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::abs(x - y) <= kTelling * std::max(1.0, std::abs(x));
  });
}

void require_options(const ExplainOptions& options) {
  constexpr std::size_t kMostOptions = 16;
  if (options.options < 1 || options.options > kMostOptions) {
    throw InvalidArgument(fmt::format("options is {}; it must be a whole number from 1 to {}",
                                      options.options, kMostOptions));
  }
  if (options.disjoint && options.options == 1) {
    throw InvalidArgument("disjoint is about several options; only one is asked for");
  }
  if (options.options > 1 && !std::holds_alternative<Certified>(options.method)) {
    throw InvalidArgument(
        fmt::format("options is {}; several can only be had with method certified, not {}",
                    options.options, name_of(options.method)));
  }
}

/// The search prepares for the certificates that will be issued: a point that aims at a weaker
/// confidence, or at more draws, would fail them.
ExplainOptions prepared(ExplainOptions options) {
  require_options(options);
  if (auto* certified = std::get_if<Certified>(&options.method)) {
    // Options hold together, like people of a family.
    options.certify.family *= options.options;
    CertifyOptions certify = options.certify;
    certify.target = certified->target;
    certified->confidence = last_look_confidence(certify);
    certified->certificate_samples = certify.samples;
    // The closed form's search knows one way; further ones are found on draws.
    certified->exact = certify.exact && options.options == 1;
  }
  return options;
}

/// A limit of the request, not of the data: the schema stays the one that certificates name.
Codec limited(Codec codec, const ExplainOptions& options) {
  if (!options.max_changes) return codec;
  if (*options.max_changes == 0) throw InvalidArgument("max_changes is 0; it must be at least 1");
  return codec.with_most_changed(*options.max_changes);
}

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
  constexpr std::array<std::string_view, kStatuses> kNames{"found",   "unmet", "infeasible",
                                                           "already", "error", "undecided"};
  return kNames[static_cast<std::size_t>(status)];
}

Record told_record(const Codec& codec, const Record& present, View origin, View point) {
  // What is certified is what is reported: a value that was filled in is part of the advice.
  const Record before = codec.filled(present);
  Record told = codec.decode(point);
  for (std::size_t feature = 0; feature < told.size(); ++feature) {
    bool moved = false;
    for (std::size_t j = 0; j < point.size(); ++j) {
      moved = moved || changed(codec, j, feature, origin, point);
    }
    // A change that is lost in the digits that are told is none.
    if (codec.schema().features[feature].type == FeatureType::numeric) {
      moved = moved && cell_number(told[feature]) != cell_number(before[feature]);
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
      codec_(limited(std::move(codec), options)),
      given_(std::move(options)),
      options_(prepared(given_)),
      problem_{*model_,       codec_.space(), options_.noise,
               options_.goal, options_.seed,  options_.shared_draws} {
  validate(options_.certify);
  if (!options_.certificates && std::holds_alternative<Certified>(options_.method)) {
    throw InvalidArgument("method certified cannot do without certificates");
  }
  validate_time_limit(options_);
  if (options_.prove) {
    validate(*options_.prove);
    require_provable(options_.method);
  }
  search_ = make_search(problem_, options_.method, options_.threads);
}

std::vector<Explanation> Explainer::explain(std::span<const Person> people,
                                            const std::stop_token& stop) const {
  if (options_.missing == MissingPolicy::keep) return explain_kept(people, stop);
  return explain_alike(people, stop);
}

std::vector<Explanation> Explainer::answer_all(std::span<const Person> people,
                                               const std::stop_token& stop,
                                               const std::stop_token& limit) const {
  std::vector<Explanation> answers(people.size());
  parallel_for(people.size(), options_.threads,
               [&](std::size_t i) { answers[i] = before(people[i]); });
  std::vector<Told> searched;
  std::vector<View> origins;
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (answers[i].status != Status::infeasible || !answers[i].reason.empty()) continue;
    searched.push_back({&people[i], &answers[i]});
    origins.push_back(answers[i].origin);
  }
  std::vector<Counterfactual> found = search_->find_all(origins, options_.threads, limit);
  if (limit.stop_requested() && !stop.stop_requested()) {
    for (std::size_t i = 0; i < found.size(); ++i) end_search(found[i], *searched[i].answer);
  }
  tell_all(searched, found, 0);
  const auto unfinished =
      std::ranges::find(answers, Termination::cancelled, &Explanation::termination);
  answers.erase(unfinished, answers.end());

  // Every way is chosen before any certificate is drawn, so that no certificate helps to choose.
  std::vector<std::vector<Explanation>> others = other_ways(people, answers, limit);
  if (options_.certificates) certify_all(people, answers, limit);
  for (std::vector<Explanation>& way : others) certify_all(people, way, limit);
  if (stop.stop_requested() && options_.options > 1) return {};
  gather(std::move(others), answers);
  if (options_.reasons && std::holds_alternative<Certified>(options_.method)) {
    ExplainOptions alone = options_;  // its share of the error is settled
    alone.options = 1;
    const std::size_t complete =
        add_reasons({model_, codec_, alone}, people.first(answers.size()), answers, limit);
    if (limit.stop_requested() && !stop.stop_requested()) {
      end_reasons(answers);
    } else {
      answers.resize(complete);
    }
  }
  if (options_.prove) prove_all(answers, stop);
  return answers;
}

void Explainer::certify_all(std::span<const Person> people, std::vector<Explanation>& answers,
                            const std::stop_token& stop) const {
  const std::optional<double> target = target_of(options_.method);
  const bool several = std::holds_alternative<Certified>(options_.method);
  const std::size_t attempts = several ? kCertifiedAttempts : 1;
  CertifyOptions certify_options = options_.certify;
  certify_options.attempts = !several && options_.prove ? kAttemptsBesideProof : attempts;
  std::vector<Explanation*> pending;
  pending.reserve(answers.size());
  for (Explanation& answer : answers) pending.push_back(&answer);
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    if (attempt > 0) {
      // Fresh draws for a point that was moved because the last ones failed it.
      std::erase_if(pending, [](const Explanation* answer) {
        return !answer->has_advice() || answer->target_met.value_or(true);
      });
      std::vector<Told> moved;
      std::vector<Attempt> failed;
      for (Explanation* answer : pending) {
        moved.push_back({&people[static_cast<std::size_t>(answer - answers.data())], answer});
        // What tells several options apart is their features.
        failed.push_back({answer->origin, answer->point, attempt, options_.options > 1});
      }
      tell_all(moved, search_->retry_all(failed, options_.threads, stop), attempt);
    }
    certify_options.attempt = attempt;
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
    answer.reason = missed_bound_reason(answer.certificate->upper, target.value_or(0));
  }
}

Explanation Explainer::before(const Person& person) const {
  Explanation out;
  out.row = person.row;
  out.where = person.where;
  out.kept = person.kept;
  out.before = person.record;
  if (!person.problem.empty()) {
    out.reason = person.problem;
    return out;
  }
  try {
    out.origin = codec_.encode(person.record, place_of(person), options_.missing);
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
  out.status = problem_.goal.reached(logit) ? Status::already : Status::infeasible;
  if (out.status == Status::already || is_as_published(options_.method)) return out;
  out.reason = ratio_fault(codec_, out.origin, place_of(person));
  if (!out.reason.empty()) {
    out.status = Status::error;
  } else if (const auto conflict = relation_conflict(codec_, out.origin)) {
    out.reason = fmt::format("no admissible change keeps {}",
                             relation_names(codec_.schema(), conflict->relations));
  }
  return out;
}

void Explainer::tell_all(std::span<const Told> people, std::span<const Counterfactual> found,
                         std::size_t attempt) const {
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < people.size(); ++i) {
    Explanation& out = *people[i].answer;
    out.termination = found[i].termination;
    out.steps += found[i].steps;
    if (found[i].termination == Termination::cancelled) continue;
    if (found[i].termination == Termination::infeasible) {
      out.status = Status::infeasible;
      out.method_rate = found[i].method_rate;
      out.method_bound = found[i].method_bound;
      out.reason =
          out.obstacle
              ? fmt::format("the time limit of {:.4g} s was reached before {} found a change",
                            options_.time_limit.value_or(0), name_of(options_.method))
              : fmt::format(
                    "{} found no admissible change after which the model's answer is class {}",
                    name_of(options_.method), problem_.goal.wanted());
      continue;
    }
    pending.push_back(i);
  }
  // What is told is a record; the point that is judged and certified is the one it encodes.
  // Nearest steps are cheaper; outward ones are for when they break the method's rule.
  std::vector<Judgement> judgements(people.size());
  std::vector<char> described(people.size());
  for (const Rounding rounding : {Rounding::nearest, Rounding::outward}) {
    std::vector<std::size_t> unjudged;
    std::vector<Attempt> points;
    std::vector<char> told(people.size());
    parallel_for(pending.size(), options_.threads, [&](std::size_t k) {
      const std::size_t i = pending[k];
      told[i] = tell(*people[i].person, found[i].point, rounding, *people[i].answer) ? 1 : 0;
    });
    for (const std::size_t i : pending) {
      if (told[i] == 0) continue;
      described[i] = 1;
      const Explanation& out = *people[i].answer;
      if (found[i].termination == Termination::converged && same_point(out.point, found[i].point)) {
        judgements[i] = {.reached = true,
                         .satisfied = true,
                         .rate = found[i].method_rate,
                         .bound = found[i].method_bound};
        continue;
      }
      unjudged.push_back(i);
      points.push_back({out.origin, out.point, attempt});
    }
    const std::vector<Judgement> judged = search_->judge_all(points, options_.threads);
    for (std::size_t k = 0; k < unjudged.size(); ++k) judgements[unjudged[k]] = judged[k];
    for (const std::size_t i : pending) {
      if (told[i] != 0) describe(judgements[i], *people[i].answer);
    }
    std::erase_if(pending, [&](std::size_t i) { return judgements[i].satisfied; });
  }
  for (const std::size_t i : pending) {
    if (described[i] != 0) continue;
    Explanation& out = *people[i].answer;
    Vector rounded = found[i].point;
    round(codec_.space(), out.origin, rounded, Rounding::nearest);
    out.status = Status::infeasible;
    out.reason = fmt::format(
        "{} found a change that the model accepts, but on whole steps it breaks {}",
        name_of(options_.method),
        relation_names(codec_.schema(), broken_relations(codec_.space(), out.origin, rounded)));
  }
}

bool Explainer::tell(const Person& person, View point, Rounding rounding, Explanation& out) const {
  Vector rounded(point.begin(), point.end());
  const bool free = is_as_published(options_.method);
  if (!free && !round_within_relations(codec_.space(), out.origin, rounded, rounding)) return false;
  Record after = told_record(codec_, person.record, out.origin, rounded);
  Vector encoded = codec_.encode(after, place_of(person), options_.missing);
  if (!free && !broken_relations(codec_.space(), out.origin, encoded).empty()) return false;
  if (!free && features_changed(codec_, out.origin, encoded) > codec_.space().most_changed) {
    return false;
  }
  out.after = std::move(after);
  out.point = std::move(encoded);
  return true;
}

void Explainer::describe(const Judgement& judgement, Explanation& out) const {
  out.method_rate = judgement.rate;
  out.method_bound = judgement.bound;
  out.valid = judgement.reached;
  out.score = sigmoid(model_->logit(out.point));
  out.distance = distances(codec_.space(), out.origin, out.point);
  out.features_changed = features_changed(codec_, out.origin, out.point);
  out.reason.clear();
  if (judgement.satisfied) {
    out.status = Status::found;
    out.termination = Termination::converged;
  } else if (judgement.reached) {
    out.status = Status::unmet;
    out.termination = Termination::unmet;
    out.reason = missed_rule_reason(name_of(options_.method), judgement.rate, judgement.bound,
                                    target_of(options_.method).value_or(0));
  } else {
    out.status = Status::infeasible;
    out.reason = fmt::format(
        "{} found a change that the model accepts, but not after rounding it to whole steps",
        name_of(options_.method));
  }
}

}  // namespace croco
