// SPDX-License-Identifier: Apache-2.0
/// What is told about one person: the advice, and what is proven about it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/broken_rules.hpp>
#include <croco/explain/obstacle.hpp>
#include <croco/methods/method.hpp>
#include <croco/proof/prove.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/space/distance.hpp>

namespace croco {

enum class Status : std::uint8_t {
  found,       ///< advice, and the method's own stopping rule holds for it
  unmet,       ///< advice with the wanted answer, but the method's stopping rule does not hold
  infeasible,  ///< no advice with the wanted answer was found
  already,     ///< the model gives the wanted answer as things are
  error,       ///< the row could not be read; `reason` says why
  /// Method certified: advice whose rate seems to meet the target, but these draws cannot certify
  /// that; the obstacle says how many could.
  undecided,
};

inline constexpr std::size_t kStatuses = 6;

[[nodiscard]] std::string_view name_of(Status status) noexcept;

/// Columns of the data that are no features and go with a person into every report: names and
/// values.
using KeptColumns = std::vector<std::pair<std::string, std::string>>;

/// A row of the input.
struct Person {
  std::size_t row = 0;     ///< 0-based index in the input
  std::string where = {};  ///< "people.csv, line 7"
  Record record = {};
  std::string problem = {};  ///< when not empty: why the row could not be read
  KeptColumns kept = {};
};

/// The answer for one person.
struct Explanation {
  std::size_t row = 0;
  std::string where;
  Status status = Status::error;
  std::string reason;    ///< for every status but `found` and `already`, in a sentence
  bool missing = false;  ///< `error` because a value is missing
  KeptColumns kept = {};

  Record before;  ///< as given
  /// Features that stay missing (MissingPolicy::keep), ascending: their texts are empty in every
  /// record, and their columns hold placeholders that the model does not see.
  std::vector<std::size_t> missing_features;
  double score_before = 0.0;  ///< probability of class 1

  // With `found`, `unmet` and `undecided`; `after` is what is told, and `point` encodes exactly
  // that.
  Record after;
  Vector origin;
  Vector point;
  double score = 0.0;
  bool valid = false;  ///< the model gives the wanted answer at `point`
  Distances distance;
  std::size_t features_changed = 0;
  /// Method certified, when there is no certificate that meets the target: why, and what would do.
  std::optional<Obstacle> obstacle;
  std::optional<Certificate> certificate;
  std::optional<bool>
      target_met;  ///< certificate's bound against the method's target, if it has one

  /// Of advice that another tool made: the rules of the schema that it breaks.
  std::optional<BrokenRules> broken;

  /// What no admissible change can beat, when that was asked for.
  std::optional<Proof> proof;

  // How the search went.
  Termination termination = Termination::infeasible;
  std::size_t steps = 0;
  std::optional<double> method_rate;
  std::optional<double> method_bound;

  /// Where several options were asked for: which of the person's this is, from 1, cheapest first.
  std::size_t option = 0;
  /// Further options, each certified: complete answers of the same person, without others of their
  /// own.
  std::vector<Explanation> others;

  [[nodiscard]] bool has_advice() const noexcept {
    return status == Status::found || status == Status::unmet || status == Status::undecided;
  }
  /// By how much advice that meets the target costs more than what is proven to be necessary, at
  /// most and relatively; none when there is no such advice, or no bound above 0.
  [[nodiscard]] std::optional<double> proven_gap() const noexcept {
    if (!proof || !(proof->lower > 0) || !has_advice() || !target_met.value_or(false)) return {};
    return std::max(0.0, distance.cost / proof->lower - 1);
  }
};

}  // namespace croco
