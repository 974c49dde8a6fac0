// SPDX-License-Identifier: Apache-2.0
/// Starts programs that do not outlive this one.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace croco {

/// Descriptors above 2 that become a program's standard streams.
struct StandardStreams {
  int input;
  int output;
  int errors;
};

/// Starts the program that the first word names, looked up along PATH, in a process group of its
/// own, with these streams and no other file, and without blocked signals. The system kills it when
/// this process ends, however it ends; where no thread can be made for that, it notices only that
/// its input ends. Returns its id. Throws IoError naming the program.
[[nodiscard]] pid_t spawn(const std::vector<std::string>& words, const StandardStreams& streams);

}  // namespace croco
