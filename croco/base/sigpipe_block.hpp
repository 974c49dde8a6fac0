// SPDX-License-Identifier: Apache-2.0
/// Writing to somebody who may have gone.
#pragma once

#include <csignal>

namespace croco {

/// Keeps SIGPIPE from ending the process while this thread writes to a pipe or socket whose other
/// end may close: a library must not change the signal handlers of its process.
class SigpipeBlock {
 public:
  SigpipeBlock();
  ~SigpipeBlock();
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;

 private:
  sigset_t set_{};
  sigset_t previous_{};
  bool was_pending_ = false;
};

}  // namespace croco
