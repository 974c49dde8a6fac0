// SPDX-License-Identifier: Apache-2.0
/// The methods, as plain options: the options struct *is* the method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include <croco/base/types.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Wachter et al. (2018): `-log f + lambda |x' - x|_1`, until the class flips. Knows no noise.
struct Wachter {
  double learning_rate = 0.01;
  double lambda = 0.01;
  double lambda_step = 0.05;  ///< taken off lambda after each block; never below 0
  std::size_t block_steps = 1000;
  std::size_t max_blocks = 10;
  bool as_published = false;  ///< lambda may turn negative; no bounds or immutables
};

/// PROBE (Pawelczyk et al., 2023): a hinge on its closed-form rate, cross-entropy, distance.
struct Probe {
  double target = 0.3;  ///< in (0, 1)
  double learning_rate = 0.001;
  double lambda = 1.0;
  double lambda_step = 0.25;
  double rate_weight = 3.0;  ///< factor of the hinge
  std::size_t block_steps = 200;
  std::size_t max_blocks = 24;
  std::size_t check_samples = 10'000;  ///< draws that judge a block's end
  bool as_published = false;  ///< lambda may turn negative, a slack of .01 on the target, no bounds
};

/// CROCO (the paper, section 4.2): `((m + soft rate) / (1 - t) - target)^2 + (1 - f)^2 + lambda
/// |x' - x|_1`, until the class has flipped and the bound `(m + soft rate) / (1 - t)` is at most
/// the target.
struct Croco {
  double target = 0.3;  ///< in (0, 1)
  /// m of the bound and K, the draws that judge it. When not given they are planned from the
  /// target and the confidence (`plan_bound`); the published ones are .1 and 500.
  std::optional<double> margin = {};
  std::optional<std::size_t> samples = {};
  double confidence = 0.999;       ///< of the bound that stops the search, for planning
  std::size_t step_samples = 500;  ///< draws per gradient step
  double learning_rate = 0.01;
  double lambda = 1.0;
  double lambda_step = 0.25;
  std::size_t block_steps = 200;
  std::size_t max_blocks = 8;
  /// The published loop: m = .1 and K = 500 by default, a block ends the search as soon as the
  /// class has flipped *or* the bound is within .01 of the target, lambda may turn negative, no
  /// bounds or immutables.
  bool as_published = false;
};

/// How the certified method learns which way to go.
enum class SearchKind : std::uint8_t {
  automatic,      ///< by the model's gradient if it has one
  gradient,       ///< by the model's gradient
  gradient_free,  ///< from the model's answers to noisy rows alone
};

/// `auto`, `gradient`, `gradient-free`.
[[nodiscard]] std::string_view name_of(SearchKind kind) noexcept;
/// Throws InvalidArgument naming the text and the kinds there are.
[[nodiscard]] SearchKind parse_search(std::string_view text);

/// The shortest change whose invalidation rate is certified to be at most the target: "at most j of
/// K draws invalid" as a constraint on an order statistic, a trust-region sequence of linear
/// programs from several starts, then calibration so that a certificate from fresh draws passes.
/// Where the rate has a closed form (see `has_exact_rate`), the change is the optimum itself.
/// An Explainer overrides `confidence`, `certificate_samples` and `exact` with what its
/// certificates will be.
struct Certified {
  double target = 0.05;                       ///< in (0, 1)
  double confidence = 0.999;                  ///< of the certificate, over all attempts
  std::size_t certificate_samples = 100'000;  ///< draws of the certificate that it prepares for
  std::size_t search_samples = 2048;
  std::size_t calibration_samples = 32'768;
  /// Without a certificate to pass, the target is what the draws of the calibration show.
  bool certified = true;
  bool exact = true;  ///< prepare for an exact certificate where there is one
  SearchKind search = SearchKind::automatic;
  /// Gradient-free: rows that the search of one person may ask the model for, before calibration.
  std::size_t search_rows = 4'000'000;
  /// Gradient-free, where rows are dear: the search is content after so many with what it has
  /// found; only where nothing holds does it go on up to `search_rows`.
  std::size_t thrifty_rows = 4'000'000;
  /// Gradient-free: points of the space, such as accepted training rows, whose movable columns are
  /// tried on everybody as starts; points are made up when there are none.
  std::shared_ptr<const Matrix> donors = {};
};

using Method = std::variant<Wachter, Probe, Croco, Certified>;

/// `wachter`, `probe`, `croco`, `certified`.
[[nodiscard]] std::string_view name_of(const Method& method) noexcept;
/// The target of the method, for those that have one.
[[nodiscard]] std::optional<double> target_of(const Method& method) noexcept;
[[nodiscard]] bool is_as_published(const Method& method) noexcept;
/// Throws InvalidArgument naming the field, the value and the rule; among them an impossible
/// (m, K, t, target).
void validate(const Method& method, const Goal& goal);

/// How a search ended. Each is an answer, none an error.
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
  std::optional<double> method_bound = {};  ///< CROCO's bound at the point
};

}  // namespace croco
