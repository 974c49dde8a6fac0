// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/print.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <string>
#include <system_error>
#include <unistd.h>

#include <croco/base/error.hpp>
#include <croco/base/printable.hpp>

namespace croco::cli {
namespace {

Loudness current = Loudness::normal;  // NOLINT(*-avoid-non-const-global-variables)

[[noreturn]] void fail(int error) {
  throw IoError(fmt::format("standard output could not be written: {}",
                            std::generic_category().message(error)));
}

}  // namespace

void open_standard_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is this one, since those below are open by now. A descriptor of
    // this kind can be opened everywhere, and neither be read from nor written to.
    static_cast<void>(::open("/", O_PATH));
  }
}

void write_out(std::string_view text) {
  static const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const std::string safe = terminal ? printable(text) : std::string();
  draw_out(terminal ? std::string_view(safe) : text);
}

void draw_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail(errno);
}

void flush_out() {
  if (std::fflush(stdout) != 0) fail(errno);
  if (std::ferror(stdout) != 0) fail(EIO);
}

void write_err(std::string_view text) noexcept {
  try {
    draw_err(printable(text));
  } catch (const std::bad_alloc&) {
    draw_err("croco: out of memory\n");
  }
}

void set_loudness(Loudness loudness) noexcept { current = loudness; }

Loudness loudness() noexcept { return current; }

std::string coloured(std::string_view text, Colour colour, int stream) {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool plain = (no_colour != nullptr && *no_colour != '\0') || terminal == nullptr ||
                     std::string_view(terminal) == "dumb" || ::isatty(stream) != 1;
  if (plain) return std::string(text);
  const int code = colour == Colour::red ? 31 : colour == Colour::yellow ? 33 : 32;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void draw_err(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

}  // namespace croco::cli
