// SPDX-License-Identifier: Apache-2.0
#include <croco/space/features.hpp>

#include <algorithm>
#include <utility>

namespace croco {

FeatureSet all_features(const Space& space) {
  FeatureSet out;
  for (std::size_t j = 0; j < space.columns.size(); ++j) {
    if (space.columns[j].continuous) out.push_back(j);
  }
  for (const OneHotGroup& group : space.groups) out.push_back(group.first);
  std::ranges::sort(out);
  return out;
}

FeatureSet changed_features(const Space& space, View origin, View point) {
  FeatureSet out;
  for (std::size_t j = 0; j < space.columns.size(); ++j) {
    if (space.columns[j].continuous && origin[j] != point[j]) out.push_back(j);
  }
  for (const OneHotGroup& group : space.groups) {
    const auto from = origin.subspan(group.first, group.count);
    if (!std::ranges::equal(from, point.subspan(group.first, group.count))) {
      out.push_back(group.first);
    }
  }
  std::ranges::sort(out);
  return out;
}

bool contains(const FeatureSet& outer, const FeatureSet& inner) noexcept {
  return std::ranges::includes(outer, inner);
}

bool contains(const FeatureSet& set, std::size_t feature) noexcept {
  return std::ranges::binary_search(set, feature);
}

std::vector<FeatureSet> hitting_sets(const std::vector<FeatureSet>& sets) {
  std::vector<FeatureSet> hitting{FeatureSet{}};
  for (const FeatureSet& set : sets) {
    std::vector<FeatureSet> more;
    for (const FeatureSet& chosen : hitting) {
      const bool hits =
          std::ranges::any_of(set, [&](std::size_t feature) { return contains(chosen, feature); });
      if (hits) {
        more.push_back(chosen);
        continue;
      }
      for (const std::size_t feature : set) {
        FeatureSet& one = more.emplace_back(chosen);
        one.insert(std::ranges::upper_bound(one, feature), feature);
      }
    }
    hitting = std::move(more);
  }
  std::ranges::sort(hitting);
  hitting.erase(std::unique(hitting.begin(), hitting.end()), hitting.end());
  std::ranges::stable_sort(hitting, {}, &FeatureSet::size);
  std::vector<FeatureSet> least;
  for (FeatureSet& set : hitting) {
    const bool needless = std::ranges::any_of(
        least, [&](const FeatureSet& smaller) { return contains(set, smaller); });
    if (!needless) least.push_back(std::move(set));
  }
  return least;
}

}  // namespace croco
