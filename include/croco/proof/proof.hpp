// SPDX-License-Identifier: Apache-2.0
/// What is proved about the cost of meeting a target, and the effort that such a proof may take: a
/// number L such that no admissible x' has
///
///     cost(x' - x) < L,  f(x') > t  and  P(f(x' + e) <= t) <= target,
///
/// with stated confidence. Beside the cost of a certified change it says how much shorter any
/// method could be. Two arguments give such a bound (`ProofBasis`); the higher one is reported.
///
///     options.prove = croco::ProveOptions{.gap = 0.01};
///     ...
///     if (answer.proof) std::cout << "no change below " << answer.proof->lower;
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <croco/base/export.hpp>

namespace croco {

/// An Explainer sets `family` and `share` itself: those of its certificates, and 1/64.
struct ProveOptions {
  double confidence = 0.999;  ///< that is stated, in (0, 1)
  std::size_t family = 1;     ///< people of whom the statements hold together
  double share = 1.0;         ///< of a person's error that the proof may spend, in (0, 1]
  /// Relative gap between the bound and the best solution of the sampled problem at which branch
  /// and bound stops, in (0, 1). A smaller one tightens the bound by at most this, at the cost of
  /// many more boxes.
  double gap = 0.005;
  /// K of the sampled problem, 1 .. 2^20. A point that meets the target fails at most
  /// j = min{j : P(Bin(K, target) > j) <= error} of them; j / K exceeds the target by a few
  /// standard errors, and the bound is too low by what that buys. Time grows in proportion.
  std::size_t samples = 16'384;
  /// Samples around the present point for the smoothing bound, 1 .. 2^39.
  std::size_t origin_samples = 100'000;
  /// Boxes that branch and bound examines, at least 1. The bound holds wherever it ends; more boxes
  /// help where several features change at once.
  std::size_t max_boxes = 10'000;
  std::optional<double> seconds = {};  ///< per person, > 0; results then depend on the machine
};

/// Throws InvalidArgument naming the field, the value and the rule.
CROCO_EXPORT void validate(const ProveOptions& options);

/// What the bound rests on.
enum class ProofBasis : std::uint8_t {
  none,  ///< nothing is known; `reason` says why
  /// Any model, two-sided Gaussian noise: Phi^-1(1 - rate) is 1-Lipschitz in standard deviations
  /// (Salman et al., NeurIPS 2019, lemma 2), so a change needs a length of at least
  /// Phi^-1(1 - target) - Phi^-1(1 - rate at the present point).
  smoothing,
  /// ReLU networks and linear models: the cheapest point that fails at most j of K samples, bounded
  /// from below by branch and bound. A point that meets the target is fixed before the samples, so
  /// it is feasible there but for the error; no union bound over points is needed.
  sampling,
  exact,  ///< no point has the wanted answer even without noise: certain
};

/// `none`, `smoothing`, `sampling`, `exact`.
[[nodiscard]] CROCO_EXPORT std::string_view name_of(ProofBasis basis) noexcept;

/// A statement that holds with `confidence`, jointly with all other statements about the person
/// when it spends only its share of the error.
struct Proof {
  ProofBasis basis = ProofBasis::none;
  /// No admissible point that costs less meets the target. Steps and relations are not used: points
  /// that break them count as admissible here, which can only lower the bound.
  double lower = 0.0;
  /// No admissible point meets the target at all; `lower` is infinite.
  bool infeasible = false;
  double confidence = 0.0;
  std::string reason = {};  ///< with `none`, in a sentence without its full stop

  // How near the sampled problem came to being solved.
  std::optional<double> sampled_cost = {};  ///< of its best solution known
  bool solved = false;  ///< the bound of the sampled problem is within the gap of that, or infinite
  std::size_t samples = 0;  ///< K
  std::size_t allowed = 0;  ///< j: how many of them a point that meets the target may fail
  std::size_t boxes = 0;    ///< examined by branch and bound
};

}  // namespace croco
