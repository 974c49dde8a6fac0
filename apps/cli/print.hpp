// SPDX-License-Identifier: Apache-2.0
/// What the program prints. Every command goes through here: `fmt::print` throws what no caller
/// expects when a stream is closed or full.
#pragma once

#include <string>
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
/// The same for text that may steer the terminal, which must be croco's own.
void draw_out(std::string_view text);
/// Writes what standard output still holds back. Throws IoError when it cannot be written, or could
/// not be earlier.
void flush_out();
/// Writes to standard error, where a failure has nobody left to be reported to.
void write_err(std::string_view text) noexcept;
/// The same for text that may steer the terminal, which must be croco's own.
void draw_err(std::string_view text) noexcept;

/// How much is said beside answers and errors: `--quiet`, neither, `--verbose`.
enum class Loudness { quiet, normal, verbose };
/// For the rest of the program, before the command runs.
void set_loudness(Loudness loudness) noexcept;
[[nodiscard]] Loudness loudness() noexcept;

enum class Colour { red, yellow, green };
/// The text in a colour when `stream` (1 or 2) is a terminal that has any, and the variable
/// NO_COLOR is not set (https://no-color.org); else as it is. For croco's own words, through
/// `draw_*`.
[[nodiscard]] std::string coloured(std::string_view text, Colour colour, int stream);

template <typename... Parts>
void print_out(fmt::format_string<Parts...> format, Parts&&... parts) {
  write_out(fmt::format(format, std::forward<Parts>(parts)...));
}

template <typename... Parts>
void print_err(fmt::format_string<Parts...> format, Parts&&... parts) {
  write_err(fmt::format(format, std::forward<Parts>(parts)...));
}

/// A note, a summary, what was written: what one can do without (`--quiet`).
template <typename... Parts>
void print_note(fmt::format_string<Parts...> format, Parts&&... parts) {
  if (loudness() != Loudness::quiet) print_err(format, std::forward<Parts>(parts)...);
}

/// What only some want to know (`--verbose`), on standard error.
template <typename... Parts>
void print_detail(fmt::format_string<Parts...> format, Parts&&... parts) {
  if (loudness() == Loudness::verbose) print_err(format, std::forward<Parts>(parts)...);
}

}  // namespace croco::cli
