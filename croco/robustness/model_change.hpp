// SPDX-License-Identifier: Apache-2.0
/// Makes statements about retrained models: noise samples of their own around a point for each
/// certifying model, and what the failure rates say about all models of the recipe.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/robustness/certificate.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

using Models = std::vector<std::shared_ptr<const Model>>;

/// Points that a search fixes for a person before the first certifying model is asked.
inline constexpr std::size_t kModelCandidates = 2;

/// The confidence of the joint bound: `1 - (1 - confidence) / family * share`. Candidates do not
/// divide it: they are tried in an order that was fixed beforehand, and the first that misses the
/// target ends the trials (fixed-sequence testing), so a wrong candidate is certified only if the
/// first wrong one is.
[[nodiscard]] double joint_confidence(const ModelChangeOptions& options) noexcept;

/// One per point: failures of every certifying model on samples i * K .. (i + 1) * K - 1 of the
/// purpose's stream, so that models are independent of each other, and the bounds. `problem` gives
/// space, noise, goal and seed; each model has its own tolerance. None at all when `stop` is
/// requested meanwhile. Throws ModelError when a model's width is not that of the space.
[[nodiscard]] std::vector<ModelChange> certify_models(const Problem& problem, const Models& models,
                                                      std::span<const Advice> advice,
                                                      const ModelChangeOptions& options,
                                                      unsigned threads,
                                                      const std::stop_token& stop = {});

/// The statements that follow from `samples` and `invalid` alone; `seed`, `shared_draws` and
/// `rejecting` are left as they are.
void state_model_change(const ModelChangeOptions& options, ModelChange& change);

}  // namespace croco
