// SPDX-License-Identifier: Apache-2.0
/// How many rounds of a boosted model count.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <croco/models/reading_choices.hpp>

namespace croco {

/// How many of a file's `rounds` count. `best`: the best round, from 0, where the file names it.
/// Throws ModelError that begins with `source` when the file leaves the choice open, and
/// InvalidArgument when it does not have what is asked for.
[[nodiscard]] std::size_t chosen_rounds(const RoundChoice& choice, std::size_t rounds,
                                        std::optional<std::size_t> best, const std::string& source);

}  // namespace croco
