// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/certificate.hpp>

#include <array>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/robustness/exact_rate.hpp>
#include <croco/robustness/looks.hpp>

namespace croco {
namespace {

bool is_sequential(const CertifyOptions& options) noexcept {
  return options.sequential && options.target.has_value();
}

std::vector<Look> looks_of(const CertifyOptions& options) {
  if (is_sequential(options)) return planned_looks(options.samples);
  return {{options.samples, 1.0}};
}

/// What a certificate says before anything was measured.
Certificate blank(const Problem& problem, const CertifyOptions& options) {
  return {.bound = options.bound,
          .confidence = options.confidence,
          .attempt = options.attempt,
          .seed = problem.seed,
          .purpose = options.purpose,
          .shared_draws = problem.shared_draws,
          .first = options.attempt * options.samples,
          .family = options.family,
          .attempts = options.attempts,
          .maximum = options.samples,
          .sequential = is_sequential(options)};
}

std::vector<Certificate> certify_exactly(const Problem& problem, std::span<const Advice> advice,
                                         const CertifyOptions& options) {
  const LinearMargin margin = linear_margin(problem);
  std::vector<Certificate> certificates;
  certificates.reserve(advice.size());
  for (const Advice& one : advice) {
    const ExactRate exact = exact_rate(problem, margin, one.point);
    certificates.push_back({.bound = BoundKind::exact,
                            .rate = exact.rate,
                            .upper = exact.upper,
                            .confidence = 1,
                            .bound_confidence = 1,
                            .seed = problem.seed,
                            .purpose = options.purpose,
                            .shared_draws = problem.shared_draws,
                            .family = options.family});
  }
  return certificates;
}

/// Brings a certificate to a look; returns whether the drawing goes on.
bool look_at(const CertifyOptions& options, const Look& look, double confidence,
             double last_confidence, Certificate& certificate) {
  certificate.samples = look.samples;
  certificate.rate =
      static_cast<double>(certificate.invalid) / static_cast<double>(certificate.samples);
  certificate.upper =
      upper_bound(options.bound, certificate.invalid, certificate.samples, confidence);
  certificate.bound_confidence = confidence;
  certificate.stop = StopReason::planned;
  if (look.samples == options.samples) return false;
  const double target = options.target.value_or(0);
  if (certificate.upper <= target) {
    certificate.stop = StopReason::passed;
  } else if (is_futile(options.bound, certificate.invalid, certificate.samples, options.samples,
                       last_confidence, target)) {
    certificate.stop = StopReason::futile;
  }
  return certificate.stop == StopReason::planned;
}

}  // namespace

void validate(const CertifyOptions& options) {
  constexpr std::size_t kMaxSamples = std::size_t{1} << 40;
  if (options.samples < 1 || options.samples > kMaxSamples) {
    throw InvalidArgument(
        fmt::format("samples is {}; it must be between 1 and {}", options.samples, kMaxSamples));
  }
  require_confidence(options.confidence);
  if (options.target) require_open_unit("target", *options.target);
  if (options.family < 1 || person_error(options.confidence, options.family) < kLeastError) {
    throw InvalidArgument(
        fmt::format("family is {}; it must be at least 1, and leave each person an error of at "
                    "least {} ({:.4g} "
                    "together)",
                    options.family, kLeastError, 1 - options.confidence));
  }
  if (options.attempt >= options.attempts) {
    throw InvalidArgument(fmt::format("attempt is {}; it must be below the number of attempts, {}",
                                      options.attempt, options.attempts));
  }
  if (!(options.share > 0 && options.share <= 1)) {
    throw InvalidArgument(
        fmt::format("share is {}; it must be above 0 and at most 1", options.share));
  }
}

double last_look_confidence(const CertifyOptions& options) noexcept {
  const bool several = is_sequential(options) && planned_looks(options.samples).size() > 1;
  return share_confidence(options.confidence, options.family,
                          options.share * (several ? kLastLookShare : 1.0));
}

std::string_view name_of(StopReason reason) noexcept {
  constexpr std::array<std::string_view, 3> kNames{"planned", "passed", "futile"};
  return kNames[static_cast<std::size_t>(reason)];
}

bool is_futile(BoundKind bound, std::size_t invalid, std::size_t samples, std::size_t maximum,
               double last_confidence, double target) {
  return upper_bound(bound, invalid, maximum, last_confidence) > target ||
         clopper_pearson_lower(invalid, samples, kFutilityConfidence) > target;
}

std::vector<Certificate> certify(const Problem& problem, std::span<const Advice> advice,
                                 const CertifyOptions& options, unsigned threads,
                                 const std::stop_token& stop) {
  validate(options);
  if (options.exact && has_exact_rate(problem)) {
    return certify_exactly(problem, advice, options);
  }
  const std::vector<Look> looks = looks_of(options);
  const auto confidence_at = [&](const Look& look) {
    return look_confidence(options.confidence, options.family, options.attempts, options.attempt,
                           options.share * look.share);
  };
  std::vector<Certificate> certificates(advice.size(), blank(problem, options));
  // Who is certified, or never will be, leaves; the others meet the next run of the same draws.
  std::vector<Advice> drawing(advice.begin(), advice.end());
  std::vector<std::size_t> places(advice.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::size_t made = 0;
  for (const Look& look : looks) {
    if (drawing.empty()) break;
    const std::vector<Tally> tallies = tally(problem, drawing,
                                             {.purpose = options.purpose,
                                              .samples = look.samples - made,
                                              .first = options.attempt * options.samples + made,
                                              .soft = false,
                                              .threads = threads,
                                              .stop = stop});
    if (tallies.size() < drawing.size()) return {};
    std::size_t left = 0;
    for (std::size_t i = 0; i < drawing.size(); ++i) {
      Certificate& certificate = certificates[places[i]];
      certificate.invalid += tallies[i].invalid;
      if (!look_at(options, look, confidence_at(look), confidence_at(looks.back()), certificate)) {
        continue;
      }
      drawing[left] = drawing[i];
      places[left++] = places[i];
    }
    drawing.resize(left);
    places.resize(left);
    made = look.samples;
  }
  return certificates;
}

}  // namespace croco
