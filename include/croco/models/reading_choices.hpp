// SPDX-License-Identifier: Apache-2.0
/// What the user says about a model file where the file itself leaves it open.
///
///     croco::LoadModelOptions options;
///     options.rounds = croco::parse_rounds("best");
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <croco/base/export.hpp>

namespace croco {

/// Which rounds of boosting count. XGBoost's interfaces disagree about files with rounds after the
/// best one: the one of scikit-learn uses the rounds up to it, `Booster.predict` uses all.
struct RoundChoice {
  enum class Kind : std::uint8_t {
    unstated,  ///< all; refused when the file says that an earlier round was the best
    best,      ///< up to the best round, which the file has to name
    all,
    first,  ///< the first `count`
  };
  Kind kind = Kind::unstated;
  std::size_t count = 0;

  bool operator==(const RoundChoice&) const = default;
};

/// `best`, `all` or a number of at least 1. Throws InvalidArgument.
[[nodiscard]] CROCO_EXPORT RoundChoice parse_rounds(const std::string& text);

/// What the numbers of the output are.
enum class ScoreKind : std::uint8_t {
  proven,       ///< what can be proved; refused otherwise
  logit,        ///< log-odds, or raw scores whose sign decides
  probability,  ///< of the classes
};

/// Which output decides, where a file has a label and probabilities that may disagree.
enum class DecidedBy : std::uint8_t { unstated, label, probability };

struct ScoreChoice {
  ScoreKind kind = ScoreKind::proven;
  DecidedBy decided_by = DecidedBy::unstated;

  bool operator==(const ScoreChoice&) const = default;
};

/// `logit`, `probability`, or nothing for `proven`. Throws InvalidArgument.
[[nodiscard]] CROCO_EXPORT ScoreKind parse_score_kind(std::string_view text);
/// `label`, `probability`, or nothing for `unstated`. Throws InvalidArgument.
[[nodiscard]] CROCO_EXPORT DecidedBy parse_decided_by(std::string_view text);

}  // namespace croco
