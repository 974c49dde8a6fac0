// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/flip_groups.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// A block of its own pays from this many draws on; fewer are evaluated one by one.
constexpr std::size_t kLeastGroup = 8;
/// And this many are enough for a further block.
constexpr std::size_t kLeastRest = 5;

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

}  // namespace

FlipLists::FlipLists(const DrawnFlips& flips) {
  const std::size_t categories = flips.categories.size();
  if (categories == 0) return;
  std::vector<std::uint32_t> usual(categories);
  std::vector<std::size_t> first(categories + 1);
  for (std::size_t c = 0; c < categories; ++c) {
    usual[c] = static_cast<std::uint32_t>(flips.categories[c].usual());
    first[c + 1] = first[c] + flips.categories[c].cells();
  }
  std::vector<std::uint32_t> known(first.back(), kUnknown);
  const std::size_t count = flips.cells.size() / categories;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t* cells = &flips.cells[k * categories];
    const std::size_t before = ids_.size();
    for (std::size_t c = 0; c < categories; ++c) {
      if (cells[c] == usual[c]) continue;
      std::uint32_t& id = known[first[c] + cells[c]];
      if (id == kUnknown) {
        id = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({static_cast<std::uint32_t>(c), cells[c]});
      }
      ids_.push_back(id);
    }
    if (ids_.size() == before) continue;
    draws_.push_back(static_cast<std::uint32_t>(k));
    begin_.push_back(static_cast<std::uint32_t>(ids_.size()));
  }
}

FlipGroups group_flips(const FlipLists& lists, std::size_t count) {
  FlipGroups out;
  out.begin.push_back(0);
  if (lists.draws().empty()) {
    const std::size_t blocks = (count + kBankBlock - 1) / kBankBlock;
    out.groups.push_back({0, blocks, blocks * kBankBlock - count, {}});
    out.draw_of.resize(blocks * kBankBlock, FlipGroups::kNoDraw);
    std::iota(out.draw_of.begin(), out.draw_of.begin() + static_cast<std::ptrdiff_t>(count), 0U);
    return out;
  }
  const auto add = [&](std::span<const std::uint32_t> draws, std::span<const std::uint32_t> ids) {
    std::size_t rest = draws.size() % kBankBlock;
    if (draws.size() < kLeastGroup) {
      rest = draws.size();
    } else if (rest >= kLeastRest) {
      rest = 0;
    }
    const std::size_t kept = draws.size() - rest;
    for (const std::uint32_t draw : draws.subspan(kept)) {
      out.loose.push_back(draw);
      out.ids.insert(out.ids.end(), ids.begin(), ids.end());
      out.begin.push_back(static_cast<std::uint32_t>(out.ids.size()));
    }
    if (kept == 0) return;
    const std::size_t blocks = (kept + kBankBlock - 1) / kBankBlock;
    const std::size_t padding = blocks * kBankBlock - kept;
    out.groups.push_back({out.draw_of.size() / kBankBlock, blocks, padding, ids});
    out.draw_of.insert(out.draw_of.end(), draws.begin(),
                       draws.begin() + static_cast<std::ptrdiff_t>(kept));
    out.draw_of.insert(out.draw_of.end(), padding, FlipGroups::kNoDraw);
  };
  std::vector<std::uint32_t> some;
  for (std::size_t k = 0, next = 0; k < count; ++k) {
    if (next < lists.draws().size() && lists.draws()[next] == k) {
      ++next;
    } else {
      some.push_back(static_cast<std::uint32_t>(k));
    }
  }
  add(some, {});
  std::vector<std::uint32_t> order(lists.draws().size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const auto one = lists.of(a);
    const auto other = lists.of(b);
    const auto compared =
        std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(), other.end());
    return compared != 0 ? compared < 0 : a < b;
  });
  for (std::size_t begin = 0; begin < order.size();) {
    const std::span<const std::uint32_t> ids = lists.of(order[begin]);
    some.clear();
    std::size_t end = begin;
    for (; end < order.size() && std::ranges::equal(lists.of(order[end]), ids); ++end) {
      some.push_back(lists.draws()[order[end]]);
    }
    add(some, ids);
    begin = end;
  }
  return out;
}

FlipShifts::FlipShifts(const ProjectedDraws& draws, const DrawnFlips& flips, const FlipLists& lists,
                       View point, std::size_t run)
    : lists_(lists), base_(draws.shift(point)) {
  const std::size_t units = base_.size();
  const auto move = [&](std::size_t from, std::size_t to, double* out) {
    if (from == to) return;
    const double* old_column = draws.column(from);
    const double* new_column = draws.column(to);
    for (std::size_t u = 0; u < units; ++u) out[u] += new_column[u] - old_column[u];
  };
  std::vector<std::size_t> levels;
  std::vector<std::size_t> usual;
  for (const LevelFlips& category : flips.categories) {
    const std::size_t first = category.group().first;
    levels.push_back(level_at(category.group(), point));
    usual.push_back(first + category.target(category.usual(), levels.back()));
    move(first + levels.back(), usual.back(), base_.data());
  }
  base_.resize((units + run - 1) / run * run);
  deltas_.resize(lists.entries().size() * stride());
  for (std::size_t e = 0; e < lists.entries().size(); ++e) {
    const auto [c, cell] = lists.entries()[e];
    const LevelFlips& category = flips.categories[c];
    move(usual[c], category.group().first + category.target(cell, levels[c]),
         &deltas_[e * stride()]);
  }
}

void FlipShifts::sum(std::span<const std::uint32_t> ids, Vector& out) const {
  out = base_;
  for (const std::uint32_t id : ids) {
    const double* added = delta(id);
    for (std::size_t u = 0; u < out.size(); ++u) out[u] += added[u];
  }
}

Vector FlipShifts::reach() const {
  // A draw has one entry of a category at most.
  Vector out(stride());
  Vector farthest;
  for (std::uint32_t c = 0; !lists_.entries().empty(); ++c) {
    farthest.assign(stride(), 0.0);
    bool later = false;
    for (std::size_t e = 0; e < lists_.entries().size(); ++e) {
      later = later || lists_.entries()[e].category > c;
      if (lists_.entries()[e].category != c) continue;
      for (std::size_t u = 0; u < farthest.size(); ++u) {
        farthest[u] = std::max(farthest[u], std::abs(delta(e)[u]));
      }
    }
    for (std::size_t u = 0; u < out.size(); ++u) out[u] += farthest[u];
    if (!later) break;
  }
  return out;
}

}  // namespace croco
