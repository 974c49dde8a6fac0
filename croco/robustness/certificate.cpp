// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/certificate.hpp>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {

void validate(const CertifyOptions& options) {
  constexpr std::size_t kMaxSamples = std::size_t{1} << 40;
  if (options.samples < 1 || options.samples > kMaxSamples) {
    throw InvalidArgument(
        fmt::format("samples is {}; it must be between 1 and {}", options.samples, kMaxSamples));
  }
  require_confidence(options.confidence);
}

std::vector<Certificate> certify(const Problem& problem, std::span<const Advice> advice,
                                 const CertifyOptions& options, unsigned threads,
                                 const std::stop_token& stop) {
  validate(options);
  const std::vector<Tally> tallies = tally(problem, advice,
                                           {.purpose = options.purpose,
                                            .samples = options.samples,
                                            .first = options.attempt * options.samples,
                                            .soft = false,
                                            .threads = threads,
                                            .stop = stop});
  const double bound_confidence = options.bound_confidence.value_or(options.confidence);
  std::vector<Certificate> certificates;
  certificates.reserve(tallies.size());
  for (const Tally& tally : tallies) {
    certificates.push_back(
        {.bound = options.bound,
         .samples = tally.samples,
         .invalid = tally.invalid,
         .rate = tally.rate(),
         .upper = upper_bound(options.bound, tally.invalid, tally.samples, bound_confidence),
         .confidence = options.confidence,
         .bound_confidence = bound_confidence,
         .attempt = options.attempt,
         .seed = problem.seed,
         .purpose = options.purpose,
         .shared_draws = problem.shared_draws});
  }
  return certificates;
}

}  // namespace croco
