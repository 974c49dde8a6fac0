// SPDX-License-Identifier: Apache-2.0
/// How long a certified answer takes on this machine: a fixed task on the embedded data, so that
/// machines and versions can be compared.
#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

#include <croco/base/stopwatch.hpp>

namespace croco {

struct SpeedOptions {
  /// For each number of threads; people who were not begun by then are left out. Above 0.
  double seconds = 7.0;
  /// The second measurement; 0 for all cores. The first has one thread.
  unsigned threads = 0;
};

/// The answers that some threads gave.
struct SpeedRun {
  std::size_t threads = 1;
  std::size_t people = 0;     ///< rejected applicants who were explained
  std::size_t certified = 0;  ///< of them, with advice that is certified to meet the target
  Duration time = {};

  /// Per certified answer, on the wall; infinite when there is none.
  [[nodiscard]] double milliseconds() const;
};

struct SpeedResult {
  Duration training;
  std::size_t rejected = 0;    ///< everybody whom the model rejects
  std::vector<SpeedRun> runs;  ///< one thread, then as many as were asked for if that is more
};

/// Trains the demonstration's network on German Credit (50 units, seed 1) and explains everybody
/// whom it rejects, with the noise of the schema, target .05 and confidence .999. Throws
/// InvalidArgument. When `stop` is requested, the result is not whole.
[[nodiscard]] SpeedResult measure_speed(const SpeedOptions& options,
                                        const std::stop_token& stop = {});

}  // namespace croco
