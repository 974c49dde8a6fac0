// SPDX-License-Identifier: Apache-2.0
/// What answers say about retrained models.
#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include <croco/explain/explanation.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/robustness/model_change.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

[[nodiscard]] Models certifying_models(const ModelPopulation& population);
[[nodiscard]] Models search_models(const ModelPopulation& population);

/// States of every answer with advice what the certifying models show; nothing when `stop` is
/// requested meanwhile.
void add_model_changes(const Problem& problem, const Models& models,
                       const ModelChangeOptions& options, unsigned threads,
                       std::span<Explanation* const> answers, const std::stop_token& stop);

/// Whether the joint bound meets the target, if there is one, and the model in use accepts the
/// point.
[[nodiscard]] bool passes_models(const Explanation& answer, std::optional<double> target);

/// Gives the obstacle to an answer whose joint bound misses the target: retrained models disagree,
/// and the target that the same point meets.
void describe_disagreement(Explanation& answer);

}  // namespace croco
