// SPDX-License-Identifier: Apache-2.0
/// What counts as one feature of the encoded space: a number's column, or a category's group.
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// Features by their first column, in rising order, each once.
using FeatureSet = std::vector<std::size_t>;

[[nodiscard]] FeatureSet all_features(const Space& space);
/// The features that differ between two points.
[[nodiscard]] FeatureSet changed_features(const Space& space, View origin, View point);
/// Whether every feature of `inner` is one of `outer`.
[[nodiscard]] bool contains(const FeatureSet& outer, const FeatureSet& inner) noexcept;
[[nodiscard]] bool contains(const FeatureSet& set, std::size_t feature) noexcept;

/// The least sets that have a feature in common with each of `sets`: keeping one of them fixed
/// makes sure that none of the sets is changed as a whole. The smallest first; none when one of
/// `sets` is empty.
[[nodiscard]] std::vector<FeatureSet> hitting_sets(const std::vector<FeatureSet>& sets);

}  // namespace croco
