// SPDX-License-Identifier: Apache-2.0
/// A statement about one point that holds with stated confidence: its invalidation rate (definition
/// 1 of the paper) is at most `upper`,
///
///     P(f(x' + e) <= t) <= upper,
///
/// for x' as it is recommended, after rounding. It rests on samples that no search ever saw, or on
/// a closed form. Failures among independent samples are binomial whatever the model is, so nothing
/// is assumed of it.
///
///     options.certify = {.samples = 20'000, .confidence = 0.99};
///     ...
///     std::cout << certificate.upper << " at " << certificate.confidence;
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include <croco/base/bound_kind.hpp>
#include <croco/base/export.hpp>
#include <croco/base/purpose.hpp>

namespace croco {

/// How certificates are made. An Explainer sets `target`, `attempts` and `attempt` itself.
struct CertifyOptions {
  /// Clopper-Pearson is exact for counts, and so the tightest of the three; the others serve
  /// comparison.
  BoundKind bound = BoundKind::clopper_pearson;
  /// At most, 1 .. 10^10. The bound exceeds the rate by about 3 sqrt(rate (1 - rate) / samples) at
  /// confidence .999: ten times the samples bring a certified change about three times as close to
  /// the shortest one, and take up to ten times as long.
  std::size_t samples = 100'000;
  /// Probability over the samples that the statement is true, in (0, 1). The cost of more of it is
  /// small: the bound's excess grows with sqrt(log(1 / (1 - confidence))).
  double confidence = 0.999;
  Purpose purpose = Purpose::certify;  ///< which stream of samples
  bool exact = true;                   ///< a closed form instead of samples where there is one
  /// Stop at planned looks as soon as the target is passed or out of reach: after 1,000 samples,
  /// 2,000, 4,000 ... up to `samples`. The plan and its shares of the error are fixed beforehand,
  /// so stopping early costs no validity. Without a target there is nothing to decide, and all
  /// samples are used.
  bool sequential = true;
  /// Samples before the first look, at least 1; looks double from there. Fewer where every sample
  /// is expensive: an early look costs a little of the error, and saves the samples after it.
  std::size_t first_look = 1000;
  std::optional<double> target = {};  ///< that the looks compare the bound with, in (0, 1)
  /// People of whom the statements hold together: each has error (1 - confidence) / family
  /// (Bonferroni, so no independence is needed). Fix it before sampling; each person must be left
  /// an error of at least 1e-10.
  std::size_t family = 1;
  /// Attempts that share the error, and which this is, counted from 0. Attempt i takes samples
  /// i * `samples` .. (i + 1) * `samples` - 1 of the stream, and the share 2^-(i+1) of the error;
  /// a single attempt takes all of it.
  std::size_t attempts = 1;
  std::size_t attempt = 0;
  /// Samples of the stream that every attempt has to itself, at least `samples`; 0: `samples`.
  /// Attempt i then begins at i * `attempt_stride`. For attempts of different lengths, whose
  /// samples must not overlap.
  std::size_t attempt_stride = 0;
  /// The part of the person's error that this statement and its attempts may spend, in (0, 1]: all
  /// of it for a recommendation, less for statements beside it.
  double share = 1.0;
};

/// Throws InvalidArgument naming the field, the value and the rule.
CROCO_EXPORT void validate(const CertifyOptions& options);
/// Where the samples of the attempt begin in their stream.
[[nodiscard]] constexpr std::uint64_t first_sample(const CertifyOptions& options) noexcept {
  return options.attempt * (options.attempt_stride == 0 ? options.samples : options.attempt_stride);
}

/// Why no more samples were taken.
enum class StopReason : std::uint8_t {
  planned,  ///< all that were planned have been taken
  passed,   ///< the bound was at most the target at a look
  futile,   ///< no further samples could, or reasonably would, pass the target
};
/// `planned`, `passed`, `futile`.
[[nodiscard]] CROCO_EXPORT std::string_view name_of(StopReason reason) noexcept;

/// All that it takes to compute the statement again:
///
///     upper = bound(invalid of samples, at bound_confidence),
///     bound_confidence = 1 - (1 - confidence) / family * attempt's share * look's share,
///
/// times the statement's own share of a person's error where that is not 1.
struct Certificate {
  BoundKind bound = BoundKind::clopper_pearson;
  std::size_t samples = 0;  ///< taken; 0 for an exact one
  std::size_t invalid = 0;  ///< samples whose answer is not the wanted one
  /// The exact rate, or an unbiased estimate. After an early stop that is not invalid / samples,
  /// which is biased because sampling stops when failures happen to be few.
  double rate = 0.0;
  double upper = 1.0;             ///< the bound on the true rate
  double confidence = 0.0;        ///< of the statement, over all looks, attempts and the family
  double bound_confidence = 0.0;  ///< that this bound was computed with
  std::size_t attempt = 0;
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::certify;
  bool shared_draws = true;
  std::uint64_t first = 0;  ///< samples first .. first + samples - 1 of the purpose's stream
  std::size_t family = 1;
  std::size_t attempts = 1;
  std::size_t maximum = 0;         ///< samples that were planned at most
  bool sequential = false;         ///< with looks that `maximum` and `first_look` determine
  std::size_t first_look = 1000;   ///< samples before the first of planned looks
  std::size_t attempt_stride = 0;  ///< see `CertifyOptions`; 0: `maximum`
  StopReason stop = StopReason::planned;
};

/// How statements about retrained models are made. The models are drawn independently by a stated
/// recipe; the search never sees those that certify. Each has noise samples of its own.
struct ModelChangeOptions {
  /// Probability over models and samples that a statement is true, in (0, 1). The bound on the
  /// joint rate exceeds the rate by about ln(1 / (1 - confidence)) / models.
  double confidence = 0.95;
  std::size_t samples = 1000;        ///< of noise for each certifying model, 1 .. 10^6
  std::optional<double> limit = {};  ///< rate of the share statement, in (0, 1) [the target, or .1]
  std::optional<double> target = {};  ///< that the joint bound is compared with, in (0, 1)
  std::size_t family = 1;             ///< see `CertifyOptions`
  double share = 1.0;                 ///< see `CertifyOptions`
  /// Points of a person that were fixed before the first certifying model was asked, one of which
  /// is reported; at least 1.
  std::size_t candidates = 1;
  Purpose purpose = Purpose::models;
};

/// Throws InvalidArgument naming the field, the value and the rule.
CROCO_EXPORT void validate(const ModelChangeOptions& options);

/// Three statements about one point, each with the stated confidence:
///
///   joint   the failure rate over retrained models and noise together is at most `upper`;
///   share   at most `share_upper` of retrained models have a failure rate of their own above
///           `limit`;
///   list    none of the certifying models named has a failure rate above `worst_upper`.
///
/// The first two are about models that the recipe has yet to train, the last about these files.
struct ModelChange {
  double confidence = 0.0;  ///< of each statement, over the family
  std::size_t family = 1;
  std::size_t candidates = 1;
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::models;
  bool shared_draws = true;
  std::size_t samples = 0;           ///< for each model; those of model i begin at i * samples
  std::vector<std::size_t> invalid;  ///< failures of each certifying model, in their order
  double rate = 0.0;                 ///< the mean over the models, unbiased
  double bound = 1.0;                ///< betting bound on the joint rate at this point
  /// What is stated: the bound, or with several candidates the larger of bound and target, since
  /// which of them is reported depends on the models.
  double upper = 1.0;
  double limit = 0.1;
  std::size_t most = 0;       ///< a model with more failures counts as exceeding the limit
  std::size_t exceeding = 0;  ///< models that do
  double share_upper = 1.0;
  std::size_t worst = 0;  ///< the certifying model with the most failures, the first of several
  double worst_upper = 1.0;
  std::size_t rejecting = 0;  ///< certifying models that refuse the point even without noise

  bool operator==(const ModelChange&) const = default;
};

}  // namespace croco
