// SPDX-License-Identifier: Apache-2.0
/// The one place where an error is divided. A person may get several statements with a confidence:
/// certificates, a proof, the lowest rate, relaxations. Each has a fixed share of the person's
/// error
///
///     alpha = (1 - confidence) / family.
///
/// The shares add up to 1, and by Bonferroni's inequality P(any is wrong) <= sum of P(each is
/// wrong), however they depend on each other: all statements about a person hold together with the
/// stated confidence, whichever of them are reported. Shares follow from what was asked for, never
/// from samples; a share that a sample had chosen would guarantee nothing.
///
///     attempts of the method at a certificate     1/2 + 1/4 + 1/8
///     attempts of the analysis of reasons         1/16 + 1/32
///     proof, lowest rate                          1/64 + 1/128
///     relaxed target, noise, limit                1/512 + 1/512 + 1/256
///
/// Within an attempt the planned looks divide its share again (`look_share`).
#pragma once

#include <cstddef>
#include <cstdint>

namespace croco {

/// Attempts that the certified method has at a certificate, each on samples of its own.
inline constexpr std::size_t kCertifiedAttempts = 3;
/// Attempts at points that the analysis of reasons finds, after those of the method.
inline constexpr std::size_t kFurtherAttempts = 2;
/// Attempts that a single certificate is counted as when a proof is asked for too.
inline constexpr std::size_t kAttemptsBesideProof = 2;

/// Statements with a confidence besides certificates.
enum class Sentence : std::uint8_t {
  proof,           ///< what the target costs at least, or that nothing meets it
  lowest_rate,     ///< the lowest rate within reach
  relaxed_target,  ///< a higher target that has certified advice
  relaxed_noise,   ///< less noise that has certified advice
  relaxed_limit,   ///< a limit or relation that has certified advice once it is lifted
};

/// The share of a person's error that attempt i of `attempts` at a certificate may spend: all of it
/// when there is one, else `2^-(i+1)`. The sum over any number of attempts is below 1, and the
/// first, which nearly always passes, has the largest part.
[[nodiscard]] double attempt_share(std::size_t attempts, std::size_t attempt) noexcept;

/// The share of an attempt's error that the last of several planned looks keeps: points that sit
/// just below the target need all the samples, so that is where the error is worth most.
inline constexpr double kLastLookShare = 0.9;
/// The share of planned look i of `looks`: `kLastLookShare` for the last, and
/// `(1 - kLastLookShare) / (looks - 1)` for those before it.
[[nodiscard]] double look_share(std::size_t looks, std::size_t look) noexcept;

/// The share of a person's error that one of `count` statements of a kind may spend. `count` is the
/// number that can be reported, or that one is picked from.
[[nodiscard]] double sentence_share(Sentence sentence, std::size_t count = 1) noexcept;

/// How a proof's error is shared by its two arguments. A bound on the cost and a proof that nothing
/// meets the target rest on the same sampled problem: that is one event, which is paid for once.
struct ProofShares {
  double sampling = 0.0;   ///< of the sampled problem
  double smoothing = 0.0;  ///< of the smoothing bound, whose samples are many and cheap
};
/// `smoothing`, `sampling`: whether that argument applies at all.
[[nodiscard]] ProofShares proof_shares(bool smoothing, bool sampling) noexcept;
/// The share of a person's error for the sampled problem when only existence is in question: the
/// least that a proof of the same person can have for it.
[[nodiscard]] double existence_share() noexcept;

/// Below this, 1 - confidence is no longer known to many digits.
inline constexpr double kLeastError = 1e-10;

/// The family of people who get several alternatives each: all their certificates hold together, so
/// every one counts as a member.
[[nodiscard]] std::size_t family_with_alternatives(std::size_t family,
                                                   std::size_t alternatives) noexcept;

/// The probability with which any of a person's statements may be wrong:
/// `(1 - confidence) / family`.
[[nodiscard]] double person_error(double confidence, std::size_t family) noexcept;

/// The confidence of a bound that has this share of a person's error: `1 - alpha share`.
[[nodiscard]] double share_confidence(double confidence, std::size_t family, double share) noexcept;

/// The confidence of the bound at a look, `1 - alpha attempt_share share`, where `share` is the
/// look's. Every certificate's `bound_confidence` is this function of its plan.
[[nodiscard]] double look_confidence(double confidence, std::size_t family, std::size_t attempts,
                                     std::size_t attempt, double share) noexcept;

/// The confidence of attempt i of several when all of them have `confidence`, for planning.
[[nodiscard]] double attempt_confidence(double confidence, std::size_t attempt) noexcept;

}  // namespace croco
