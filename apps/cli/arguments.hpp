// SPDX-License-Identifier: Apache-2.0
/// What is checked on a command line before a command sees it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace croco::cli {

/// The command that was chosen, below another one if it is part of it; the program itself when none
/// was.
[[nodiscard]] const CLI::App& chosen_command(const CLI::App& program);
/// Its names below the program, such as "model" and "inspect".
[[nodiscard]] std::vector<std::string> path_of(const CLI::App& command);
/// "croco model inspect"
[[nodiscard]] std::string full_name(const CLI::App& command);

/// Lets no option for a number take what the number cannot hold. CLI11 reads -1 into a count as a
/// huge one, 010 as 8, numbers beyond the range as the end of the range, and 1e400 as infinite.
void add_number_checks(CLI::App& command);

/// What to say about a word that stands where a command should.
[[nodiscard]] std::string unknown_command(const CLI::App& program, const std::string& word);
/// What to say about the first word that looks like an option and is none; nothing when there is no
/// such word. To be asked after a parse that failed: CLI11 would complain of what is missing first.
[[nodiscard]] std::optional<std::string> unknown_option(const CLI::App& program);

}  // namespace croco::cli
