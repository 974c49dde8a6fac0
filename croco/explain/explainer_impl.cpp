// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/explainer_impl.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/explain/assess_points.hpp>
#include <croco/explain/derived_options.hpp>
#include <croco/explain/model_change_answers.hpp>
#include <croco/explain/reasons/reasons.hpp>
#include <croco/explain/reasons/relation_conflict.hpp>
#include <croco/explain/recommendation.hpp>
#include <croco/explain/restriction.hpp>
#include <croco/explain/status_reasons.hpp>
#include <croco/explain/time_limit.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/sample_cache.hpp>
#include <croco/space/admissible.hpp>

namespace croco {
namespace {

/// Apart by no more than writing and encoding a value may do. Whether a point meets its target is
/// for the certificate to say, which is about what is recommended; the search's own rule is
/// settled.
bool same_point(View a, View b) {
  constexpr double kWriting = 1e-9;
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::abs(x - y) <= kWriting * std::max(1.0, std::abs(x));
  });
}

/// Limits of the request, not of the data: the schema stays the one that certificates name.
Codec limited(const Codec& codec, const ExplainOptions& options) {
  if (options.max_changes == std::size_t{0}) {
    throw InvalidArgument("max_changes is 0; it must be at least 1");
  }
  Codec out = restricted(codec, options.restrictions);
  const std::size_t most = options.max_changes.value_or(codec.space().most_changed);
  if (most != out.space().most_changed) return out.with_most_changed(most);
  return out;
}

std::shared_ptr<const BoundSamples> kept_samples(const ExplainOptions& options,
                                                 const std::shared_ptr<const Model>& model,
                                                 const Space& space) {
  if (!options.samples) return nullptr;
  if (model->width() != space.width()) return nullptr;  // which is about to be refused
  return options.samples->of(model, *options.noise, space);
}

/// What noise samples of a search are bound to, when its changes have to survive retraining. The
/// published methods know the model in use alone.
std::shared_ptr<const ModelPool> pool_of_search(const ExplainOptions& options, const Space& space) {
  if (!options.models || !std::holds_alternative<Certified>(options.method)) return nullptr;
  std::vector<std::size_t> free;
  for (std::size_t j = 0; j < space.width(); ++j) {
    if (space.columns[j].continuous) free.push_back(j);
  }
  return std::make_shared<const ModelPool>(search_models(*options.models), free);
}

}  // namespace

Explainer::Impl::Impl(LoadedModel model, ExplainOptions options, const std::stop_token& stop)
    : loaded_(std::move(model)),
      codec_(limited(loaded_.codec, options)),
      noise_source_(source_of(options, codec_.schema())),
      given_(completed(std::move(options), loaded_)),
      derived_(derived(given_)),
      problem_{*loaded_.model,
               codec_.space(),
               derived_.noise.value(),
               derived_.goal,
               derived_.seed,
               derived_.shared_draws,
               kept_samples(derived_, loaded_.model, codec_.space())},
      spending_(spending(loaded_, problem_, derived_, stop)),
      search_problem_{spending_ ? *spending_->surrogate->fit.model : problem_.model,
                      problem_.space,
                      problem_.noise,
                      derived_.goal,
                      problem_.seed,
                      problem_.shared_draws,
                      problem_.kept,
                      pool_of_search(derived_, codec_.space())} {
  // Which is of the model alone.
  if (search_problem_.pool || spending_) search_problem_.kept = nullptr;
  if (derived_.models) certifying_ = certifying_models(*derived_.models);
  validate(loaded_, derived_);
  if (spending_) {
    auto search = make_surrogate_search(*spending_, search_problem_, derived_);
    surrogate_search_ = search.get();
    search_ = std::move(search);
  } else {
    search_ = make_search(search_problem_, derived_.method, derived_.threads);
  }
  if (given_.reason_codes > 0) reasons_.emplace(loaded_, given_.goal, given_.reason_codes);
  if (given_.plausibility) plausibility_.emplace(loaded_, given_.goal);
}

std::vector<Explanation> Explainer::Impl::explain(std::span<const Person> people,
                                                  const std::stop_token& stop) const {
  std::vector<Explanation> answers = derived_.missing == MissingPolicy::keep
                                         ? explain_kept(people, stop)
                                         : explain_alike(people, stop);
  compare_with_accepted(*loaded_.model, codec_, answers);
  return answers;
}

std::vector<Explanation> Explainer::Impl::answer_all(std::span<const Person> people,
                                                     const std::stop_token& stop,
                                                     const std::stop_token& limit) const {
  if (spending_) return answer_within_budget(people, stop);
  std::vector<Start> starts(people.size());
  parallel_for(people.size(), derived_.threads,
               [&](std::size_t i) { starts[i] = start(people[i], problem_.model); });
  std::vector<Explanation> answers;
  answers.reserve(people.size());
  for (Start& one : starts) answers.push_back(std::move(one.answer));
  std::vector<Pending> searched;
  std::vector<View> origins;
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (!starts[i].searched) continue;
    searched.emplace_back(&people[i], &answers[i]);
    origins.emplace_back(answers[i].origin);
  }
  std::vector<Counterfactual> found = search_->find_all(origins, derived_.threads, limit);
  if (limit.stop_requested() && !stop.stop_requested()) {
    for (std::size_t i = 0; i < found.size(); ++i) end_search(found[i], *searched[i].answer);
  }
  recommend_all(searched, found, 0);
  const auto unfinished =
      std::ranges::find(found, Termination::cancelled, &Counterfactual::termination);
  if (unfinished != found.end()) {
    const Pending& first = searched[static_cast<std::size_t>(unfinished - found.begin())];
    answers.resize(static_cast<std::size_t>(first.answer - answers.data()));
  }

  // Every alternative is chosen before any certificate is made, so that none helps to choose.
  std::vector<std::vector<Explanation>> others = find_alternatives(people, answers, limit);
  // Nobody's finished answer is lost when the certificate of one person alone is given up.
  const bool single = people.size() == 1;
  const std::stop_token given_up = single ? stop : std::stop_token();
  if (derived_.certificates) certify_all(people, answers, limit, given_up);
  for (std::vector<Explanation>& some : others) certify_all(people, some, limit, given_up);
  if (stop.stop_requested() && (single || derived_.alternatives > 1)) return {};
  gather(std::move(others), answers);
  if (derived_.reasons && std::holds_alternative<Certified>(derived_.method)) {
    for (Explanation& answer : answers) {
      if (answer.model_change && answer.certificate && answer.status == Status::unmet &&
          !passes_models(answer, target_of(derived_.method))) {
        describe_disagreement(answer);
      }
    }
    ExplainOptions alone = derived_;  // its share of the error is settled
    alone.alternatives = 1;
    const std::size_t complete =
        add_reasons({loaded_.model, codec_, alone}, people.first(answers.size()), answers, limit);
    if (limit.stop_requested() && !stop.stop_requested()) {
      end_reasons(answers);
    } else {
      answers.resize(complete);
    }
  }
  if (derived_.prove) prove_all(answers, stop);
  return answers;
}

void Explainer::Impl::certify_all(std::span<const Person> people, std::vector<Explanation>& answers,
                                  const std::stop_token& stop,
                                  const std::stop_token& given_up) const {
  if (derived_.models) return certify_with_models(people, answers, stop, given_up);
  const std::optional<double> target = target_of(derived_.method);
  const bool several = std::holds_alternative<Certified>(derived_.method);
  const std::size_t attempts = several ? kCertifiedAttempts : 1;
  CertifyOptions certify_options = derived_.certify;
  certify_options.attempts = !several && derived_.prove ? kAttemptsBesideProof : attempts;
  std::vector<Explanation*> pending;
  pending.reserve(answers.size());
  for (Explanation& answer : answers) pending.push_back(&answer);
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    if (attempt > 0) {
      // Fresh samples for a point that was moved because the last ones failed it.
      std::erase_if(pending, [](const Explanation* answer) {
        return !answer->has_advice() || answer->target_met.value_or(true);
      });
      std::vector<Pending> moved;
      std::vector<Attempt> failed;
      for (Explanation* answer : pending) {
        moved.push_back({&people[static_cast<std::size_t>(answer - answers.data())], answer});
        // What tells several alternatives apart is their features.
        failed.push_back({answer->origin, answer->point, attempt, derived_.alternatives > 1});
      }
      recommend_all(moved, search_->retry_all(failed, derived_.threads, stop), attempt);
    }
    certify_options.attempt = attempt;
    add_certificates(problem_, certify_options, target, derived_.threads, pending, given_up);
    if (given_up.stop_requested()) return;
  }
  if (!several) return;
  // What counts for this method is the certificate, not what the search expected of it.
  for (Explanation& answer : answers) {
    if (!answer.has_advice() || !answer.certificate) continue;
    if (answer.target_met.value_or(false)) {
      answer.status = Status::found;
      answer.reason.clear();
      continue;
    }
    answer.status = Status::unmet;
    answer.reason = missed_bound_reason(answer.certificate->upper, target.value_or(0));
  }
}

Explainer::Impl::Start Explainer::Impl::start(const Person& person, const Model& model) const {
  Start start;
  Explanation& out = start.answer;
  out.row = person.row;
  out.where = person.where;
  out.kept = person.kept;
  out.before = person.record;
  if (!person.problem.empty()) {
    out.reason = person.problem;
    return start;
  }
  try {
    out.origin = codec_.encode(person.record, place_of(person), derived_.missing);
  } catch (const MissingValue& error) {
    out.reason = error.what();
    out.missing = true;
    return start;
  } catch (const DataError& error) {
    out.reason = error.what();
    return start;
  }
  const double logit = model.logit(out.origin);
  out.score_before = sigmoid(logit);
  out.status = problem_.goal.reached(logit) ? Status::already : Status::infeasible;
  if (out.status == Status::already) return start;
  start.searched = true;
  if (is_as_published(derived_.method)) return start;
  out.reason = ratio_fault(codec_, out.origin, place_of(person));
  if (!out.reason.empty()) {
    out.status = Status::error;
    start.searched = false;
  } else if (const auto conflict = relation_conflict(codec_, out.origin)) {
    out.reason = fmt::format("no admissible change keeps {}",
                             relation_names(codec_.schema(), conflict->relations));
    start.searched = false;
  }
  return start;
}

void Explainer::Impl::recommend_all(std::span<const Pending> people,
                                    std::span<const Counterfactual> found,
                                    std::size_t attempt) const {
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < people.size(); ++i) {
    Explanation& out = *people[i].answer;
    out.steps += found[i].steps;
    if (found[i].termination == Termination::cancelled) continue;
    if (found[i].termination == Termination::infeasible) {
      out.status = Status::infeasible;
      out.method_rate = found[i].method_rate;
      out.method_bound = found[i].method_bound;
      out.reason =
          out.obstacle
              ? fmt::format("the time limit of {:.4g} s was reached before {} found a change",
                            derived_.time_limit.value_or(0), name_of(derived_.method))
              : fmt::format(
                    "{} found no admissible change after which the model's answer is class {}",
                    name_of(derived_.method), problem_.goal.wanted());
      continue;
    }
    pending.push_back(i);
  }
  // What is recommended is a record; the point that is judged and certified is the one it encodes.
  // Few digits come first, for people to read. Nearest steps are cheaper; outward ones are for when
  // they break the method's rule.
  std::vector<Judgement> judgements(people.size());
  std::vector<char> described(people.size());
  constexpr std::array kWritings{Writing{Rounding::nearest, Digits::few},
                                 Writing{Rounding::nearest, Digits::all},
                                 Writing{Rounding::outward, Digits::all}};
  for (const Writing writing : kWritings) {
    std::vector<std::size_t> unjudged;
    std::vector<Attempt> points;
    std::vector<char> rounded(people.size());
    parallel_for(pending.size(), derived_.threads, [&](std::size_t k) {
      const std::size_t i = pending[k];
      rounded[i] =
          recommend_point(*people[i].person, found[i].point, writing, *people[i].answer) ? 1 : 0;
    });
    for (const std::size_t i : pending) {
      if (rounded[i] == 0) continue;
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
    const std::vector<Judgement> judged = search_->judge_all(points, derived_.threads);
    for (std::size_t k = 0; k < unjudged.size(); ++k) judgements[unjudged[k]] = judged[k];
    for (const std::size_t i : pending) {
      if (rounded[i] != 0) describe(judgements[i], *people[i].answer);
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
        name_of(derived_.method),
        relation_names(codec_.schema(), broken_relations(codec_.space(), out.origin, rounded)));
  }
}

bool Explainer::Impl::recommend_point(const Person& person, View point, Writing writing,
                                      Explanation& out) const {
  const bool published = is_as_published(derived_.method);
  if (writing.digits == Digits::few &&
      (published || !has_free_numbers(codec_, out.origin, point))) {
    return false;  // nothing to shorten
  }
  if (published) {  // whose points are not rounded
    out.after = recommended_record(codec_, person.record, out.origin, point);
    out.point = codec_.encode(out.after, place_of(person), derived_.missing);
    return true;
  }
  Recommendation made = recommend(codec_, person, out.origin, point, writing, derived_.missing);
  if (!made.admissible) return false;
  out.after = std::move(made.record);
  out.point = std::move(made.point);
  return true;
}

void Explainer::Impl::describe(const Judgement& judgement, Explanation& out) const {
  out.method_rate = judgement.rate;
  out.method_bound = judgement.bound;
  out.valid = judgement.reached;
  describe_point(search_problem_.model, codec_, out);
  out.reason.clear();
  if (judgement.satisfied) {
    out.status = Status::found;
  } else if (judgement.reached) {
    out.status = Status::unmet;
    out.reason = missed_rule_reason(name_of(derived_.method), judgement.rate, judgement.bound,
                                    target_of(derived_.method).value_or(0));
  } else {
    out.status = Status::infeasible;
    out.reason = fmt::format(
        "{} found a change that the model accepts, but not after rounding it to whole steps",
        name_of(derived_.method));
  }
}

}  // namespace croco
