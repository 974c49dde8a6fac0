// SPDX-License-Identifier: Apache-2.0
/// How long something took, on the wall and on the processors.
#pragma once

namespace croco {

/// In seconds; `processor` is the sum over all threads of the process.
struct Duration {
  double elapsed = 0.0;
  double processor = 0.0;
};

class Stopwatch {
 public:
  Stopwatch();
  /// Since construction.
  [[nodiscard]] Duration read() const;

 private:
  Duration start_;
};

}  // namespace croco
