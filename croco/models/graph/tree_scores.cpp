// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/tree_scores.hpp>

#include <limits>

namespace croco {

void TreeScores::apply(std::span<const double* const> in, std::span<double* const> out,
                       std::size_t items) const {
  for (std::size_t k = 0; k < items; ++k) {
    double sum = ensemble_.base;
    for (const std::uint32_t root : ensemble_.roots) {
      const TreeNode* node = &ensemble_.nodes[root];
      while (!node->is_leaf()) {
        node = &ensemble_.nodes[node->child + (in[node->column][k] <= node->number ? 0U : 1U)];
      }
      sum += node->number;
    }
    out[0][k] = ensemble_.multiply * (sum / ensemble_.divide);
  }
}

void TreeDoubts::apply(std::span<const double* const> in, std::span<double* const> out,
                       std::size_t items) const {
  for (std::size_t k = 0; k < items; ++k) {
    out[0][k] = 0;
    for (const std::uint32_t root : ensemble_.roots) {
      const TreeNode* node = &ensemble_.nodes[root];
      while (!node->is_leaf()) {
        const double value = in[node->column][k];
        if (inexact_[node->column] && is_unclear(value, node->number)) {
          out[0][k] = std::numeric_limits<double>::quiet_NaN();
        }
        node = &ensemble_.nodes[node->child + (value <= node->number ? 0U : 1U)];
      }
    }
  }
}

}  // namespace croco
