// SPDX-License-Identifier: Apache-2.0
/// The answer for one person: the recommended change, and what is certified and proved about it.
///
///     if (answer.status == croco::Status::found) {
///       std::cout << answer.after[0] << ", fails at most " << answer.certificate->upper;
///     } else {
///       std::cout << answer.reason;
///     }
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/reasons/obstacle.hpp>
#include <croco/loading/people.hpp>
#include <croco/methods/method.hpp>
#include <croco/proof/proof.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/space/distance.hpp>

namespace croco {

enum class Status : std::uint8_t {
  found,       ///< advice, and the method's own stopping rule holds for it
  unmet,       ///< advice with the wanted answer, but the method's stopping rule does not hold
  infeasible,  ///< no advice with the wanted answer was found
  already,     ///< the model gives the wanted answer as things are
  error,       ///< the row could not be read; `reason` says why
  /// Method certified: advice whose failure rate seems to meet the target, but these samples
  /// cannot certify it; the obstacle says how many could.
  undecided,
};

inline constexpr std::size_t kStatuses = 6;

[[nodiscard]] CROCO_EXPORT std::string_view name_of(Status status) noexcept;
/// Whether answers of this status recommend something.
[[nodiscard]] constexpr bool has_advice(Status status) noexcept {
  return status == Status::found || status == Status::unmet || status == Status::undecided;
}

/// The rules of the schema that a change breaks: advice of other tools does not know them.
struct BrokenRules {
  std::vector<Limit> limits = {};  ///< by feature in the schema's order, then relations
  bool too_many_changes = false;   ///< more features change than `max_changes` of the schema

  [[nodiscard]] bool any() const noexcept { return !limits.empty() || too_many_changes; }
  bool operator==(const BrokenRules&) const = default;
};

/// A reason of a refusal: a feature whose value costs score, and how much the values of accepted
/// people would gain on average.
struct ReasonCode {
  std::size_t feature = 0;  ///< index into the schema, whose feature has the code
  double gain = 0.0;        ///< of the wanted class's probability

  bool operator==(const ReasonCode&) const = default;
};

/// How unusual a record is among people whom the model accepts: a description of a point that was
/// optimised, no test.
struct Plausibility {
  double distance = 0.0;    ///< mean distance to the nearest accepted people of the training data
  double share = 0.0;       ///< of other accepted people, those at least as far from theirs
  /// The nearest one's place, from 0, among the rows that the model brings or the caller knows: of
  /// training data of at most 8,192 rows without missing values the row itself.
  std::size_t nearest = 0;

  bool operator==(const Plausibility&) const = default;
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

  // With `found`, `unmet` and `undecided`; `after` is the recommended record, and `point`
  // encodes exactly that.
  Record after;
  Vector origin;
  Vector point;
  double score = 0.0;
  bool valid = false;  ///< the model gives the wanted answer at `point`
  Distances distance;
  std::size_t features_changed = 0;
  /// Method certified, when there is no certificate that meets the target: why, and which
  /// relaxations would give one.
  std::optional<Obstacle> obstacle;
  std::optional<Certificate> certificate;
  /// What is certified about retrained models, where there are some.
  std::optional<ModelChange> model_change;
  /// The certificate's bound against the method's target, if it has one; with retrained models the
  /// joint bound too.
  std::optional<bool> target_met;

  /// Of advice that another tool made: the rules of the schema that it breaks.
  std::optional<BrokenRules> broken;

  /// What no admissible change can beat, when that was asked for.
  std::optional<Proof> proof;

  /// Of the recommended record, where that was asked for.
  std::optional<Plausibility> plausibility;
  /// Why the model refuses, where reason codes were asked for; of an alternative none.
  std::vector<ReasonCode> reason_codes;
  /// Within a query budget: rows that the model was asked for to make this answer, those of its
  /// alternatives and those that keep watch included.
  std::optional<std::size_t> queries;

  // How the search went.
  std::size_t steps = 0;
  std::optional<double> method_rate;
  std::optional<double> method_bound;

  /// Where several alternatives were asked for: which of the person's this is, from 1, cheapest
  /// first; else 0.
  std::size_t alternative = 0;
  /// The further alternatives, each certified: complete answers for the same person, without
  /// alternatives of their own.
  std::vector<Explanation> alternatives;

  [[nodiscard]] bool has_advice() const noexcept { return croco::has_advice(status); }
  /// By how much advice that meets the target costs more than what is proven to be necessary, at
  /// most and relatively; none when there is no such advice, or no bound above 0.
  [[nodiscard]] std::optional<double> proven_gap() const noexcept {
    if (!proof || !(proof->lower > 0) || !has_advice() || !target_met.value_or(false)) return {};
    return std::max(0.0, distance.cost / proof->lower - 1);
  }
};

/// The answer for somebody whom the model cannot answer without what is missing.
[[nodiscard]] CROCO_EXPORT Explanation refused_answer(const Person& person,
                                                      const std::string& rule);

}  // namespace croco
