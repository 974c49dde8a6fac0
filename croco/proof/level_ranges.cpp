// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/level_ranges.hpp>

#include <algorithm>
#include <cmath>

#include <croco/space/levels.hpp>

namespace croco {

LevelRanges::LevelRanges(const DrawnNetwork& network, View origin)
    : network_(network), patterns_(network.patterns()) {
  const DenseLayer& first = network.network().layers().front();
  sizes_.resize(first.outputs);
  for (const DrawnCategory& category : network.categories()) {
    const OneHotGroup& group = category.group;
    Own& own = own_.emplace_back();
    own.level = level_at(group, origin);
    cells_.emplace_back((category.flips == nullptr ? 0 : category.flips->cells()) + 1);
    Vector rest(first.outputs);
    bool exact = true;
    for (std::size_t l = 0; l < group.count; ++l) {
      const double off = origin[group.first + l] - (l == own.level ? 1.0 : 0.0);
      exact = exact && off == 0;
      for (std::size_t h = 0; h < first.outputs; ++h) {
        rest[h] += off * first.weight[h * first.inputs + group.first + l];
      }
    }
    for (std::size_t h = 0; h < first.outputs; ++h) {
      double most = 0;
      for (std::size_t l = 0; l < group.count; ++l) {
        most = std::max(most, std::abs(first.weight[h * first.inputs + group.first + l]));
      }
      sizes_[h] += most + std::abs(rest[h]);
    }
    if (!exact) own.rest = std::move(rest);
  }
}

void LevelRanges::enter(const std::vector<LevelOptions>& levels) {
  levels_ = &levels;
  ++entered_;
}

double LevelRanges::added(std::size_t category, std::size_t unit, std::size_t level,
                          std::size_t becomes) const noexcept {
  const DenseLayer& first = network_.network().layers().front();
  const std::size_t column = network_.categories()[category].group.first + becomes;
  const Own& own = own_[category];
  return first.weight[unit * first.inputs + column] +
         (level == own.level && !own.rest.empty() ? own.rest[unit] : 0.0);
}

const LevelRanges::Range& LevelRanges::of_cell(std::size_t category, std::uint32_t cell) {
  std::vector<Range>& cells = cells_[category];
  Range& range = cells[std::min<std::size_t>(cell, cells.size() - 1)];
  if (range.entered == entered_) return range;
  range.entered = entered_;
  const LevelOptions& options = (*levels_)[category];
  const std::size_t units = sizes_.size();
  range.cheapest.resize(units);
  range.lowest.assign(units, 0);
  range.highest.assign(units, 0);
  for (std::size_t o = 0; o < options.size(); ++o) {
    const std::size_t level = options[o].level;
    const std::size_t becomes = network_.target(category, cell, level);
    for (std::size_t h = 0; h < units; ++h) {
      const double sum = added(category, h, level, becomes);
      if (o == 0) range.cheapest[h] = sum;
      range.lowest[h] = std::min(range.lowest[h], sum - range.cheapest[h]);
      range.highest[h] = std::max(range.highest[h], sum - range.cheapest[h]);
    }
  }
  return range;
}

const LevelRanges::Range& LevelRanges::of_pattern(std::size_t pattern) {
  Range& range = patterns_[pattern];
  if (range.entered == entered_) return range;
  range.entered = entered_;
  const std::size_t units = sizes_.size();
  for (Vector* sums : {&range.cheapest, &range.lowest, &range.highest}) sums->assign(units, 0);
  const auto cells = network_.cells(pattern);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Range& one = of_cell(c, cells[c]);
    for (std::size_t h = 0; h < units; ++h) {
      range.cheapest[h] += one.cheapest[h];
      range.lowest[h] += one.lowest[h];
      range.highest[h] += one.highest[h];
    }
  }
  return range;
}

}  // namespace croco
