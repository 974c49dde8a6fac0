// SPDX-License-Identifier: Apache-2.0
/// Ctrl-C, and other requests of the system to end.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace croco::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP end the program with the exit code of an interruption
/// and without programs that models are. Once `take_requests` was called, the first of them only
/// requests a stop. Make it before any other thread, so that they all leave the signals to it;
/// where no thread can be made, signals end the program as they end any.
class Interrupt {
 public:
  Interrupt();
  [[nodiscard]] std::stop_token take_requests() noexcept {
    takes_requests_ = true;
    return source_.get_token();
  }

 private:
  std::stop_source source_;
  std::atomic<bool> takes_requests_ = false;
  std::jthread watcher_;  ///< ends first, before what it uses
};

}  // namespace croco::cli
