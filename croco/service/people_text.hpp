// SPDX-License-Identifier: Apache-2.0
/// Looking for people by what they say.
#pragma once

#include <string>
#include <string_view>

#include <croco/loading/people.hpp>

namespace croco {

/// ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);
/// All values of a person and the row number, in lower case.
[[nodiscard]] std::string searchable(const Person& person);

}  // namespace croco
