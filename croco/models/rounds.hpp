// SPDX-License-Identifier: Apache-2.0
/// Which rounds of boosting count. XGBoost's interfaces disagree about files with rounds after the
/// best one: the one of scikit-learn uses the rounds up to it, `Booster.predict` uses all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace croco {

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
[[nodiscard]] RoundChoice parse_rounds(const std::string& text);

/// How many of a file's `rounds` count. `best`: the best round, from 0, where the file names it.
/// Throws ModelError that begins with `source` when the file leaves the choice open, and
/// InvalidArgument when it does not have what is asked for.
[[nodiscard]] std::size_t chosen_rounds(const RoundChoice& choice, std::size_t rounds,
                                        std::optional<std::size_t> best, const std::string& source);

}  // namespace croco
