// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/assess.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/explain/advice_stream.hpp>
#include <croco/explain/assess_points.hpp>
#include <croco/explain/broken_rules.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/explain/model_change_answers.hpp>
#include <croco/explain/recommendation.hpp>
#include <croco/explain/status_reasons.hpp>
#include <croco/loading/people.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {
namespace {

Vector encode_or_throw(const Codec& codec, const Person& person, MissingPolicy missing) {
  if (!person.problem.empty()) throw DataError(person.problem);
  return codec.encode(person.record, place_of(person), missing);
}

Explanation judge(const Problem& problem, const Codec& codec, const AdvisedPerson& person,
                  MissingPolicy missing) {
  Explanation out;
  out.row = person.before.row;
  out.where = person.before.where;
  out.kept = person.before.kept;
  out.before = person.before.record;
  out.after = person.after.record;
  out.missing_features = codec.missing();
  try {
    out.origin = encode_or_throw(codec, person.before, missing);
    out.point = encode_or_throw(codec, person.after, missing);
    // What is certified is what is reported: a value that was filled in is part of the record.
    if (missing == MissingPolicy::impute) out.after = codec.filled(std::move(out.after));
  } catch (const MissingValue& error) {
    out.reason = error.what();
    out.missing = true;
    return out;
  } catch (const DataError& error) {
    out.reason = error.what();
    return out;
  }
  const double logit = problem.model.logit(out.point);
  out.score_before = sigmoid(problem.model.logit(out.origin));
  out.valid = problem.goal.reached(logit);
  describe_point(problem.model, codec, out);
  out.broken = broken_rules(codec, out.origin, out.point);
  out.status = out.valid ? Status::found : Status::unmet;
  if (!out.valid) {
    out.reason = refused_reason(problem.goal.wanted());
  }
  return out;
}

/// The pair with empty texts for what is missing, or why the records do not belong together.
std::string blank_pair(const Codec& codec, AdvisedPerson& pair) {
  const std::vector<std::size_t> before = codec.missing_features(pair.before.record);
  const std::vector<std::size_t> after = codec.missing_features(pair.after.record);
  const bool readable = pair.before.problem.empty() && pair.after.problem.empty();
  for (std::size_t f = 0; f < codec.schema().features.size() && readable; ++f) {
    const bool lacks = std::ranges::binary_search(before, f);
    if (lacks == std::ranges::binary_search(after, f)) continue;
    return fmt::format(
        "column '{}': the value is missing in the {} record and given in the other; "
        "values that stay missing are missing in both",
        codec.schema().features[f].name, lacks ? "present" : "advised");
  }
  pair.before.record = with_blanks(codec, std::move(pair.before.record));
  pair.after.record = with_blanks(codec, std::move(pair.after.record));
  return {};
}

/// People who lack the same values are assessed together, with a model of their own.
std::vector<Explanation> assess_kept(const Problem& problem, const Codec& codec,
                                     std::span<const AdvisedPerson> people,
                                     const CertifyOptions& options, std::optional<double> target,
                                     unsigned threads, const std::stop_token& stop,
                                     const ModelOfCodec& models) {
  std::vector<Explanation> answers(people.size());
  std::vector<AdvisedPerson> pairs(people.begin(), people.end());
  std::vector<Person> present;
  for (const AdvisedPerson& pair : pairs) present.push_back(pair.before);
  const std::vector<MissingPattern> patterns = missing_patterns(codec, present);
  parallel_for(patterns.size(), threads, [&](std::size_t p) {
    std::vector<AdvisedPerson> members;
    std::vector<std::size_t> places;
    const auto refuse = [&](std::size_t i, const std::string& rule) {
      answers[i] = refused_answer(people[i].after, rule);
      answers[i].row = people[i].before.row;
      answers[i].before = people[i].before.record;
    };
    for (const std::size_t i : patterns[p].members) {
      const std::string fault = blank_pair(codec, pairs[i]);
      if (!fault.empty()) {
        refuse(i, fault);
        continue;
      }
      members.push_back(std::move(pairs[i]));
      places.push_back(i);
    }
    const std::vector<std::size_t>& features = patterns[p].features;
    std::vector<Explanation> some;
    if (features.empty()) {
      some = assess(problem, codec, members, options, target, threads, stop);
    } else {
      std::optional<PartialModel> partial;
      try {
        partial = partial_model(models, codec, features);
      } catch (const Error& error) {
        for (const std::size_t i : places) refuse(i, error.what());
        return;
      }
      const Problem own{*partial->model, partial->codec.space(), problem.noise,
                        problem.goal,    problem.seed,           problem.shared_draws};
      some = assess(own, partial->codec, members, options, target, threads, stop);
    }
    for (std::size_t k = 0; k < some.size(); ++k) answers[places[k]] = std::move(some[k]);
  });
  if (stop.stop_requested()) return {};
  return answers;
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
                                unsigned threads, const std::stop_token& stop,
                                const MissingValues& missing) {
  validate(problem);
  validate(options);
  if (target) require_open_unit("target", *target);
  if (missing.policy == MissingPolicy::keep) {
    return assess_kept(problem, codec, people, options, target, threads, stop, missing.models);
  }
  std::vector<Explanation> answers(people.size());
  parallel_for(people.size(), threads, [&](std::size_t i) {
    answers[i] = judge(problem, codec, people[i], missing.policy);
  });
  std::vector<Explanation*> all;
  for (Explanation& answer : answers) all.push_back(&answer);
  // Draws of their own: croco's own advice may have been moved because of those of its search.
  CertifyOptions audit = options;
  audit.purpose = Purpose::audit;
  add_certificates(problem, audit, target, threads, all, stop);
  if (stop.stop_requested()) return {};
  return answers;
}

std::vector<Explanation> assess(const LoadedModel& model, std::span<const AdvisedPerson> people,
                                const AssessOptions& options, const std::stop_token& stop) {
  require_threshold(model, options.goal.threshold());
  const Problem problem{*model.model,
                        model.codec.space(),
                        options.noise ? *options.noise : default_noise(model.codec),
                        options.goal,
                        options.seed,
                        options.shared_draws};
  std::vector<Explanation> answers =
      assess(problem, model.codec, people, options.certify, options.target, options.threads, stop,
             {options.missing, model.models});
  if (!options.models || answers.empty()) return answers;
  if (options.missing == MissingPolicy::keep) {
    throw InvalidArgument(
        "missing is 'keep' with retrained models; it must be error, drop or impute then");
  }
  ModelChangeOptions change = options.model_change;
  change.family = options.certify.family;
  change.target = options.target;
  change.purpose = Purpose::models_audit;
  std::vector<Explanation*> all;
  for (Explanation& answer : answers) all.push_back(&answer);
  add_model_changes(problem, certifying_models(*options.models), change, options.threads, all,
                    stop);
  if (stop.stop_requested()) return {};
  for (Explanation& answer : answers) {
    if (!answer.target_met) continue;
    answer.target_met = *answer.target_met && passes_models(answer, options.target);
  }
  return answers;
}

std::vector<AdvisedPerson> read_advice(const std::filesystem::path& people,
                                       const std::filesystem::path& advice, const Schema& schema) {
  AdviceStream pairs(RowSource::file(people), RowSource::file(advice), schema);
  return pairs.next(pairs.count());
}

}  // namespace croco
