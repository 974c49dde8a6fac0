// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/error_budget.hpp>

#include <array>
#include <cmath>

namespace croco {
namespace {

constexpr double kSmoothing = 0.1;

/// By `Sentence`. The attempts at certificates take 1/2 + 1/4 + 1/8 + 1/16 + 1/32 = 31/32.
constexpr std::array<double, 5> kSentences{0x1p-6, 0x1p-7, 0x1p-9, 0x1p-9, 0x1p-8};

constexpr double sum_of_sentences() {
  double sum = 0;
  for (const double share : kSentences) sum += share;
  return sum;
}
static_assert(kCertifiedAttempts + kFurtherAttempts == 5);
static_assert(31.0 / 32 + sum_of_sentences() <= 1, "a person's error is spent once");
static_assert(1.0 / 2 + sum_of_sentences() <= 1, "and beside a single certificate");

}  // namespace

double attempt_share(std::size_t attempts, std::size_t attempt) noexcept {
  return attempts <= 1 ? 1.0 : std::ldexp(1.0, -static_cast<int>(attempt) - 1);
}

double look_share(std::size_t looks, std::size_t look) noexcept {
  if (looks <= 1) return 1.0;
  return look + 1 == looks ? kLastLookShare : (1 - kLastLookShare) / static_cast<double>(looks - 1);
}

double sentence_share(Sentence sentence, std::size_t count) noexcept {
  return kSentences[static_cast<std::size_t>(sentence)] / static_cast<double>(count);
}

ProofShares proof_shares(bool smoothing, bool sampling) noexcept {
  if (smoothing && sampling) return {1 - kSmoothing, kSmoothing};
  return {sampling ? 1.0 : 0.0, smoothing ? 1.0 : 0.0};
}

double existence_share() noexcept {
  return sentence_share(Sentence::proof) * proof_shares(true, true).sampling;
}

std::size_t family_with_alternatives(std::size_t family, std::size_t alternatives) noexcept {
  return family * alternatives;
}

double person_error(double confidence, std::size_t family) noexcept {
  return (1 - confidence) / static_cast<double>(family);
}

double share_confidence(double confidence, std::size_t family, double share) noexcept {
  return 1 - person_error(confidence, family) * share;
}

double look_confidence(double confidence, std::size_t family, std::size_t attempts,
                       std::size_t attempt, double share) noexcept {
  return 1 - person_error(confidence, family) * attempt_share(attempts, attempt) * share;
}

double attempt_confidence(double confidence, std::size_t attempt) noexcept {
  return share_confidence(confidence, 1, attempt_share(kCertifiedAttempts, attempt));
}

}  // namespace croco
