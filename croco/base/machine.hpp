// SPDX-License-Identifier: Apache-2.0
/// What the machine offers to this process, and what this build was made with.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace croco {

/// In bytes where sizes are meant; what the system does not tell is left out.
struct Machine {
  std::string system;     ///< "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64"
  std::string processor;  ///< "AMD EPYC 7B13"
  std::size_t cores = 0;  ///< that this process may run on
  std::optional<std::size_t> memory;
  std::optional<std::size_t> memory_available;
  std::optional<std::size_t> level1_cache;  ///< of one core, for data
  std::optional<std::size_t> level2_cache;
  std::optional<std::size_t> level3_cache;
};

[[nodiscard]] Machine this_machine();

/// "g++ 12.2.0"
[[nodiscard]] std::string compiler();

}  // namespace croco
