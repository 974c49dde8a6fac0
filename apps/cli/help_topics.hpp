// SPDX-License-Identifier: Apache-2.0
/// Which part of the help an option stands in, and whether it is among the common ones.
#pragma once

#include <string>
#include <vector>

#include <apps/cli/command_line.hpp>

namespace croco::cli {

/// The titles, in the order of the help.
[[nodiscard]] std::vector<std::string> help_topics();

/// Sorts the options of every command below `program` that has more than a few.
void sort_help(const Command& program);

}  // namespace croco::cli
