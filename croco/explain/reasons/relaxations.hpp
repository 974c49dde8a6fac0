// SPDX-License-Identifier: Apache-2.0
/// Problems that differ in one thing from the one without an answer, each really solved.
#pragma once

#include <span>
#include <stop_token>

#include <croco/explain/explanation.hpp>
#include <croco/explain/reasons/reasons.hpp>

namespace croco {

/// A person and the answer that meets no target.
struct Hindered {
  const Person* person = nullptr;
  Explanation* answer = nullptr;
  Obstacle* obstacle = nullptr;  ///< the answer's, once it has one
};

/// Adds the relaxations that give a certified answer. Every solution is found and certified on
/// samples of its own. What is said of them holds at the run's confidence, together with all other
/// statements about the person (`sentence_share`). Incomplete when `stop` is requested.
void add_relaxations(const ReasonsProblem& problem, std::span<const Hindered> people,
                     const std::stop_token& stop);

}  // namespace croco
