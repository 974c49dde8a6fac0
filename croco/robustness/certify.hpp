// SPDX-License-Identifier: Apache-2.0
/// Makes certificates: fresh samples around a point, planned looks at how many fail, a bound on the
/// rate at each look. Failures among n independent samples are binomial with the true rate, so at
/// one look Clopper-Pearson fails with at most the error that was given to it. The plan is fixed
/// before the first sample and the errors of its looks add up to that of the statement, so by the
/// union bound the bound is valid wherever sampling stops:
///
///     P(some look's bound is below the rate) <= sum_i error_i = error of the statement.
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/base/bounds.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// The confidence that one person's certificate has at its last look, over all attempts:
/// `1 - (1 - confidence) / family * share * kLastLookShare`. A search that aims just below a target
/// has to prepare for this one, since its points need all the samples.
[[nodiscard]] double last_look_confidence(const CertifyOptions& options) noexcept;

/// The estimate of the rate that a certificate states which stopped after `samples` samples, of
/// which `invalid` failed: unbiased over all that could have stopped it (`StoppedRate`). The
/// quotient of the two unless there was an earlier look, or when no look is planned there.
[[nodiscard]] double stated_rate(const CertifyOptions& options, std::size_t samples,
                                 std::size_t invalid);

/// Whether more samples cannot or will not help at a look: even without another failure the last
/// look would not pass, `upper(invalid of maximum) > target`, or the rate is above the target
/// beyond reasonable doubt, `lower(invalid of samples) > target` (Clopper-Pearson at
/// `kFutilityConfidence`). Stopping for it can only lose certificates, never issue a wrong one, so
/// it spends no error.
[[nodiscard]] bool is_futile(BoundKind bound, std::size_t invalid, std::size_t samples,
                             std::size_t maximum, double last_confidence, double target);
inline constexpr double kFutilityConfidence = 1 - 1e-6;

/// One certificate per point, from the samples of the options' purpose; none at all when `stop` is
/// requested on the way. A certificate does not depend on the other points or on the threads.
[[nodiscard]] std::vector<Certificate> certify(const Problem& problem,
                                               std::span<const Advice> advice,
                                               const CertifyOptions& options, unsigned threads,
                                               const std::stop_token& stop = {});

}  // namespace croco
