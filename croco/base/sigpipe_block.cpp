// SPDX-License-Identifier: Apache-2.0
#include <croco/base/sigpipe_block.hpp>

#include <cerrno>
#include <ctime>
#include <pthread.h>

namespace croco {

SigpipeBlock::SigpipeBlock() {
  sigset_t pending;
  sigpending(&pending);
  was_pending_ = sigismember(&pending, SIGPIPE) == 1;
  sigemptyset(&set_);
  sigaddset(&set_, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set_, &previous_);
}

SigpipeBlock::~SigpipeBlock() {
  // What was raised here must not be delivered once signals are let through again.
  if (!was_pending_) {
    const timespec at_once{};
    while (sigtimedwait(&set_, nullptr, &at_once) == -1 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

}  // namespace croco
