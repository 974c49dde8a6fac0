// SPDX-License-Identifier: Apache-2.0
/// Proofs for people without certified advice: that no admissible change has the wanted answer, or
/// that none meets the target.
#pragma once

#include <span>
#include <stop_token>

#include <croco/explain/reasons/relaxations.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Tries to prove what the obstacles of these people say (kinds `no_valid_point` and `target`), and
/// notes the confidence. The options are those of the run. Incomplete when `stop` is requested.
void prove_out_of_reach(const Problem& problem, const ExplainOptions& options,
                        std::span<const Hindered> people, const std::stop_token& stop);

}  // namespace croco
