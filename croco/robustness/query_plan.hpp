// SPDX-License-Identifier: Apache-2.0
/// What a budget of model queries is spent on for one piece of advice, fixed before the first of
/// them. A pilot measures candidates; its samples choose the point and never certify it. A first
/// certificate takes most of the rest. A reserve pays for one more attempt, at a safer point, when
/// the first one fails.
///
///     pilot         a fourth of the samples: of each candidate first a part that says where to
///     look,
///                   then one there; candidates that turn out to be expensive are left
///     reserve       three twentieths, unless the certificate needs them: small targets leave none
///     certificate   what is left, with looks from about a third of it on
#pragma once

#include <cstddef>
#include <optional>

#include <croco/robustness/certificate.hpp>

namespace croco {

struct QueryPlan {
  std::size_t pilot = 0;        ///< samples of all pilots at most
  std::size_t first_part = 0;   ///< of a candidate's pilot
  std::size_t second_part = 0;  ///< the rest of it
  std::size_t certificate = 0;  ///< samples of the first attempt at most
  std::size_t first_look = 0;   ///< of them, before the first look
  std::size_t reserve = 0;      ///< samples kept for a second attempt; 0: none
};

/// Failures that the last look of a first certificate must allow: with fewer, a point would need a
/// rate so far below the target that hardly any change has it.
inline constexpr std::size_t kLeastAllowed = 3;

/// The most failures with which the last look of an attempt at a certificate passes; none when no
/// count does.
[[nodiscard]] std::optional<std::size_t> passing_count(const CertifyOptions& options);
/// How a certificate of one attempt looks at N samples at most: with looks at about a third
/// and two thirds of them, or one look when they are few.
[[nodiscard]] CertifyOptions within_samples(CertifyOptions options, std::size_t samples);

/// The plan for `samples` samples; `options` has the target, the confidence and the family. None
/// when the first certificate would allow fewer than `kLeastAllowed` failures.
[[nodiscard]] std::optional<QueryPlan> plan_queries(std::size_t samples,
                                                    const CertifyOptions& options);
/// The fewest samples for which there is a plan.
[[nodiscard]] std::size_t least_samples(const CertifyOptions& options);

}  // namespace croco
