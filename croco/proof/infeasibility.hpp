// SPDX-License-Identifier: Apache-2.0
/// Proofs that a target is out of reach, for every admissible point at once: of numbers and of
/// categories, under the flips of each sample. With j the least count such that
///
///     P(Bin(K, target) > j) <= error,
///
/// a point that meets the target fails at most j of K samples but for that error, because the point
/// is there before the samples. If *every* admissible point fails more than j of them, none meets
/// the target. That is the sampled problem of `branch_and_bound` with existence instead of cost,
/// and it makes one statement about one fixed point: neither points nor regions need a union bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

struct InfeasibilityOptions {
  double confidence = 0.999;      ///< that is stated, in (0, 1)
  std::size_t family = 1;         ///< people of whom the statements hold together
  double share = 1.0;             ///< of a person's error that this may spend, in (0, 1]
  std::size_t samples = 16'384;   ///< K, of Purpose::prove, 1 .. 2^20
  std::size_t max_boxes = 2'000;  ///< regions for either question, at least 1
};

/// Throws InvalidArgument naming the field, the value and the rule.
void validate(const InfeasibilityOptions& options);

/// What was proved about one person.
struct Infeasibility {
  /// No admissible point has the wanted answer, even carried out exactly. Certain: no samples.
  bool without_noise = false;
  /// No admissible point meets the target, with `confidence`.
  bool target = false;
  double confidence = 0.0;  ///< of `target`; 1 when not even the noise is needed
  std::size_t samples = 0;  ///< that were used
  std::size_t boxes = 0;    ///< regions that were examined
  /// Why nothing can be proved about this problem, in a clause; empty when it was tried.
  std::string_view reason = {};
};

struct InfeasibilityRequest {
  View origin;
  /// A point near to meeting the target, if one is known; empty otherwise. It makes proofs quick by
  /// showing which samples are hard. No proof relies on it.
  View promising = {};
  std::uint64_t person = 0;  ///< names the person's own samples where they are not shared
};

/// One answer per person; none at all when `stop` is requested on the way. An answer depends on
/// neither the threads nor the other people.
///
/// A region is settled when more than j samples are invalid at each of its points, by their upper
/// bounds, and divided otherwise. First without samples (no admissible point has the wanted
/// answer), then with them.
///
/// Steps and relations are not used, which only makes the statement stronger. Throws
/// InvalidArgument unless 0 < target < 1 and the options are valid.
[[nodiscard]] std::vector<Infeasibility> prove_infeasibility(
    const Problem& problem, double target, std::span<const InfeasibilityRequest> people,
    const InfeasibilityOptions& options, unsigned threads, const std::stop_token& stop = {});

}  // namespace croco
