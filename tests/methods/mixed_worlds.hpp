// SPDX-License-Identifier: Apache-2.0
/// Random spaces of numbers and categories, and people in them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <croco/base/types.hpp>
#include <croco/space/levels.hpp>
#include <croco/space/space.hpp>
#include <tests/fixtures.hpp>

namespace croco::fixtures {

inline constexpr std::size_t kNumbers = 3;
inline constexpr std::size_t kGroups = 4;
inline constexpr std::size_t kLevels = 3;

/// Numbers in [-1, 1], then categories whose moves and prices differ by seed.
inline Space mixed_space(std::uint64_t seed) {
  Space out;
  out.columns.resize(kNumbers, {.lower = -1, .upper = 1});
  const Vector prices = random_vector(kGroups * kLevels * kLevels, seed, 0.05, 0.6);
  for (std::size_t g = 0; g < kGroups; ++g) {
    OneHotGroup group{out.columns.size(), kLevels};
    for (std::size_t from = 0; from < kLevels; ++from) {
      for (std::size_t to = 0; to < kLevels; ++to) {
        const double price = prices[(g * kLevels + from) * kLevels + to];
        if (from != to && price < 0.5) group.moves.push_back({from, to, price});
      }
    }
    out.groups.push_back(group);
    out.columns.resize(out.columns.size() + kLevels,
                       {.lower = 0, .upper = 1, .movement = Movement::fixed, .continuous = false});
  }
  return out;
}

inline Vector person(const Space& space, std::uint64_t seed) {
  Vector out(space.width());
  const Vector values = random_vector(kNumbers + kGroups, seed, 0.0, 1.0);
  for (std::size_t j = 0; j < kNumbers; ++j) out[j] = values[j] - 0.5;
  for (std::size_t g = 0; g < kGroups; ++g) {
    set_level(space.groups[g], std::size_t(values[kNumbers + g] * kLevels) % kLevels, out);
  }
  return out;
}

}  // namespace croco::fixtures
