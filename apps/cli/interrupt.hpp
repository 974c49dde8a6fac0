// SPDX-License-Identifier: Apache-2.0
/// Ctrl-C as a request: the first asks the work to end in good order, the second ends the program.
#pragma once

#include <stop_token>
#include <thread>

namespace croco::cli {

/// While it lives, SIGINT and SIGTERM request a stop instead of ending the process. Make it before
/// any other thread, so that they all leave the signals to it.
class Interrupt {
 public:
  Interrupt();
  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace croco::cli
