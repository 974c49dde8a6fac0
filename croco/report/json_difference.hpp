// SPDX-License-Identifier: Apache-2.0
/// Compares a JSON text that somebody handed over with what it should say.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace croco {

/// The first place where `given` differs from `made`, in a sentence that names it, both values and
/// nothing else: "'plan.steps[0].to' is "72"; it must be "71"". None when they say the same: the
/// same keys in any order, arrays in the same order, texts and whole numbers equal, other numbers
/// equal to 1e-9 of their size. Both must be JSON.
[[nodiscard]] std::optional<std::string> first_difference(std::string_view given,
                                                          std::string_view made);

}  // namespace croco
