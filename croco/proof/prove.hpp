// SPDX-License-Identifier: Apache-2.0
/// What no method can beat: a lower bound on the cost of *every* admissible point after which the
/// model gives the wanted answer and whose invalidation rate is at most a target; or a proof that
/// there is no such point. Let p be a cheapest such point (or a sequence that approaches it).
///
/// - Sampling: p is fixed before the K samples, so with probability 1 - error it fails at most
///   j = min{j : P(Bin(K, target) > j) <= error} of them. Then p is feasible for the sampled
///   problem, and costs at least what branch and bound proves of its cheapest solution.
/// - Smoothing: h = Phi^-1(1 - rate) is 1-Lipschitz in standard deviations under Gaussian noise, so
///   p is at least `Phi^-1(1 - target) - Phi^-1(1 - r)` away, where r is a lower confidence limit
///   (Clopper-Pearson) for the rate at the present point.
///
/// Where both apply they share the error (`proof_shares`), and the higher bound is reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/proof/proof.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// A person to prove something about.
struct ProveRequest {
  View origin;
  /// A point that meets the target, if one is known; empty otherwise. It makes proofs quick, and
  /// bounds are looked for up to its cost only. No proof relies on it.
  View known = {};
  std::uint64_t person = 0;  ///< names the person's own samples where they are not shared
};

/// One proof per person; none at all when `stop` is requested on the way. A proof depends on
/// neither the threads nor the other people (with `seconds`, on the speed of the machine).
/// Throws InvalidArgument unless 0 < target < 1 and the options are valid.
[[nodiscard]] std::vector<Proof> prove(const Problem& problem, double target,
                                       std::span<const ProveRequest> people,
                                       const ProveOptions& options, unsigned threads,
                                       const std::stop_token& stop = {});

}  // namespace croco
