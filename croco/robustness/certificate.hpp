// SPDX-License-Identifier: Apache-2.0
/// A statement about one point that holds with stated confidence: its invalidation rate is at most
/// `upper`. It rests on draws that no search ever saw, or on a closed form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include <croco/base/bounds.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

struct CertifyOptions {
  BoundKind bound = BoundKind::clopper_pearson;  ///< of draws
  std::size_t samples = 100'000;                 ///< draws at most, 1 .. 2^40
  double confidence = 0.999;                     ///< of the statement, in (0, 1)
  Purpose purpose = Purpose::certify;
  bool exact = true;  ///< a closed form instead of draws where there is one
  /// Planned looks at up to `samples` draws, until the answer is clear. Without a target there is
  /// nothing to be clear about, and all of them are made.
  bool sequential = true;
  std::optional<double> target = {};
  /// The people of whom the statements hold together: each has 1 / family of the error. To be fixed
  /// before drawing; no independence is needed.
  std::size_t family = 1;
  /// Attempts that share the error, and which this is: attempt i takes the i-th run of `samples`
  /// draws and its share (see `attempt_share`).
  std::size_t attempts = 1;
  std::size_t attempt = 0;
  /// The part of the person's error that this sentence and its attempts may spend, in (0, 1]: all
  /// of it for advice, `sentence_share` for what is said besides.
  double share = 1.0;
};

/// Throws InvalidArgument naming the field, the value and the rule.
void validate(const CertifyOptions& options);

/// The confidence that one person's certificate has at its last look, over all attempts. A search
/// that aims just below a target has to prepare for this one.
[[nodiscard]] double last_look_confidence(const CertifyOptions& options) noexcept;

/// Why no more draws were made.
enum class StopReason : std::uint8_t {
  planned,  ///< all that were planned have been made
  passed,   ///< the bound was at most the target
  futile,   ///< the target was out of reach
};
/// `planned`, `passed`, `futile`.
[[nodiscard]] std::string_view name_of(StopReason reason) noexcept;

struct Certificate {
  BoundKind bound = BoundKind::clopper_pearson;
  std::size_t samples = 0;  ///< draws made; 0 for an exact one
  std::size_t invalid = 0;
  double rate = 0.0;              ///< estimated without bias (`stated_rate`), or the exact rate
  double upper = 1.0;             ///< the bound on the true rate
  double confidence = 0.0;        ///< of the statement, over all looks, attempts and the family
  double bound_confidence = 0.0;  ///< that this bound was computed with
  std::size_t attempt = 0;
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::certify;
  bool shared_draws = true;
  std::uint64_t first = 0;  ///< draws first .. first + samples - 1 of the purpose's stream
  std::size_t family = 1;
  std::size_t attempts = 1;
  std::size_t maximum = 0;  ///< draws that were planned at most
  bool sequential = false;  ///< looked at by `planned_looks(maximum)`
  StopReason stop = StopReason::planned;
};

/// The estimate of the rate that a certificate states which stopped after `samples` draws, of which
/// `invalid` failed: unbiased over all that could have stopped it. The quotient of the two unless
/// there was an earlier look, or when no look is planned there.
[[nodiscard]] double stated_rate(const CertifyOptions& options, std::size_t samples,
                                 std::size_t invalid);

/// Whether more draws cannot or will not help at a look: even without another failure the last look
/// would not pass, or the rate is above the target beyond reasonable doubt (Clopper-Pearson at
/// `kFutilityConfidence`). Stopping for it can only lose certificates, never issue a wrong one.
[[nodiscard]] bool is_futile(BoundKind bound, std::size_t invalid, std::size_t samples,
                             std::size_t maximum, double last_confidence, double target);
inline constexpr double kFutilityConfidence = 1 - 1e-6;

/// One certificate per point, from the draws of the options' purpose; none at all when `stop` is
/// requested on the way. A certificate does not depend on the other points or on the threads.
[[nodiscard]] std::vector<Certificate> certify(const Problem& problem,
                                               std::span<const Advice> advice,
                                               const CertifyOptions& options, unsigned threads,
                                               const std::stop_token& stop = {});

}  // namespace croco
