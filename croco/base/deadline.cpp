// SPDX-License-Identifier: Apache-2.0
#include <croco/base/deadline.hpp>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {

Deadline::Deadline(double seconds, std::stop_token other)
    : other_(std::move(other), Request{source_}) {
  const auto wait = [this, seconds](const std::stop_token& ended) {
    constexpr double kLongest = 1e8;  // three years; longer ones would overflow the clock
    std::unique_lock lock(mutex_);
    // Nothing is ever true here: it ends with the time, or with this object.
    ended_.wait_for(lock, ended, std::chrono::duration<double>(std::min(seconds, kLongest)),
                    [] { return false; });
    if (!ended.stop_requested()) source_.request_stop();
  };
  try {
    timer_ = std::jthread(wait);
  } catch (const std::system_error& error) {
    throw IoError(fmt::format("a limit on time needs a thread, which cannot be made: {}",
                              error.code().message()));
  }
  // No timer is that exact, and a thread may start later than it should have ended.
  constexpr double kShortest = 1e-5;
  if (seconds < kShortest) source_.request_stop();
}

}  // namespace croco
