// SPDX-License-Identifier: Apache-2.0
/// How a change of a feature is said to the person who is to carry it out: phrases of the schema
/// such as "ask for {to} instead of {from}".
///
///     feature.advice.any = "ask for {to} instead of {from}";
///     feature.advice.of = {{"up", "save {by} more"}, {"down", "spend {by}"}};
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <croco/base/export.hpp>

namespace croco {

struct Feature;

/// Phrases in the imperative, without a full stop. All may be missing: reports have words of their
/// own for every change.
struct AdviceWords {
  std::string any{};  ///< for every change; or else:
  /// By direction ("up", "down") for a number, by the level that is reached for a category.
  std::vector<std::pair<std::string, std::string>> of{};

  [[nodiscard]] bool empty() const noexcept { return any.empty() && of.empty(); }
  /// The phrase for a direction or level; empty when there is none.
  [[nodiscard]] const std::string& find(std::string_view key) const noexcept;
  bool operator==(const AdviceWords&) const = default;
};

/// What a phrase is filled with, units and all.
struct AdviceValues {
  std::string from{};
  std::string to{};
  std::string by{};  ///< how far a number goes, without a sign
};

inline constexpr std::size_t kMaxAdviceLength = 300;

/// The phrase with its placeholders replaced. It must be one that `validate_advice` accepts.
[[nodiscard]] CROCO_EXPORT std::string filled(std::string_view phrase, const AdviceValues& values);

/// Throws DataError naming the feature, the phrase and the rule: a placeholder that is none of
/// {from}, {to} and {by}, a brace that belongs to none, {by} where no direction is known, a phrase
/// that does not say what to change to, words for a direction or level that is not there, a
/// sentence instead of a part of one. What is allowed does not depend on the feature's movement.
CROCO_EXPORT void validate_advice(const Feature& feature);

}  // namespace croco
