// SPDX-License-Identifier: Apache-2.0
/// Help for misspelt names in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace croco {

/// `; did you mean 'age'?` with the candidate that takes the fewest edits, or an empty text when
/// none is close (at most a third of the letters differ, and at least one edit is always allowed).
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& candidates);
/// `'a', 'b', 'c'`
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& names);

}  // namespace croco
