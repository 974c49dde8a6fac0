// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/shortest_change.hpp>

namespace croco {

bool is_better(const ShortestChange& a, const ShortestChange& b) noexcept {
  if (a.feasible != b.feasible) return a.feasible;
  return a.feasible ? a.cost < b.cost : a.constraint > b.constraint;
}

}  // namespace croco
