// SPDX-License-Identifier: Apache-2.0
/// Spaces with categories, transition matrices and people, at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/noise/sample.hpp>
#include <croco/space/level_flips.hpp>
#include <croco/space/space.hpp>

namespace croco::fixtures {

/// Numbers first, then categories, as a codec lays them out.
inline Space mixed_space(std::size_t numbers, const std::vector<std::size_t>& levels) {
  Space space{std::vector<Column>(numbers), {}};
  for (const std::size_t count : levels) {
    space.groups.push_back({space.width(), count});
    space.columns.insert(
        space.columns.end(), count,
        {.lower = 0, .upper = 1, .movement = Movement::fixed, .continuous = false});
  }
  return space;
}

/// Row-stochastic, with some zeros; levels stay with about `stays`.
inline Vector random_transition(std::size_t levels, double stays, Sequence& random) {
  Vector out(levels * levels);
  for (std::size_t from = 0; from < levels; ++from) {
    double sum = 0;
    for (std::size_t to = 0; to < levels; ++to) {
      double& share = out[from * levels + to];
      share = random.uniform() < 0.2 ? 0.0 : random.uniform();
      if (to == from) share = static_cast<double>(levels) * stays / (1 - stays);
      sum += share;
    }
    for (std::size_t to = 0; to < levels; ++to) out[from * levels + to] /= sum;
  }
  return out;
}

/// Flips of every category of a space: uniform ones and random matrices in turn.
inline std::vector<LevelFlips> random_flips(const Space& space, double probability,
                                            std::uint64_t seed) {
  Sequence random({seed, Purpose::train, 2000});
  std::vector<LevelFlips> out;
  for (const OneHotGroup& group : space.groups) {
    if (out.size() % 2 == 0 && group.count > 1) {
      out.push_back(LevelFlips::uniform(group, probability, std::vector<bool>(group.count, true)));
    } else {
      out.emplace_back(group, random_transition(group.count, 1 - probability, random));
    }
  }
  return out;
}

/// Numbers in (0, 1), a level of every category at random.
inline Vector random_person(const Space& space, std::uint64_t seed) {
  Sequence random({seed, Purpose::train, 3000});
  Vector out(space.width());
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (space.columns[j].continuous) out[j] = random.uniform();
  }
  for (const OneHotGroup& group : space.groups) {
    out[group.first + random.below(static_cast<std::uint32_t>(group.count))] = 1;
  }
  return out;
}

/// Draw k around a point, re-encoded: its numbers moved, its levels replaced.
inline Vector noisy_copy(const Noise& noise, const Space& space, const Stream& stream,
                         std::uint64_t index, View point) {
  Matrix draw(1, space.width());
  sample(noise, scoped_scales(noise, space), stream, index, draw);
  Vector out(point.begin(), point.end());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += draw[0][j];
  const DrawnFlips flips = sample_flips(noise, stream, index, 1);
  for (std::size_t c = 0; c < noise.flips.size(); ++c) {
    const OneHotGroup& group = noise.flips[c].group();
    std::size_t level = 0;
    while (point[group.first + level] != 1) ++level;
    const std::size_t target = noise.flips[c].target(flips.cells[c], level);
    for (std::size_t l = 0; l < group.count; ++l) out[group.first + l] = l == target ? 1 : 0;
  }
  return out;
}

}  // namespace croco::fixtures
