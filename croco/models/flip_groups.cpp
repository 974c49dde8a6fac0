// SPDX-License-Identifier: Apache-2.0
#include <croco/models/flip_groups.hpp>
#include <croco/space/levels.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace croco {
namespace {

/// A block of its own pays from so many draws on; fewer are evaluated one by one.
constexpr std::size_t kLeastGroup = 20;
/// And so many are enough for a further block.
constexpr std::size_t kLeastRest = 12;

}  // namespace

FlipGroups group_flips(const DrawnFlips& flips, std::size_t count) {
  FlipGroups out;
  std::vector<std::uint32_t> usual;
  std::vector<std::uint32_t> others;
  for (std::size_t k = 0; k < count; ++k) {
    bool all = true;
    for (std::size_t c = 0; c < flips.categories.size() && all; ++c) {
      all = flips.of(k)[c] == flips.categories[c].usual();
    }
    (all ? usual : others).push_back(static_cast<std::uint32_t>(k));
  }
  std::ranges::sort(others, [&](std::uint32_t a, std::uint32_t b) {
    const auto order = std::lexicographical_compare_three_way(
        flips.of(a).begin(), flips.of(a).end(), flips.of(b).begin(), flips.of(b).end());
    return order != 0 ? order < 0 : a < b;
  });
  const auto add = [&](std::span<const std::uint32_t> draws) {
    std::size_t rest = draws.size() % kBankBlock;
    if (draws.size() < kLeastGroup) {
      rest = draws.size();
    } else if (rest >= kLeastRest) {
      rest = 0;
    }
    const std::size_t kept = draws.size() - rest;
    out.loose.insert(out.loose.end(), draws.begin() + static_cast<std::ptrdiff_t>(kept),
                     draws.end());
    if (kept == 0) return;
    const std::size_t blocks = (kept + kBankBlock - 1) / kBankBlock;
    const std::size_t padding = blocks * kBankBlock - kept;
    out.groups.push_back({out.draw_of.size() / kBankBlock, blocks, padding, draws.front()});
    out.draw_of.insert(out.draw_of.end(), draws.begin(),
                       draws.begin() + static_cast<std::ptrdiff_t>(kept));
    out.draw_of.insert(out.draw_of.end(), padding, FlipGroups::kNoDraw);
  };
  if (flips.empty()) {
    const std::size_t blocks = (count + kBankBlock - 1) / kBankBlock;
    out.groups.push_back({0, blocks, blocks * kBankBlock - count, 0});
    return out;
  }
  add(usual);
  for (std::size_t begin = 0; begin < others.size();) {
    std::size_t end = begin + 1;
    while (end < others.size() &&
           std::ranges::equal(flips.of(others[begin]), flips.of(others[end])))
      ++end;
    add(std::span(others).subspan(begin, end - begin));
    begin = end;
  }
  return out;
}

FlipShifts::FlipShifts(const ProjectedDraws& draws, const DrawnFlips& flips, View point)
    : draws_(draws), flips_(flips), base_(draws.shift(point)) {
  for (const LevelFlips& category : flips.categories) {
    const std::size_t level = level_at(category.group(), point);
    levels_.push_back(level);
    usual_.push_back(category.target(category.usual(), level));
    const std::size_t first = category.group().first;
    move(first + level, first + usual_.back(), base_.data());
  }
}

void FlipShifts::move(std::size_t from, std::size_t to, double* out) const noexcept {
  if (from == to) return;
  const double* old_column = draws_.column(from);
  const double* new_column = draws_.column(to);
  for (std::size_t u = 0; u < draws_.units(); ++u) out[u] += new_column[u] - old_column[u];
}

void FlipShifts::add(std::size_t draw, double* out) const noexcept {
  const std::span<const std::uint32_t> cells = flips_.of(draw);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const LevelFlips& category = flips_.categories[c];
    if (cells[c] == category.usual()) continue;
    const std::size_t first = category.group().first;
    move(first + usual_[c], first + category.target(cells[c], levels_[c]), out);
  }
}

Vector FlipShifts::reach() const {
  Vector out(draws_.units());
  for (std::size_t c = 0; c < levels_.size(); ++c) {
    const LevelFlips& category = flips_.categories[c];
    const double* from = draws_.column(category.group().first + usual_[c]);
    Vector farthest(draws_.units());
    for (std::size_t to = 0; to < category.group().count; ++to) {
      if (category.probability(levels_[c], to) == 0) continue;
      const double* column = draws_.column(category.group().first + to);
      for (std::size_t u = 0; u < farthest.size(); ++u) {
        farthest[u] = std::max(farthest[u], std::abs(column[u] - from[u]));
      }
    }
    for (std::size_t u = 0; u < out.size(); ++u) out[u] += farthest[u];
  }
  return out;
}

}  // namespace croco
