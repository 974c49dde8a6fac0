// SPDX-License-Identifier: Apache-2.0
/// How long an answer took.
#pragma once

#include <chrono>

namespace croco {

class Elapsed {
 public:
  [[nodiscard]] double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace croco
