// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/supports.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <croco/space/distance.hpp>

namespace croco {
namespace {

/// Sets of numbers that are all looked at.
constexpr std::size_t kEnumerated = 128;

/// The numbers that may change at all.
FeatureSet movable_numbers(const SupportChoice& choice) {
  FeatureSet out;
  for (std::size_t j = 0; j < choice.space.columns.size(); ++j) {
    const Interval& interval = choice.changes.intervals[j];
    if (choice.space.columns[j].continuous && interval.lower < interval.upper) out.push_back(j);
  }
  return out;
}

/// Sets of `size` out of `all`; no more than one past the limit.
std::vector<FeatureSet> subsets(const FeatureSet& all, std::size_t size, std::size_t limit) {
  std::vector<FeatureSet> out;
  std::vector<std::size_t> chosen(size);
  for (std::size_t i = 0; i < size; ++i) chosen[i] = i;
  while (out.size() <= limit) {
    FeatureSet& set = out.emplace_back();
    for (const std::size_t index : chosen) set.push_back(all[index]);
    // The last index that can still rise does, and those behind it follow.
    std::size_t i = size;
    while (i > 0 && chosen[i - 1] == all.size() - size + i - 1) --i;
    if (i == 0) break;
    ++chosen[i - 1];
    for (; i < size; ++i) chosen[i] = chosen[i - 1] + 1;
  }
  return out;
}

/// All sets worth a look, if they are few.
std::optional<std::vector<FeatureSet>> enumerated(const FeatureSet& movable, std::size_t most,
                                                  bool all_sizes) {
  std::vector<FeatureSet> out;
  for (std::size_t size = all_sizes ? 0 : most; size <= most; ++size) {
    std::vector<FeatureSet> sets = subsets(movable, size, kEnumerated);
    std::ranges::move(sets, std::back_inserter(out));
    if (out.size() > kEnumerated) return std::nullopt;
  }
  return out;
}

FeatureSet without(FeatureSet set, std::size_t feature) {
  std::erase(set, feature);
  return set;
}

FeatureSet with(FeatureSet set, std::size_t feature) {
  set.insert(std::ranges::upper_bound(set, feature), feature);
  return set;
}

/// Keeps the better of two, and the numbers that it was asked for.
struct Best {
  std::optional<ShortestChange> found = {};
  FeatureSet numbers = {};

  bool take(ShortestChange other, FeatureSet set) {
    if (found && !is_better(other, *found)) return false;
    found = std::move(other);
    numbers = std::move(set);
    return true;
  }
};

}  // namespace

bool limits_numbers(const Space& space) noexcept {
  return space.most_changed != Space::kAnyNumber || has_touch_prices(space);
}

double touch_price(const Space& space, View change) noexcept {
  double price = 0;
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (change[j] != 0 && space.columns[j].continuous) price += space.columns[j].touch_price;
  }
  return price;
}

FeatureSet changed_numbers(const Space& space, View change) {
  FeatureSet out;
  for (std::size_t j = 0; j < change.size(); ++j) {
    if (change[j] != 0 && space.columns[j].continuous) out.push_back(j);
  }
  return out;
}

void freeze_all_except(const Space& space, const FeatureSet& numbers, ChangeProblem& changes) {
  for (std::size_t j = 0; j < space.columns.size(); ++j) {
    if (space.columns[j].continuous && !contains(numbers, j)) changes.intervals[j] = {0, 0};
  }
}

void search_supports(const SupportChoice& choice, const FeatureSet& free,
                     const SolveSupport& solve) {
  const FeatureSet movable = movable_numbers(choice);
  const std::size_t most = std::min(choice.most, movable.size());
  const bool priced = has_touch_prices(choice.space);
  if (const auto sets = enumerated(movable, most, priced)) {
    for (const FeatureSet& set : *sets) static_cast<void>(solve(set));
    return;
  }
  // Down from what changes when all may, until it fits; further where that saves a price.
  FeatureSet kept = free;
  std::optional<ShortestChange> last;
  while (!kept.empty() && (kept.size() > most || priced)) {
    Best best;
    for (const std::size_t feature : kept) {
      FeatureSet fewer = without(kept, feature);
      ShortestChange found = solve(fewer);
      best.take(std::move(found), std::move(fewer));
    }
    if (kept.size() <= most && last && !is_better(*best.found, *last)) break;
    last = std::move(best.found);
    kept = std::move(best.numbers);
  }
  // Up from nothing, by the number that helps most.
  FeatureSet taken;
  while (taken.size() < most) {
    Best best;
    for (const std::size_t feature : movable) {
      if (contains(taken, feature)) continue;
      FeatureSet more = with(taken, feature);
      ShortestChange found = solve(more);
      best.take(std::move(found), std::move(more));
    }
    taken = std::move(best.numbers);
  }
}

}  // namespace croco
