// SPDX-License-Identifier: Apache-2.0
#include <croco/models/trees/ranked_draws.hpp>

#include <algorithm>
#include <utility>

namespace croco {

RankedColumn::RankedColumn(Rows draws, std::size_t column) {
  std::vector<std::pair<double, std::uint32_t>> order(draws.count());
  for (std::size_t k = 0; k < draws.count(); ++k) {
    order[k] = {draws[k][column], static_cast<std::uint32_t>(k)};
  }
  std::ranges::sort(order);
  ranks_.resize(tree_blocks(draws.count()) * kTreeBlock);
  sorted_.reserve(order.size());
  for (const auto& [value, draw] : order) {
    if (sorted_.empty() || sorted_.back() != value) sorted_.push_back(value);
    ranks_[draw] = static_cast<std::int16_t>(sorted_.size() - 1);
  }
  low_ = sorted_.front();
  const double width = sorted_.back() - low_;
  scale_ = width > 0 ? static_cast<double>(sorted_.size()) / width : 0;
  starts_.resize(sorted_.size() + 1);
  for (std::size_t s = 0, at = 0; s < starts_.size(); ++s) {
    while (at < sorted_.size() && (sorted_[at] - low_) * scale_ < static_cast<double>(s)) ++at;
    starts_[s] = static_cast<std::uint32_t>(at);
  }
}

std::int16_t RankedColumn::cut(double point, double limit) const noexcept {
  const double place =
      std::clamp((limit - point - low_) * scale_, 0.0, static_cast<double>(starts_.size() - 1));
  std::size_t at = starts_[static_cast<std::size_t>(place)];
  while (at < sorted_.size() && point + sorted_[at] <= limit) ++at;
  while (at > 0 && !(point + sorted_[at - 1] <= limit)) --at;
  return static_cast<std::int16_t>(at);
}

CellBits::CellBits(const DrawnFlips& flips, std::size_t first, std::size_t count)
    : blocks_(tree_blocks(count)) {
  for (std::size_t c = 0; c < flips.categories.size(); ++c) {
    begin_.push_back(cells_.size());
    std::vector<std::uint32_t> cells;
    for (std::size_t k = 0; k < count; ++k) cells.push_back(flips.of(first + k)[c]);
    std::vector<std::uint32_t> distinct = cells;
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const std::size_t base = bits_.size();
    bits_.resize(base + distinct.size() * blocks_);
    for (std::size_t k = 0; k < count; ++k) {
      const auto i =
          static_cast<std::size_t>(std::ranges::lower_bound(distinct, cells[k]) - distinct.begin());
      bits_[base + i * blocks_ + k / kTreeBlock].set(k % kTreeBlock);
    }
    for (std::size_t i = 0; i < distinct.size(); ++i) {
      cells_.push_back({distinct[i], base + i * blocks_});
    }
  }
  begin_.push_back(cells_.size());
}

}  // namespace croco
