// SPDX-License-Identifier: Apache-2.0
/// What the program prints. Every command goes through here: `fmt::print` throws what no caller
/// expects when a stream is closed or full.
#pragma once

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace croco::cli {

/// Occupies the descriptors 0, 1 and 2 where the caller closed them: the next file to be opened
/// would take their place, and what is printed would land in it. Reading and writing still fail.
/// To be called before anything is opened.
void open_standard_streams() noexcept;

// Cells, names, paths and what servers say may hold escape sequences: whatever a terminal would
// obey is escaped (`printable`).

/// Appends to standard output. Throws IoError when it cannot be written. Files and pipes get the
/// text as it is, since it may be data.
void write_out(std::string_view text);
/// Writes what standard output still holds back. Throws IoError when it cannot be written, or could
/// not be earlier.
void flush_out();
/// Writes to standard error, where a failure has nobody left to be reported to.
void write_err(std::string_view text) noexcept;
/// The same for text that may steer the terminal, which must be croco's own.
void draw_err(std::string_view text) noexcept;

template <typename... Parts>
void print_out(fmt::format_string<Parts...> format, Parts&&... parts) {
  write_out(fmt::format(format, std::forward<Parts>(parts)...));
}

template <typename... Parts>
void print_err(fmt::format_string<Parts...> format, Parts&&... parts) {
  write_err(fmt::format(format, std::forward<Parts>(parts)...));
}

}  // namespace croco::cli
