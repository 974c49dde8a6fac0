// SPDX-License-Identifier: Apache-2.0
/// Standard output and standard error that cannot tell the terminal what to do.
#pragma once

#include <cstdio>
#include <memory>

namespace croco::cli {

/// While it lives, everything that is written to `stderr`, and to `stdout` when that is a terminal,
/// passes `printable`: cells, column names, paths and what servers say may hold escape sequences.
/// Files and pipes get standard output as it is, since it may be data. Make it before anything is
/// written; what is written through `std::cout` and `std::cerr` passes it by.
class SafeStreams {
 public:
  SafeStreams();
  ~SafeStreams();
  SafeStreams(const SafeStreams&) = delete;
  SafeStreams& operator=(const SafeStreams&) = delete;

 private:
  struct Stream;
  std::unique_ptr<Stream> output_;
  std::unique_ptr<Stream> errors_;
};

}  // namespace croco::cli
