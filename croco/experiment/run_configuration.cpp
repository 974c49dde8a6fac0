// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/run_configuration.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/explain/assess_points.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/pairing.hpp>
#include <croco/proof/prove.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/invalidation.hpp>

namespace croco {
namespace {

CertifyOptions certify_options(const Experiment& experiment) {
  return {.samples = experiment.certificate_samples,
          .confidence = experiment.confidence,
          .exact = false,
          .sequential = false};
}

std::vector<Explanation*> pointers_to(std::vector<Explanation>& answers) {
  std::vector<Explanation*> out;
  out.reserve(answers.size());
  for (Explanation& answer : answers) out.push_back(&answer);
  return out;
}

/// Advice from files, beside everybody who has none.
std::vector<Explanation> assess_files(const Experiment& experiment, const Configuration& cell,
                                      const PreparedDataset& dataset, const AdviceFiles& advice,
                                      const Problem& problem, unsigned threads) {
  std::vector<AdvisedPerson> pairs;
  for (CsvTable& table : advice.rows_for(experiment.datasets[cell.dataset].name,
                                         experiment.noises[cell.noise].name, cell.target)) {
    for (AdvisedPerson& pair :
         pair_up(dataset.table, std::move(table), dataset.loaded.codec.schema())) {
      pairs.push_back(std::move(pair));
    }
  }
  std::ranges::stable_sort(pairs, {}, [](const AdvisedPerson& pair) { return pair.before.row; });
  const auto twice = std::ranges::adjacent_find(
      pairs, {}, [](const AdvisedPerson& pair) { return pair.before.row; });
  if (twice != pairs.end()) {
    throw DataError(fmt::format(
        "{}: person {} has two answers for data set '{}', noise '{}', target {}",
        std::next(twice)->after.where, twice->before.row, experiment.datasets[cell.dataset].name,
        experiment.noises[cell.noise].name, target_text(cell.target)));
  }
  std::vector<Explanation> assessed = assess(problem, dataset.loaded.codec, pairs,
                                             certify_options(experiment), cell.target, threads);
  std::vector<Explanation> answers(dataset.people.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i].row = dataset.people[i].row;
    answers[i].status = Status::infeasible;
    try {
      const Vector origin =
          dataset.loaded.codec.encode(dataset.people[i].record, dataset.people[i].where);
      if (problem.goal.reached(problem.model.logit(origin))) answers[i].status = Status::already;
    } catch (const DataError&) {
      answers[i].status = Status::error;
    }
  }
  for (Explanation& answer : assessed) {
    // Somebody whom the model accepts needs no advice, whatever was given.
    if (answers[answer.row].status == Status::infeasible) answers[answer.row] = std::move(answer);
  }
  return answers;
}

PersonResult result_of(const Explanation& answer) {
  PersonResult out{.row = answer.row, .status = answer.status};
  if (!answer.has_advice()) return out;
  out.valid = answer.valid;
  out.l1 = answer.distance.l1;
  out.l2 = answer.distance.l2;
  out.cost = answer.distance.cost;
  out.features_changed = answer.features_changed;
  out.upper = answer.certificate ? answer.certificate->upper : 1.0;
  out.steps = answer.steps;
  out.method_rate = answer.method_rate;
  out.method_bound = answer.method_bound;
  return out;
}

/// On draws of their own purpose.
void measure_rates(const Problem& problem, const Experiment& experiment,
                   const std::vector<Explanation>& answers, std::vector<PersonResult>& results,
                   unsigned threads, const std::stop_token& stop) {
  std::vector<Advice> points;
  std::vector<PersonResult*> advised;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].has_advice()) continue;
    points.push_back({answers[i].origin, answers[i].point, answers[i].row});
    advised.push_back(&results[i]);
  }
  const std::vector<Tally> tallies = tally(problem, points,
                                           {.purpose = Purpose::evaluate,
                                            .samples = experiment.rate_samples,
                                            .soft = true,
                                            .threads = threads,
                                            .stop = stop});
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    advised[i]->invalid = tallies[i].invalid;
    advised[i]->rate = tallies[i].rate();
    advised[i]->soft_rate = tallies[i].soft_rate();
    advised[i]->paper_bound = (kPaperMargin + advised[i]->soft_rate) / (1 - kPaperThreshold);
  }
}

/// Of the first people who are asked about.
void prove_some(const Problem& problem, const Experiment& experiment, double target,
                const std::vector<Explanation>& answers, std::vector<PersonResult>& results,
                unsigned threads, const std::stop_token& stop) {
  std::vector<ProveRequest> requests;
  std::vector<PersonResult*> asked;
  for (std::size_t i = 0; i < answers.size() && asked.size() < experiment.prove_people; ++i) {
    if (!answers[i].has_advice() || !answers[i].target_met.value_or(false)) continue;
    requests.push_back({answers[i].origin, answers[i].point, answers[i].row});
    asked.push_back(&results[i]);
  }
  const ProveOptions options{.confidence = experiment.confidence,
                             .share = sentence_share(Sentence::proof)};
  const std::vector<Proof> proofs = prove(problem, target, requests, options, threads, stop);
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    if (proofs[i].basis != ProofBasis::none) asked[i]->lower = proofs[i].lower;
  }
}

}  // namespace

std::optional<ConfigurationRun> run_configuration(const Experiment& experiment,
                                                  const Configuration& configuration,
                                                  const PreparedDataset& dataset,
                                                  const AdviceFiles* advice, unsigned threads,
                                                  const std::stop_token& stop) {
  const ExperimentMethod& method = experiment.methods[configuration.method];
  const Noise& noise = experiment.noises[configuration.noise].noise;
  const Problem problem{*dataset.loaded.model, dataset.loaded.codec.space(), noise, Goal(),
                        experiment.seed};
  const bool certified = method.method == "certified";
  ConfigurationRun out;
  std::vector<Explanation> answers;
  if (advice != nullptr) {
    answers = assess_files(experiment, configuration, dataset, *advice, problem, threads);
    if (const auto seconds = advice->seconds_for(experiment.datasets[configuration.dataset].name,
                                                 experiment.noises[configuration.noise].name,
                                                 configuration.target)) {
      out.time = Duration{*seconds, *seconds};
    }
  } else {
    const Stopwatch watch;
    const Explainer explainer(
        dataset.loaded,
        {.method = make_method(method.method, method.settings, configuration.target.value_or(0.5),
                               experiment.confidence),
         .noise = noise,
         .certify = certify_options(experiment),
         .seed = experiment.seed,
         .threads = threads,
         .reasons = false,
         .certificates = certified});
    answers = explainer.explain(dataset.people, stop);
    out.time = watch.read();
    if (answers.size() < dataset.people.size()) return std::nullopt;
    if (!certified) {
      add_certificates(problem, certify_options(experiment), configuration.target, threads,
                       pointers_to(answers), stop);
    }
  }
  for (const Explanation& answer : answers) out.results.push_back(result_of(answer));
  measure_rates(problem, experiment, answers, out.results, threads, stop);
  if (certified && experiment.prove_people > 0) {
    prove_some(problem, experiment, *configuration.target, answers, out.results, threads, stop);
  }
  if (stop.stop_requested()) return std::nullopt;
  return out;
}

}  // namespace croco
