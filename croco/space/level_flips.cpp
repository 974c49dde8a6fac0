// SPDX-License-Identifier: Apache-2.0
#include <croco/space/level_flips.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

constexpr double kRowSlack = 1e-9;

void require_probability(double value, std::string_view what) {
  if (value >= 0 && value <= 1) return;
  throw InvalidArgument(
      fmt::format("{} is {}; it must be a number from 0 to 1", what, format_number(value)));
}

void require_stochastic(std::size_t levels, const Vector& transition) {
  if (levels == 0 || transition.size() != levels * levels) {
    throw InvalidArgument(
        fmt::format("the transition matrix has {} numbers; {} levels need {} rows of {}",
                    transition.size(), levels, levels, levels));
  }
  for (std::size_t from = 0; from < levels; ++from) {
    double sum = 0;
    for (std::size_t to = 0; to < levels; ++to) {
      require_probability(
          transition[from * levels + to],
          fmt::format("row {}, column {} of the transition matrix", from + 1, to + 1));
      sum += transition[from * levels + to];
    }
    if (std::abs(sum - 1) > kRowSlack) {
      throw InvalidArgument(
          fmt::format("row {} of the transition matrix sums to {}; each row must sum to 1",
                      from + 1, format_number(sum)));
    }
  }
}

}  // namespace

LevelFlips::LevelFlips(const OneHotGroup& group, Vector transition)
    : group_(group), transition_(std::move(transition)) {
  require_stochastic(group.count, transition_);
  const std::size_t levels = group.count;
  rows_.resize(levels);
  for (std::size_t from = 0; from < levels; ++from) {
    Fates& fates = rows_[from];
    double sum = 0;
    const auto deal = [&](std::size_t to) {
      const double share = probability(from, to);
      if (share == 0) return;
      sum += share;
      fates.ends.push_back(sum);
      fates.targets.push_back(static_cast<std::uint32_t>(to));
    };
    deal(from);
    for (std::size_t to = 0; to < levels; ++to) {
      if (to != from) deal(to);
    }
    // What rounding leaves of [0, 1) is the last one's, as what it takes away is.
    fates.ends.back() = 1;
    for (double& end : fates.ends) end = std::min(end, 1.0);
    ends_.insert(ends_.end(), fates.ends.begin(), fates.ends.end());
  }
  std::ranges::sort(ends_);
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  double widest = 0;
  for (std::size_t cell = 0; cell < ends_.size(); ++cell) {
    const double begin = cell == 0 ? 0.0 : ends_[cell - 1];
    if (ends_[cell] - begin > widest) {
      widest = ends_[cell] - begin;
      usual_ = cell;
      usual_begin_ = begin;
    }
  }
}

LevelFlips LevelFlips::uniform(const OneHotGroup& group, double probability,
                               const std::vector<bool>& targets) {
  require_probability(probability, "the flip probability");
  const std::size_t levels = group.count;
  Vector transition(levels * levels);
  for (std::size_t from = 0; from < levels; ++from) {
    std::size_t others = 0;
    for (std::size_t to = 0; to < levels; ++to) others += targets[to] && to != from ? 1U : 0U;
    if (others == 0 && probability > 0) {
      throw InvalidArgument(
          fmt::format("the flip probability is {}; there is no other level to turn into",
                      format_number(probability)));
    }
    for (std::size_t to = 0; to < levels; ++to) {
      if (to == from) {
        transition[from * levels + to] = 1 - probability;
      } else if (targets[to]) {
        transition[from * levels + to] = probability / static_cast<double>(others);
      }
    }
  }
  return {group, std::move(transition)};
}

LevelFlips LevelFlips::scaled(double factor) const {
  const std::size_t levels = group_.count;
  Vector transition(transition_);
  for (std::size_t from = 0; from < levels; ++from) {
    double stays = 1;
    for (std::size_t to = 0; to < levels; ++to) {
      if (to == from) continue;
      double& share = transition[from * levels + to];
      share *= factor;
      stays -= share;
    }
    transition[from * levels + from] = std::max(stays, 0.0);
  }
  return {group_, std::move(transition)};
}

std::size_t LevelFlips::other_cell_of(double uniform) const noexcept {
  const auto found = std::ranges::upper_bound(ends_, uniform);
  return static_cast<std::size_t>(std::min(found, ends_.end() - 1) - ends_.begin());
}

std::size_t LevelFlips::target(std::size_t cell, std::size_t level) const noexcept {
  // Cells end where any row's fates do, so that the first fate that ends no earlier covers it.
  const Fates& fates = rows_[level];
  const auto found = std::ranges::lower_bound(fates.ends, ends_[cell]);
  return fates.targets[static_cast<std::size_t>(found - fates.ends.begin())];
}

void add_flips(std::span<const LevelFlips> categories, std::span<const std::uint32_t> cells,
               View point, MutableView draw) noexcept {
  for (std::size_t c = 0; c < categories.size(); ++c) {
    const OneHotGroup& group = categories[c].group();
    const std::size_t level = level_at(group, point);
    const std::size_t target = categories[c].target(cells[c], level);
    if (target == level) continue;
    draw[group.first + level] -= 1;
    draw[group.first + target] += 1;
  }
}

}  // namespace croco
