// SPDX-License-Identifier: Apache-2.0
/// How many answers of each kind a run gave; little to remember, however many there are.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <croco/explain/explanation.hpp>

namespace croco {

struct AnswerCounts {
  /// How many reasons of rows that could not be read are kept.
  static constexpr std::size_t kRemembered = 10;

  std::size_t rows = 0;  ///< of the input, dropped ones too
  std::array<std::size_t, kStatuses> by_status = {};
  std::size_t valid = 0;
  std::size_t target_met = 0;
  std::size_t broken = 0;            ///< advice that breaks rules of the schema
  std::size_t all_alternatives = 0;  ///< people with as many as were asked for
  std::size_t dropped = 0;
  std::size_t queries = 0;       ///< rows that a model was asked for within a query budget
  std::size_t most_queries = 0;  ///< the same for one person at most
  std::size_t asked = 0;         ///< people for whom that is known
  std::vector<std::string> failures = {};  ///< the first

  /// `alternatives`: how many were asked for.
  void add(const Explanation& answer, std::size_t alternatives);
  [[nodiscard]] std::size_t of(Status status) const {
    return by_status[static_cast<std::size_t>(status)];
  }
  /// Whether there were people who need advice, and none got any that meets the method's rule.
  [[nodiscard]] bool nobody_helped() const {
    return of(Status::found) == 0 &&
           of(Status::unmet) + of(Status::infeasible) + of(Status::undecided) > 0;
  }

  bool operator==(const AnswerCounts&) const = default;
};

[[nodiscard]] std::string json_of(const AnswerCounts& counts);
/// Throws DataError for another text.
[[nodiscard]] AnswerCounts answer_counts(const std::string& json);

}  // namespace croco
