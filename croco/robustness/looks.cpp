// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/looks.hpp>

#include <cmath>

namespace croco {

std::vector<Look> planned_looks(std::size_t maximum) {
  std::vector<Look> looks;
  // A look shortly before the last one would cost error and save hardly any draws.
  for (std::size_t samples = kFirstLook; samples <= maximum / 3 * 2; samples *= 2) {
    looks.push_back({samples, 0});
  }
  for (Look& look : looks) look.share = (1 - kLastLookShare) / static_cast<double>(looks.size());
  looks.push_back({maximum, looks.empty() ? 1.0 : kLastLookShare});
  return looks;
}

double attempt_share(std::size_t attempts, std::size_t attempt) noexcept {
  return attempts <= 1 ? 1.0 : std::ldexp(1.0, -static_cast<int>(attempt) - 1);
}

}  // namespace croco
