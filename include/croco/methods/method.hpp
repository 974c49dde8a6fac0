// SPDX-License-Identifier: Apache-2.0
/// The methods, as plain options: the options struct *is* the method.
///
///     croco::Method method = croco::Certified{.target = 0.1};
///     method = croco::Croco{.target = 0.2, .as_published = true};
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>
#include <croco/robustness/goal.hpp>

namespace croco {

// In the formulas below x is the person, x' the counterfactual, f(x') the probability of the wanted
// class, t its threshold, z the logit of f, e_k a sample of the noise, and the paper is Guyomard et
// al., "Generating robust counterfactual explanations" (2023). Changes are in encoded units, in
// which a number's training range has length 1.

/// Wachter et al. (2018): the nearest point that the model accepts, by Adam steps on
///
///     -log f(x') + lambda |x' - x|_1
///
/// until the first step at which the class has flipped (eq. 1 of the paper with the cross-entropy
/// as its loss). It ignores the noise, so it shows what robustness costs; its points usually lie
/// so close to the boundary that small deviations undo them.
struct Wachter {
  /// Of Adam, > 0: about how far a column moves in one step. Lower it when points overshoot the
  /// boundary, and raise `block_steps` to match.
  double learning_rate = 0.01;
  /// Weight of the distance, >= 0. A large one keeps points near but may outweigh the first term,
  /// and then the class never flips.
  double lambda = 0.01;
  /// Taken off lambda after each block that did not flip the class; lambda stays at least 0. > 0.
  double lambda_step = 0.05;
  std::size_t block_steps = 1000;  ///< Adam steps with one lambda, 1 .. 1,000,000
  std::size_t max_blocks = 10;     ///< blocks before the search gives up, 1 .. 100,000
  /// The published loop: lambda may turn negative, which rewards distance; ranges and immutable
  /// features are ignored. For reproducing figures only.
  bool as_published = false;
};

/// PROBE (Pawelczyk et al., ICLR 2023; eq. 2 of the paper): blocks of Adam steps on
///
///     rate_weight max(0, r(x') - target) + cross-entropy(f(x'), t + .05) + lambda |x' - x|_1
///
/// where r is the invalidation rate of the model's tangent plane at x' under Gaussian noise,
///
///     r(x') = 1 - Phi((z - logit t) / s),    s^2 = sum_j (sd_j dz/dx_j)^2.
///
/// r is exact for a linear model and a first-order approximation for others: where the boundary
/// bends it may be too low, so a block is accepted by a Monte-Carlo rate (eq. 3) of at most the
/// target and a flipped class, not by r. Two-sided Gaussian noise and models with a gradient only.
struct Probe {
  double target = 0.3;           ///< highest acceptable invalidation rate, in (0, 1)
  double learning_rate = 0.001;  ///< of Adam, > 0; see `Wachter::learning_rate`
  double lambda = 1.0;           ///< weight of the distance at first, >= 0
  double lambda_step = 0.25;     ///< taken off lambda after each failed block, > 0
  /// Weight of the hinge on the rate, >= 0. Raise it when searches end as `unmet`.
  double rate_weight = 3.0;
  std::size_t block_steps = 200;  ///< Adam steps with one lambda, 1 .. 1,000,000
  std::size_t max_blocks = 24;    ///< blocks before the search gives up, 1 .. 100,000
  /// Samples of the Monte-Carlo rate that accepts a block, at least 1. It is an estimate with a
  /// standard error of sqrt(rate (1 - rate) / check_samples), not a guarantee.
  std::size_t check_samples = 10'000;
  /// The published loop: lambda may turn negative, a rate of up to target + .01 is accepted, ranges
  /// and immutable features are ignored.
  bool as_published = false;
};

/// CROCO (the paper, section 4.2): blocks of Adam steps on eq. 8,
///
///     ((m + soft) / (1 - t) - target)^2 + (1 - f(x'))^2 + lambda |x' - x|_1,
///
/// with the soft rate soft = mean_k (1 - f(x' + e_k)) (eq. 5), until the class has flipped and
///
///     bound = (m + soft) / (1 - t) <= target.
///
/// By Markov's inequality the invalidation rate is at most E[soft] / (1 - t) (proposition 1), and
/// by Hoeffding's inequality E[soft] <= soft + m with probability 1 - exp(-2 m^2 K)
/// (proposition 2). The first step is loose: the bound is never below m / (1 - t), and a model
/// whose probabilities stay away from 0 and 1 may have a low rate and a bound above 1. `Certified`
/// bounds the rate itself and gives shorter changes at the same target.
struct Croco {
  double target = 0.3;  ///< highest acceptable value of the bound, in (0, 1)
  /// m, the deviation allowed between the sampled and the true soft rate, in (0, 1), below
  /// target (1 - t). A smaller one tightens the bound and needs K ~ 1 / m^2 samples. None: planned
  /// from target and confidence (`plan_bound`: a quarter of target (1 - t)); published: .1.
  std::optional<double> margin = {};
  /// K, the samples of the bound at the end of a block, 1 .. 10^8. None: the fewest with
  /// 1 - exp(-2 m^2 K) >= confidence; published: 500.
  std::optional<std::size_t> samples = {};
  double confidence = 0.999;       ///< of the bound that stops the search, in (0, 1)
  std::size_t step_samples = 500;  ///< samples of the soft rate in a gradient step, 1 .. 1,000,000
  double learning_rate = 0.01;     ///< of Adam, > 0; see `Wachter::learning_rate`
  double lambda = 1.0;             ///< weight of the distance at first, >= 0
  double lambda_step = 0.25;       ///< taken off lambda after each failed block, > 0
  std::size_t block_steps = 200;   ///< Adam steps with one lambda, 1 .. 1,000,000
  std::size_t max_blocks = 8;      ///< blocks before the search gives up, 1 .. 100,000
  /// The published loop: m = .1 and K = 500 by default, a block ends the search as soon as the
  /// class has flipped *or* the bound is at most target + .01, lambda may turn negative, ranges and
  /// immutable features are ignored, and noise in the steps is on numeric columns alone.
  bool as_published = false;
};

/// Where the certified method takes the slope of its constraint from.
enum class SearchKind : std::uint8_t {
  automatic,      ///< the model's gradient if it has one, else as `gradient_free`
  gradient,       ///< the model's gradient
  gradient_free,  ///< Stein's identity on the model's answers to noisy rows: any model will do
};

/// `auto`, `gradient`, `gradient-free`.
[[nodiscard]] CROCO_EXPORT std::string_view name_of(SearchKind kind) noexcept;
/// Throws InvalidArgument naming the text and the kinds there are.
[[nodiscard]] CROCO_EXPORT SearchKind parse_search(std::string_view text);

/// The certificate that a search prepares for: a recommendation that aims at a weaker one would
/// fail it. A point passes with at most
///
///     kmax = max{k : P(Bin(samples, target) <= k) <= 1 - confidence}
///
/// failures among fresh samples, so the search aims a few standard errors below kmax / samples.
struct CertificatePlan {
  double confidence = 0.999;      ///< over all attempts, in (0, 1)
  std::size_t samples = 100'000;  ///< at most; fewer of them need a longer change to pass
  bool exact = true;              ///< by the closed form, where the rate has one
  /// The rates to aim at, one for each attempt that may be made, where other statements than the
  /// certificate set them; none: what the certificate allows.
  std::vector<double> aims = {};
};

/// The cheapest change whose invalidation rate is *certified* to be at most the target:
///
///     min cost(x' - x)  subject to  P(f(x' + e) <= t) <= target,  f(x') > t,  x' admissible.
///
/// 1. Search: on K fixed samples "at most j are invalid" is the same as "the (j+1)-th smallest
///    margin z(x' + e_k) - logit t is positive". Unlike a rate, that order statistic is continuous
///    and does not saturate; a trust-region sequence of linear programs minimises the cost under
///    it, from several starts.
/// 2. Calibration: the samples that chose a point flatter it. On samples of their own the change is
///    scaled until a certificate from fresh samples will pass with high probability.
/// 3. Certificate (`CertifyOptions`): on fresh samples, after rounding. The statement therefore
///    holds whatever the search did; a poor search costs distance, never validity.
///
/// Where the rate has a closed form (a linear model under Gaussian noise), "rate at most target" is
/// one linear constraint and the change is the optimum itself.
struct Certified {
  double target = 0.05;  ///< highest acceptable invalidation rate, in (0, 1)
  /// K of the search, at least 64. The order statistic is off by about
  /// sqrt(target (1 - target) / K) in rate, which calibration repairs: more samples rank candidates
  /// better and take proportionally longer. Raise it for targets below about 10 / K.
  std::size_t search_samples = 2048;
  /// Samples on which a change is scaled to where a certificate passes, at least 64. More of them
  /// fail fewer certificates [32,768; 8,192 where queries are expensive]. A search without a
  /// gradient uses at most 32,768.
  std::optional<std::size_t> calibration_samples = {};
  /// `gradient_free` for a model whose gradient says little, such as one that is nearly constant
  /// between jumps.
  SearchKind search = SearchKind::automatic;
  /// Gradient-free: rows that the search of one person may query before calibration, at least 1
  /// [4,000,000; 1,600,000 where queries are expensive]. Lower it for a slow remote model.
  std::optional<std::size_t> search_budget = {};
  /// Gradient-free: the search accepts what it has found after this many rows, and continues to
  /// `search_budget` only when nothing holds, at least 1 [`search_budget`; 200,000 where queries
  /// are expensive].
  std::optional<std::size_t> soft_search_budget = {};
  /// Gradient-free: points such as accepted training rows, whose movable columns are tried on
  /// everybody as starts; generated when there are none. An Explainer of a LoadedModel takes the
  /// model's own accepted examples.
  std::shared_ptr<const Matrix> accepted = {};
  /// For a search of its own. An Explainer derives it from the certificates that it issues, and
  /// throws InvalidArgument when it is given.
  std::optional<CertificatePlan> certificate = {};
  /// False: searches with a gradient aim at the target itself on the calibration samples, without a
  /// reserve. Such points fail most certificates; for comparisons at equal rate.
  bool calibrate_for_certificate = true;
};

using Method = std::variant<Wachter, Probe, Croco, Certified>;

/// `wachter`, `probe`, `croco`, `certified`.
[[nodiscard]] CROCO_EXPORT std::string_view name_of(const Method& method) noexcept;
/// The target of the method, for those that have one.
[[nodiscard]] CROCO_EXPORT std::optional<double> target_of(const Method& method) noexcept;
[[nodiscard]] CROCO_EXPORT bool is_as_published(const Method& method) noexcept;
/// Throws InvalidArgument naming the field, the value and the rule; among them an impossible
/// (m, K, t, target).
CROCO_EXPORT void validate(const Method& method, const Goal& goal);

/// How a search ended. Each is a valid outcome, none an error.
enum class Termination : std::uint8_t {
  converged,   ///< the method's own stopping rule holds at the point
  unmet,       ///< the class has flipped, but the stopping rule does not hold at the point
  infeasible,  ///< no point with the wanted class was found; the point is the last one tried
  cancelled,   ///< stopped from outside
};

/// What a search found.
struct Counterfactual {
  Vector point;
  Termination termination = Termination::infeasible;
  std::size_t steps = 0;
  std::size_t blocks = 0;
  double lambda = 0.0;                      ///< at the end
  std::optional<double> method_rate = {};   ///< the method's own estimate of the rate at the point
  std::optional<double> method_bound = {};  ///< CROCO's bound (proposition 2) at the point
};

}  // namespace croco
