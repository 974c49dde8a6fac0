// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/derived_options.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/explain/spending.hpp>
#include <croco/explain/time_limit.hpp>
#include <croco/loading/accepted_examples.hpp>
#include <croco/noise/sample.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/model_change.hpp>
#include <croco/robustness/model_population.hpp>

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
  if (certified == nullptr || certified->accepted || options.query_budget) return options;
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

/// The largest rate of models that fail always or never from which the search models and the
/// certifying ones may both stray, by two standard errors of their difference, and still pass.
double cautious_rate(double passing, std::size_t search, std::size_t certifying) {
  const double models = 1 / (1 / static_cast<double>(search) + 1 / static_cast<double>(certifying));
  double low = 0;
  double high = passing;
  for (int halving = 0; halving < 40; ++halving) {
    const double rate = (low + high) / 2;
    (rate + 2 * std::sqrt(rate * (1 - rate) / models) <= passing ? low : high) = rate;
  }
  return low;
}

/// Rates on the search models that the candidates of a person aim at, the cheaper first. Where all
/// models fail alike, N of them certify a rate near the target, and the first candidate aims at
/// 70 % of it. Networks on small data fail at a point nearly always or nearly never, and then far
/// fewer failures certify: the second candidate is for those. experiments/model_change.py measures
/// what either costs.
std::vector<double> joint_aims(const ModelPopulation& models, double target, double confidence) {
  const std::size_t certifying = models.certify.size();
  const double alike = passing_joint_rate(certifying, target, confidence).value_or(0);
  const double apart = passing_share(certifying, target, confidence).value_or(0);
  const double cautious =
      cautious_rate(apart, std::max<std::size_t>(1, models.search.size()), certifying);
  return {0.7 * alike, std::max(cautious, 0.2 * alike)};
}

ModelChangeOptions derived_change(const ExplainOptions& options) {
  ModelChangeOptions out = options.model_change;
  out.family = options.certify.family;
  out.share = options.certify.share;
  out.target = target_of(options.method);
  out.candidates = std::holds_alternative<Certified>(options.method) ? kModelCandidates : 1;
  return out;
}

void require_models(const ExplainOptions& options) {
  if (!options.models) return;
  validate(options.model_change);
  if (options.missing == MissingPolicy::keep) {
    throw InvalidArgument(
        "missing is 'keep' with retrained models; it must be error, drop or impute then");
  }
  const auto* certified = std::get_if<Certified>(&options.method);
  if (certified == nullptr) return;
  const std::size_t models = options.models->certify.size();
  const double confidence = joint_confidence(options.model_change);
  if (passing_joint_rate(models, certified->target, confidence)) return;
  throw InvalidArgument(fmt::format(
      "target is {}; {} certifying models bound the rate over retrained models by {:.4g} at best, "
      "at confidence {:.6g}: it must be at least that, or there must be {} of them",
      certified->target, models, joint_upper(Vector(models, 0.0), confidence), confidence,
      models_for_joint(0, certified->target, confidence).value_or(0)));
}

}  // namespace

bool can_certify_models(const ExplainOptions& options) {
  const auto& method = std::get<Certified>(options.method);
  return !options.models || passing_joint_rate(options.models->certify.size(), method.target,
                                               joint_confidence(derived_change(options)))
                                .has_value();
}

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
  CertificatePlan out{.confidence = last_look_confidence(certify),
                      .samples = certify.samples,
                      // The closed form's search knows one change; further ones are found on
                      // samples.
                      .exact = certify.exact && options.alternatives == 1};
  if (options.models) {
    out.aims =
        joint_aims(*options.models, *certify.target, joint_confidence(derived_change(options)));
  }
  return out;
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
  if (options.models) options.model_change = derived_change(options);
  return options;
}

void validate(const LoadedModel& loaded, const ExplainOptions& options) {
  require_threshold(loaded, options.goal.threshold());
  validate(options.certify);
  if (!options.certificates && std::holds_alternative<Certified>(options.method)) {
    throw InvalidArgument("method certified cannot do without certificates");
  }
  require_models(options);
  validate_query_budget(loaded, options);
  validate_time_limit(options);
  if (options.prove) {
    validate(*options.prove);
    require_provable(options.method);
  }
}

}  // namespace croco
