// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/certify.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/robustness/exact_rate.hpp>
#include <croco/robustness/looks.hpp>
#include <croco/robustness/stopped_rate.hpp>

namespace croco {
namespace {

bool is_sequential(const CertifyOptions& options) noexcept {
  return options.sequential && options.target.has_value();
}

std::vector<Look> looks_of(const CertifyOptions& options) {
  if (is_sequential(options)) return planned_looks(options.samples, options.first_look);
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
          .first = first_sample(options),
          .family = options.family,
          .attempts = options.attempts,
          .maximum = options.samples,
          .sequential = is_sequential(options),
          .first_look = options.first_look,
          .attempt_stride = options.attempt_stride};
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

/// The looks of a run of draws, and what they make of a count.
class Plan {
 public:
  explicit Plan(const CertifyOptions& options) : options_(options) {
    for (const Look& look : looks_of(options)) {
      samples_.push_back(look.samples);
      confidences_.push_back(look_confidence(options.confidence, options.family, options.attempts,
                                             options.attempt, options.share * look.share));
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& samples() const noexcept { return samples_; }
  [[nodiscard]] double confidence(std::size_t look) const { return confidences_[look]; }
  [[nodiscard]] double upper(std::size_t look, std::size_t invalid) const {
    return upper_bound(options_.bound, invalid, samples_[look], confidences_[look]);
  }
  /// Why the drawing stops at a look with a count and its bound; `planned` when it does not.
  [[nodiscard]] StopReason stop(std::size_t look, std::size_t invalid, double upper) const {
    if (look + 1 == samples_.size()) return StopReason::planned;
    const double target = options_.target.value_or(0);
    if (upper <= target) return StopReason::passed;
    return is_futile(options_.bound, invalid, samples_[look], options_.samples, confidences_.back(),
                     target)
               ? StopReason::futile
               : StopReason::planned;
  }
  /// What the drawing may have stopped for before. Refers to this plan.
  [[nodiscard]] StoppedRate stopped_rate() const {
    return StoppedRate(
        samples_, [this](std::size_t look) { return goes_on(look); },
        options_.target.value_or(0.5));
  }

 private:
  /// The counts for which `stop` has no reason.
  [[nodiscard]] GoingOn goes_on(std::size_t look) const {
    const std::size_t beyond_doubt =
        count_not_exceeded(samples_[look], *options_.target, kFutilityConfidence) + 1;
    return {.lowest = first_failing(samples_[look], confidences_[look]),
            .end = std::min(beyond_doubt, first_failing(options_.samples, confidences_.back()))};
  }
  /// The least count of `samples` whose bound is above the target.
  [[nodiscard]] std::size_t first_failing(std::size_t samples, double confidence) const {
    if (options_.bound == BoundKind::clopper_pearson) {
      // The bound is at most the target when the probability of so few failures is at most the
      // error; in terms of successes, at the complement of the target.
      return samples - count_not_exceeded(samples, 1 - *options_.target, confidence);
    }
    std::size_t low = 0;
    std::size_t high = samples + 1;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (upper_bound(options_.bound, middle, samples, confidence) > *options_.target) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  const CertifyOptions& options_;
  std::vector<std::size_t> samples_;
  std::vector<double> confidences_;
};

}  // namespace

void validate(const CertifyOptions& options) {
  constexpr std::size_t kMaxSamples = 10'000'000'000;  // what a bound takes
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
  if (options.first_look < 1) {
    throw InvalidArgument("first_look is 0; it must be at least 1");
  }
  if (options.attempt_stride != 0 && options.attempt_stride < options.samples) {
    throw InvalidArgument(
        fmt::format("attempt_stride is {}; attempts of up to {} samples need at least as many each",
                    options.attempt_stride, options.samples));
  }
  if (!(options.share > 0 && options.share <= 1)) {
    throw InvalidArgument(
        fmt::format("share is {}; it must be above 0 and at most 1", options.share));
  }
}

double last_look_confidence(const CertifyOptions& options) noexcept {
  const bool several = looks_of(options).size() > 1;
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

double stated_rate(const CertifyOptions& options, std::size_t samples, std::size_t invalid) {
  const Plan plan(options);
  const auto look = std::ranges::find(plan.samples(), samples);
  if (look == plan.samples().end()) {
    return static_cast<double>(invalid) / static_cast<double>(samples);
  }
  StoppedRate rate = plan.stopped_rate();
  return rate.at(static_cast<std::size_t>(look - plan.samples().begin()), invalid);
}

std::vector<Certificate> certify(const Problem& problem, std::span<const Advice> advice,
                                 const CertifyOptions& options, unsigned threads,
                                 const std::stop_token& stop) {
  validate(options);
  if (options.exact && has_exact_rate(problem)) {
    return certify_exactly(problem, advice, options);
  }
  const Plan plan(options);
  StoppedRate rate = plan.stopped_rate();
  std::vector<Certificate> certificates(advice.size(), blank(problem, options));
  // Who is certified, or never will be, leaves; the others meet the next run of the same draws.
  std::vector<Advice> drawing(advice.begin(), advice.end());
  std::vector<std::size_t> places(advice.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::size_t made = 0;
  for (std::size_t look = 0; look < plan.samples().size() && !drawing.empty(); ++look) {
    const std::size_t samples = plan.samples()[look];
    const std::vector<Tally> tallies = tally(problem, drawing,
                                             {.purpose = options.purpose,
                                              .samples = samples - made,
                                              .first = first_sample(options) + made,
                                              .soft = false,
                                              .threads = threads,
                                              .stop = stop});
    if (tallies.size() < drawing.size()) return {};
    std::size_t left = 0;
    for (std::size_t i = 0; i < drawing.size(); ++i) {
      Certificate& certificate = certificates[places[i]];
      certificate.invalid += tallies[i].invalid;
      certificate.samples = samples;
      certificate.upper = plan.upper(look, certificate.invalid);
      certificate.bound_confidence = plan.confidence(look);
      certificate.stop = plan.stop(look, certificate.invalid, certificate.upper);
      if (certificate.stop != StopReason::planned || look + 1 == plan.samples().size()) {
        certificate.rate = rate.at(look, certificate.invalid);
        continue;
      }
      drawing[left] = drawing[i];
      places[left++] = places[i];
    }
    drawing.resize(left);
    places.resize(left);
    made = samples;
  }
  return certificates;
}

}  // namespace croco
