// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/derived_options.hpp>

#include <utility>
#include <variant>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/explain/time_limit.hpp>
#include <croco/loading/accepted_examples.hpp>
#include <croco/noise/sample.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/error_budget.hpp>

namespace croco {
namespace {

void require_alternatives(const ExplainOptions& options) {
  constexpr std::size_t kMostAlternatives = 16;
  if (options.alternatives < 1 || options.alternatives > kMostAlternatives) {
    throw InvalidArgument(fmt::format("alternatives is {}; it must be a whole number from 1 to {}",
                                      options.alternatives, kMostAlternatives));
  }
  if (options.disjoint && options.alternatives == 1) {
    throw InvalidArgument("disjoint is about several alternatives; only one is asked for");
  }
  if (options.alternatives > 1 && !std::holds_alternative<Certified>(options.method)) {
    throw InvalidArgument(
        fmt::format("alternatives is {}; several can only be had with method certified, not {}",
                    options.alternatives, name_of(options.method)));
  }
}

/// Searches without a gradient start from people whom the model accepts.
ExplainOptions with_starts(ExplainOptions options, const LoadedModel& loaded) {
  auto* certified = std::get_if<Certified>(&options.method);
  if (certified == nullptr || certified->accepted) return options;
  const bool automatic = certified->search == SearchKind::automatic;
  if (certified->search == SearchKind::gradient_free ||
      (automatic && loaded.model->gradient() == nullptr)) {
    certified->accepted = accepted_examples(loaded, options.goal);
  }
  return options;
}

/// The noise of the columns that may move, column by column: a request that lets fewer of them move
/// must not make them exact, for a certificate is verified without knowing the request.
Noise with_fixed_scope(Noise noise, const Space& space) {
  if (noise.shape == NoiseShape::empirical || noise.shape == NoiseShape::correlated) {
    throw InvalidArgument(fmt::format(
        "noise-on is 'movable' with limits by feature; noise '{}' needs another scope then",
        noise_text(noise)));
  }
  noise.column_scales = scoped_scales(noise, space);
  noise.scope = NoiseScope::all;
  return noise;
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

NoiseSource source_of(const ExplainOptions& options, const Schema& schema) {
  if (options.noise) return NoiseSource::given;
  return states_noise(schema) ? NoiseSource::schema : NoiseSource::assumed;
}

ExplainOptions completed(ExplainOptions options, const LoadedModel& loaded) {
  if (!options.noise) options.noise = default_noise(loaded.codec);
  if (!options.restrictions.empty() && options.noise->scope == NoiseScope::movable) {
    options.noise = with_fixed_scope(std::move(*options.noise), loaded.codec.space());
  }
  return with_starts(std::move(options), loaded);
}

CertificatePlan certificate_plan(const ExplainOptions& options) {
  CertifyOptions certify = options.certify;
  certify.target = target_of(options.method);
  return {.confidence = last_look_confidence(certify),
          .samples = certify.samples,
          // The closed form's search knows one change; further ones are found on samples.
          .exact = certify.exact && options.alternatives == 1};
}

ExplainOptions derived(ExplainOptions options) {
  require_alternatives(options);
  if (auto* certified = std::get_if<Certified>(&options.method)) {
    if (certified->certificate) {
      throw InvalidArgument(
          "certificate is given with method certified; it follows from the options of the "
          "certificates that are issued");
    }
    options.certify.family = family_with_alternatives(options.certify.family, options.alternatives);
    certified->certificate = certificate_plan(options);
  }
  return options;
}

void validate(const LoadedModel& loaded, const ExplainOptions& options) {
  require_threshold(loaded, options.goal.threshold());
  validate(options.certify);
  if (!options.certificates && std::holds_alternative<Certified>(options.method)) {
    throw InvalidArgument("method certified cannot do without certificates");
  }
  validate_time_limit(options);
  if (options.prove) {
    validate(*options.prove);
    require_provable(options.method);
  }
}

}  // namespace croco
