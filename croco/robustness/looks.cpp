// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/looks.hpp>

#include <croco/robustness/error_budget.hpp>

namespace croco {

std::vector<Look> planned_looks(std::size_t maximum, std::size_t first) {
  std::vector<Look> looks;
  // A look shortly before the last one would cost error and save hardly any draws.
  for (std::size_t samples = first; samples <= maximum / 3 * 2; samples *= 2) {
    looks.push_back({samples, 0});
  }
  looks.push_back({maximum, 0});
  for (std::size_t i = 0; i < looks.size(); ++i) looks[i].share = look_share(looks.size(), i);
  return looks;
}

}  // namespace croco
