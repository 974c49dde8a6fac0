// SPDX-License-Identifier: Apache-2.0
/// The one place where an error is divided. A person may be told several sentences with a
/// confidence: certificates, a proof, the lowest rate, what would do. Each has a fixed share of the
/// error (1 - confidence) / family of that person. All shares add up to 1, so all sentences of a
/// person together are true with the stated confidence, whichever of them are told (Bonferroni).
/// Shares follow from what was asked for, never from samples.
#pragma once

#include <cstddef>
#include <cstdint>

namespace croco {

/// Attempts that the certified method has at a certificate, each on samples of its own.
inline constexpr std::size_t kCertifiedAttempts = 3;
/// Attempts at points that the look for reasons finds, after those of the method.
inline constexpr std::size_t kFurtherAttempts = 2;
/// Attempts that a single certificate is counted as when a proof is asked for too.
inline constexpr std::size_t kAttemptsBesideProof = 2;

/// Sentences with a confidence besides certificates.
enum class Sentence : std::uint8_t {
  proof,           ///< what the target costs at least, or that nothing meets it
  lowest_rate,     ///< the lowest rate within reach
  relaxed_target,  ///< a higher target that would do
  relaxed_noise,   ///< less noise that would do
  relaxed_limit,   ///< a limit that would do if it were lifted
};

/// The share of a person's error that attempt i of `attempts` at a certificate may spend: all of it
/// when there is one, else 1/2, 1/4, 1/8 ...
[[nodiscard]] double attempt_share(std::size_t attempts, std::size_t attempt) noexcept;

/// The share of an attempt's error that the last of several planned looks keeps: points that sit
/// just below the target need all the samples, so that is where the error is worth most.
inline constexpr double kLastLookShare = 0.9;
/// The share of planned look i of `looks`; those before the last have equal parts of the rest.
[[nodiscard]] double look_share(std::size_t looks, std::size_t look) noexcept;

/// The share of a person's error that one of `count` sentences of a kind may spend. `count` is the
/// number that can be told, or that one is picked from.
[[nodiscard]] double sentence_share(Sentence sentence, std::size_t count = 1) noexcept;

/// How a proof's error is shared by its two ways. Both ask about the same sampled problem whether
/// the cost or mere existence is in question: that is one event, which is paid for once.
struct ProofShares {
  double sampling = 0.0;   ///< of the sampled problem
  double smoothing = 0.0;  ///< of the smoothing bound, whose samples are many and cheap
};
/// `smoothing`, `sampling`: whether that way can be gone at all.
[[nodiscard]] ProofShares proof_shares(bool smoothing, bool sampling) noexcept;
/// The share of a person's error for the sampled problem when only existence is in question: the
/// least that a proof of the same person can have for it.
[[nodiscard]] double existence_share() noexcept;

/// Below this, 1 - confidence is no longer known to many digits.
inline constexpr double kLeastError = 1e-10;

/// What a person's sentences together may be wrong with.
[[nodiscard]] double person_error(double confidence, std::size_t family) noexcept;

/// The confidence of a bound that has this share of the error of a person.
[[nodiscard]] double share_confidence(double confidence, std::size_t family, double share) noexcept;

/// The confidence of the bound at a look: `share` is the look's. Every certificate's
/// `bound_confidence` is this function of its plan.
[[nodiscard]] double look_confidence(double confidence, std::size_t family, std::size_t attempts,
                                     std::size_t attempt, double share) noexcept;

/// The confidence of attempt i of several when all of them have `confidence`, for planning.
[[nodiscard]] double attempt_confidence(double confidence, std::size_t attempt) noexcept;

}  // namespace croco
