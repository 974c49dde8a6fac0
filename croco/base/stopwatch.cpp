// SPDX-License-Identifier: Apache-2.0
#include <croco/base/stopwatch.hpp>

#include <ctime>

namespace croco {
namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Duration now() { return {seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)}; }

}  // namespace

Stopwatch::Stopwatch() : start_(now()) {}

Duration Stopwatch::read() const {
  const Duration end = now();
  return {end.elapsed - start_.elapsed, end.processor - start_.processor};
}

}  // namespace croco
