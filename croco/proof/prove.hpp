// SPDX-License-Identifier: Apache-2.0
/// What no method can beat: a lower bound on the cost of *every* admissible point after which the
/// model gives the wanted answer and whose invalidation rate is at most a target; or a proof that
/// there is no such point.
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
#include <croco/robustness/problem.hpp>

namespace croco {

struct ProveOptions {
  double confidence = 0.999;             ///< that is stated, in (0, 1)
  std::size_t family = 1;                ///< people of whom the statements hold together
  double share = 1.0;                    ///< of a person's error that it may spend, in (0, 1]
  double gap = 0.005;                    ///< of the sampled problem, in (0, 1)
  std::size_t samples = 16'384;          ///< draws of the sampled problem, 1 .. 2^20
  std::size_t origin_samples = 100'000;  ///< draws around the present point, at least 1
  std::size_t max_boxes = 10'000;        ///< that branch and bound looks at, at least 1
  std::optional<double> seconds = {};    ///< per person, > 0; results then depend on the machine
};

/// Throws InvalidArgument naming the field, the value and the rule.
void validate(const ProveOptions& options);

/// What the bound rests on.
enum class ProofBasis : std::uint8_t {
  none,       ///< nothing is known; `reason` says why
  smoothing,  ///< the Lipschitz constant of the rate under Gaussian noise
  sampling,   ///< the sampled problem, by branch and bound
  exact,      ///< no point has the wanted answer even without noise: certain
};

/// `none`, `smoothing`, `sampling`, `exact`.
[[nodiscard]] std::string_view name_of(ProofBasis basis) noexcept;

/// A statement that holds with `confidence`; together with all that the person is told besides when
/// its share of the error is `sentence_share`.
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
  std::size_t samples = 0;
  std::size_t allowed = 0;  ///< of the samples that a point that meets the target may fail
  std::size_t boxes = 0;
};

/// A person to prove something about.
struct ProveRequest {
  View origin;
  /// A point that meets the target, if one is known; empty otherwise. It makes proofs quick, and
  /// bounds are looked for up to its cost only. No proof relies on it.
  View known = {};
  std::uint64_t person = 0;  ///< names the person's own draws where they are not shared
};

/// One proof per person; none at all when `stop` is requested on the way. A proof depends on
/// neither the threads nor the other people (with `seconds`, on the speed of the machine).
/// Throws InvalidArgument unless 0 < target < 1 and the options are valid.
[[nodiscard]] std::vector<Proof> prove(const Problem& problem, double target,
                                       std::span<const ProveRequest> people,
                                       const ProveOptions& options, unsigned threads,
                                       const std::stop_token& stop = {});

}  // namespace croco
