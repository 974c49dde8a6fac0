// SPDX-License-Identifier: Apache-2.0
/// What the user says about the output of a model file, where the file itself leaves it open.
#pragma once

#include <cstdint>
#include <string_view>

namespace croco {

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
[[nodiscard]] ScoreKind parse_score_kind(std::string_view text);
/// `label`, `probability`, or nothing for `unstated`. Throws InvalidArgument.
[[nodiscard]] DecidedBy parse_decided_by(std::string_view text);

}  // namespace croco
