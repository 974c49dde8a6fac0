// SPDX-License-Identifier: Apache-2.0
/// What follows from the options of a run: defaults that depend on the model, and what certificates
/// and the search that aims at them make of each other.
#pragma once

#include <croco/explain/explain_options.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/loading/loaded_model.hpp>

namespace croco {

/// Where the noise of a run comes from.
[[nodiscard]] NoiseSource source_of(const ExplainOptions& options, const Schema& schema);

/// The options with the noise that the schema states or that is assumed, and the starting points of
/// the search, where they are not given. What is noisy follows from the model's own schema,
/// whatever else a request restricts.
[[nodiscard]] ExplainOptions completed(ExplainOptions options, const LoadedModel& loaded);

/// The certificate that a search has to aim at: a point that aims at a weaker confidence, or at
/// more samples, would fail it.
[[nodiscard]] CertificatePlan certificate_plan(const ExplainOptions& options);

/// Whether some rate over retrained models would be certified; true without such models.
[[nodiscard]] bool can_certify_models(const ExplainOptions& options);

/// The options with each certificate's share of the error, and a method that knows its certificate.
/// Throws InvalidArgument for what does not fit together.
[[nodiscard]] ExplainOptions derived(ExplainOptions options);

/// Throws InvalidArgument naming the option, the value and the rule.
void validate(const LoadedModel& loaded, const ExplainOptions& options);

}  // namespace croco
