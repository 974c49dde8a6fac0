// SPDX-License-Identifier: Apache-2.0
/// What is checked on a command line before a command sees it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apps/cli/command_line.hpp>

namespace croco::cli {

/// The command that was chosen, below another one if it is part of it; the program itself when none
/// was.
[[nodiscard]] Command chosen_command(const Command& program);
/// Its names below the program, such as "model" and "inspect".
[[nodiscard]] std::vector<std::string> path_of(const Command& command);
/// "croco model inspect"
[[nodiscard]] std::string full_name(const Command& command);

/// Lets no option for a number take what the number cannot hold. CLI11 reads -1 into a count as a
/// huge one, 010 as 8, numbers beyond the range as the end of the range, and 1e400 as infinite.
void add_number_checks(const Command& command);

/// What to say about a word that stands where a command should.
[[nodiscard]] std::string unknown_command(const Command& program, const std::string& word);
/// What to say about the first word that looks like an option and is none; nothing when there is no
/// such word. To be asked after a parse that failed: CLI11 would complain of what is missing first.
[[nodiscard]] std::optional<std::string> unknown_option(const Command& program);

}  // namespace croco::cli
