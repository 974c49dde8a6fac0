// SPDX-License-Identifier: Apache-2.0
/// Finds out why people have no certified advice, and solves the relaxed problems that would give
/// it.
#pragma once

#include <memory>
#include <span>
#include <stop_token>

#include <croco/data/codec.hpp>
#include <croco/explain/explain_options.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/models/model.hpp>

namespace croco {

/// What the reasons of a run are about.
struct ReasonsProblem {
  std::shared_ptr<const Model> model;
  const Codec& codec;
  const ExplainOptions& options;  ///< derived ones, with method certified
};

/// Gives an obstacle to every answer whose target is not met (`infeasible` and `unmet`; `undecided`
/// where more samples could certify it), and advice to those for whom it finds some that the search
/// had missed. `people[i]` is the person of
/// `answers[i]`. Returns how many answers from the front are complete: all of them, unless `stop`
/// is requested.
[[nodiscard]] std::size_t add_reasons(const ReasonsProblem& problem, std::span<const Person> people,
                                      std::span<Explanation> answers, const std::stop_token& stop);

/// The fewest samples, to a few per cent, with which a point of this rate is expected to be
/// certified at the first attempt; none when the rate is not below the target or too near for 2^40
/// samples.
[[nodiscard]] std::optional<std::size_t> samples_to_certify(
    double rate, double target, double confidence, BoundKind bound = BoundKind::clopper_pearson);

}  // namespace croco
