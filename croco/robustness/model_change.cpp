// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/model_change.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/robustness/model_population.hpp>

namespace croco {
namespace {

constexpr double kUsualLimit = 0.1;
constexpr std::size_t kMostSamples = 1'000'000;

/// The share and the list have no order of trials: each candidate has an equal part of the error.
double candidate_confidence(const ModelChangeOptions& options) noexcept {
  return share_confidence(options.confidence, options.family,
                          options.share / static_cast<double>(options.candidates));
}

}  // namespace

void validate(const ModelChangeOptions& options) {
  require_open_unit("model-confidence", options.confidence);
  if (options.samples < 1 || options.samples > kMostSamples) {
    throw InvalidArgument(fmt::format("model-samples is {}; it must be between 1 and {}",
                                      options.samples, kMostSamples));
  }
  if (options.limit) require_open_unit("model-limit", *options.limit);
  if (options.target) require_open_unit("target", *options.target);
  if (options.candidates < 1) throw InvalidArgument("candidates is 0; it must be at least 1");
  if (options.family < 1 || person_error(options.confidence, options.family) < kLeastError) {
    throw InvalidArgument(fmt::format(
        "family is {}; it must be at least 1, and leave each person an error over models of at "
        "least {} ({:.4g} together)",
        options.family, kLeastError, 1 - options.confidence));
  }
  if (!(options.share > 0 && options.share <= 1)) {
    throw InvalidArgument(
        fmt::format("share is {}; it must be above 0 and at most 1", options.share));
  }
}

double joint_confidence(const ModelChangeOptions& options) noexcept {
  return share_confidence(options.confidence, options.family, options.share);
}

void state_model_change(const ModelChangeOptions& options, ModelChange& change) {
  const auto samples = static_cast<double>(change.samples);
  Vector rates;
  rates.reserve(change.invalid.size());
  for (const std::size_t invalid : change.invalid) {
    rates.push_back(static_cast<double>(invalid) / samples);
  }
  change.confidence = options.confidence;
  change.family = options.family;
  change.candidates = options.candidates;
  change.purpose = options.purpose;
  double sum = 0;
  for (const double rate : rates) sum += rate;
  change.rate = sum / static_cast<double>(rates.size());
  change.bound = joint_upper(rates, joint_confidence(options));
  change.upper = options.candidates == 1
                     ? change.bound
                     : std::max(change.bound, options.target.value_or(change.bound));

  const double confidence = candidate_confidence(options);
  change.limit = options.limit.value_or(options.target.value_or(kUsualLimit));
  const std::optional<std::size_t> most = most_within_limit(change.samples, change.limit);
  change.most = most.value_or(0);
  change.exceeding = static_cast<std::size_t>(std::ranges::count_if(
      change.invalid, [&](std::size_t invalid) { return !most || invalid > *most; }));
  change.share_upper = share_upper(change.exceeding, change.invalid.size(), confidence);

  const auto worst = std::ranges::max_element(change.invalid);
  change.worst = static_cast<std::size_t>(worst - change.invalid.begin());
  // Which model is truly worst is fixed: where its own bound holds, so does the largest of all. No
  // error is divided over the models.
  change.worst_upper = clopper_pearson_upper(*worst, change.samples, confidence);
}

std::vector<ModelChange> certify_models(const Problem& problem, const Models& models,
                                        std::span<const Advice> advice,
                                        const ModelChangeOptions& options, unsigned threads,
                                        const std::stop_token& stop) {
  validate(options);
  if (models.empty()) throw InvalidArgument("no model is left to certify; at least 1 is needed");
  for (const auto& model : models) {
    if (model->width() != problem.space.width()) {
      throw ModelError(fmt::format("a retrained model takes {} columns; the data give {}",
                                   model->width(), problem.space.width()));
    }
  }
  std::vector<ModelChange> changes(advice.size());
  for (ModelChange& change : changes) {
    change.seed = problem.seed;
    change.shared_draws = problem.shared_draws;
    change.samples = options.samples;
    change.invalid.resize(models.size());
  }
  Matrix points(0, problem.space.width());
  for (const Advice& one : advice) points.append(one.point);
  std::vector<char> rejects(advice.size() * models.size());
  parallel_for(models.size(), threads, [&](std::size_t i) {
    const Problem own(*models[i], problem.space, problem.noise, problem.goal, problem.seed,
                      problem.shared_draws);
    const std::vector<Tally> tallies = tally(own, advice,
                                             {.purpose = options.purpose,
                                              .samples = options.samples,
                                              .first = i * options.samples,
                                              .stop = stop});
    if (tallies.empty()) return;
    Vector logits(points.count());
    own.model.logits(points.rows(), logits);
    for (std::size_t k = 0; k < tallies.size(); ++k) {
      changes[k].invalid[i] = tallies[k].invalid;
      rejects[k * models.size() + i] = own.goal.reached(logits[k]) ? 0 : 1;
    }
  });
  if (stop.stop_requested()) return {};
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const auto own = std::span(rejects).subspan(k * models.size(), models.size());
    changes[k].rejecting = static_cast<std::size_t>(std::ranges::count(own, 1));
    state_model_change(options, changes[k]);
  }
  return changes;
}

}  // namespace croco
