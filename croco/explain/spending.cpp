// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/spending.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/explain/derived_options.hpp>
#include <croco/methods/surrogate/surrogate_search.hpp>
#include <croco/remote/metered_model.hpp>
#include <croco/robustness/error_budget.hpp>

namespace croco {
namespace {

constexpr std::size_t kLeastShared = 1000;
/// Points of one alternative that are scored: the person, and recommended records.
constexpr std::size_t kPoints = 4;
/// Batches of noisy samples: two parts of a pilot, three looks of each of two attempts.
constexpr std::size_t kBatches = 8;

/// The certificates of one alternative. `options` are derived ones, whose family counts all of
/// them.
CertifyOptions certificates_of(const ExplainOptions& options) {
  CertifyOptions out = options.certify;
  out.target = target_of(options.method);
  out.exact = false;
  out.attempts = kCertifiedAttempts;
  out.attempt_stride = std::max(options.query_budget->rows, out.samples);
  return out;
}

/// Rows of an alternative that are no noisy samples: its points, and what keeps watch over a batch.
std::size_t fixed_rows(const MeteredModel& asked) {
  return kPoints * asked.price(1) + kBatches * (asked.price(1) - 1);
}

/// How many samples can be asked for with so many rows.
std::size_t samples_within(const MeteredModel& asked, std::size_t rows) {
  const std::size_t fixed = fixed_rows(asked);
  if (rows <= fixed) return 0;
  std::size_t samples = rows - fixed;
  while (samples > 0 && asked.price(samples) > rows - fixed) {
    samples -= std::min(samples, asked.price(samples) - (rows - fixed));
  }
  return samples;
}

std::size_t rows_needed(const MeteredModel& asked, const ExplainOptions& options) {
  const std::size_t samples = least_samples(certificates_of(options));
  return options.alternatives * (asked.price(samples) + fixed_rows(asked));
}

void refuse(bool given, std::string_view what) {
  if (!given) return;
  throw InvalidArgument(fmt::format("query_budget is given with {}; one of them must go", what));
}

}  // namespace

void validate_query_budget(const LoadedModel& loaded, const ExplainOptions& options) {
  if (!options.query_budget) return;
  const auto* certified = std::get_if<Certified>(&options.method);
  if (certified == nullptr) {
    throw InvalidArgument(
        fmt::format("query_budget is for method certified; method is {}", name_of(options.method)));
  }
  refuse(options.prove.has_value(), "a proof, which needs the model itself");
  refuse(options.models != nullptr, "retrained models");
  refuse(options.time_limit.has_value(), "a time limit");
  refuse(options.reason_codes > 0, "reason codes, which take hundreds of rows a person");
  refuse(options.plausibility,
         "plausibility, which asks the model for the rows of its training data");
  refuse(options.missing == MissingPolicy::keep,
         "missing values that are kept, which make a model of each pattern");
  if (options.query_budget->shared_rows < kLeastShared) {
    throw InvalidArgument(fmt::format("shared_rows is {}; a surrogate needs at least {}",
                                      options.query_budget->shared_rows, kLeastShared));
  }
  if (!loaded.examples || loaded.examples->count() == 0) {
    throw InvalidArgument(
        "query_budget needs people such as the model was trained on, to learn a surrogate from; "
        "models of croco's own format and encoded data have none");
  }
  const MeteredModel asked(*loaded.model, loaded.remote.get());
  const std::size_t rows = options.query_budget->rows / options.alternatives;
  if (plan_queries(samples_within(asked, rows), certificates_of(options))) return;
  const std::string alternatives =
      options.alternatives == 1 ? "" : fmt::format(" for {} alternatives", options.alternatives);
  throw InvalidArgument(fmt::format(
      "query_budget is {}; certificates of target {} at confidence {:.6g}{} need at least {} rows "
      "a person",
      options.query_budget->rows, certified->target,
      share_confidence(options.certify.confidence, options.certify.family, 1), alternatives,
      rows_needed(asked, options)));
}

CertifyOptions certificates_within(const LoadedModel& loaded, CertifyOptions options,
                                   std::optional<double> target, std::size_t rows) {
  const MeteredModel asked(*loaded.model, loaded.remote.get());
  const std::size_t samples = std::min(options.samples, samples_within(asked, rows));
  options.target = target;
  const CertifyOptions out = samples == 0 ? options : within_samples(options, samples);
  if (samples > 0 && (!target || passing_count(out))) return out;
  std::size_t needed = 1;
  while (target && !passing_count(within_samples(options, needed))) ++needed;
  throw InvalidArgument(fmt::format(
      "query_budget is {}; a certificate{} at confidence {:.6g} needs at least {} rows a person",
      rows, target ? fmt::format(" of target {}", *target) : "",
      share_confidence(options.confidence, options.family, 1),
      asked.price(needed) + fixed_rows(asked)));
}

std::optional<Spending> spending(const LoadedModel& loaded, const Problem& problem,
                                 const ExplainOptions& options, const std::stop_token& stop) {
  if (!options.query_budget) return std::nullopt;
  validate(loaded, options);  // before the model is asked for anything
  const MeteredModel asked(*loaded.model, loaded.remote.get());
  Spending out;
  out.rows = options.query_budget->rows / options.alternatives;
  out.certify = certificates_of(options);
  const std::size_t samples = samples_within(asked, out.rows);
  out.plan = plan_queries(samples, out.certify).value();
  out.plan.certificate = std::min(out.plan.certificate, options.certify.samples);
  out.surrogate = options.surrogates ? options.surrogates->of(loaded, problem, options, stop)
                                     : SurrogateCache().of(loaded, problem, options, stop);
  return out;
}

std::unique_ptr<SurrogateSearch> make_surrogate_search(const Spending& spending,
                                                       const Problem& problem,
                                                       const ExplainOptions& options) {
  const auto& method = std::get<Certified>(options.method);
  const std::vector<double> rates = surrogate_rates(method.target);
  const CertifyOptions first = within_samples(spending.certify, spending.plan.certificate);
  const RateShift shift(spending.surrogate->fit.prior);
  // Where the prior alone would have it; the pilot says the rest.
  const std::size_t step =
      shift.step_to_pass(rates, first.samples, passing_count(first).value_or(0), 0.7);
  return std::make_unique<SurrogateSearch>(problem, method, step, surrogate_effort(method.target),
                                           options.threads);
}

}  // namespace croco
