// SPDX-License-Identifier: Apache-2.0
/// Random sums of trees over the spaces of mixed_worlds.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <croco/base/random.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_ensemble.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <croco/space/space.hpp>

namespace croco::fixtures {

/// Trees of depth 3 that ask of numbers and of levels alike, with a trend in each column, so that
/// there is something to find.
inline std::unique_ptr<TreeModel> random_trees(const Space& space, std::size_t trees,
                                               std::uint64_t seed) {
  constexpr std::size_t kSplits = 7;
  Sequence random({seed, Purpose::train, 78});
  const std::size_t width = space.width();
  Vector trend(width);
  for (double& value : trend) value = random.uniform() - 0.5;
  TreeEnsemble ensemble{.width = width};
  for (std::size_t t = 0; t < trees; ++t) {
    std::vector<ListedNode> nodes(2 * kSplits + 1);
    for (std::size_t k = 0; k < kSplits; ++k) {
      TreeNode& node = nodes[k].node;
      node.column = random.below(static_cast<std::uint32_t>(width));
      const bool number = space.columns[node.column].continuous;
      node.number = number ? 2 * random.uniform() - 1 : 0.5;
      nodes[k].left = static_cast<std::int64_t>(2 * k + 1);
      nodes[k].right = static_cast<std::int64_t>(2 * k + 2);
    }
    for (std::size_t k = kSplits; k < nodes.size(); ++k) {
      double value = 0.1 * (random.uniform() - 0.5);
      for (std::size_t at = k; at > 0; at = (at - 1) / 2) {
        const double slope = trend[nodes[(at - 1) / 2].node.column];
        value += at % 2 == 0 ? slope : -slope;
      }
      nodes[k].node.number = 0.2 * value;
    }
    append_tree(ensemble, nodes, "tree");
  }
  return std::make_unique<TreeModel>(ensemble, InputColumns::identity(width));
}

}  // namespace croco::fixtures
