// SPDX-License-Identifier: Apache-2.0
#include <croco/models/trees/tree_ensemble.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

/// A tree with one split and these leaves, behind those that there are.
void add_stump(TreeEnsemble& ensemble, double left, double right) {
  append_tree(ensemble,
              {{.node = {.number = 0.5}, .left = 1, .right = 2},
               {.node = {.number = left}},
               {.node = {.number = right}}},
              "tree");
}

TEST(TreeEnsemble, LeavesOfOneTreeAreBoundedWithoutItsSplitsAndItsNeighbours) {
  TreeEnsemble ensemble{.width = 1};
  add_stump(ensemble, -3, 2);
  add_stump(ensemble, 7, 1);
  EXPECT_EQ(leaf_range(ensemble, 0).low, -3);
  EXPECT_EQ(leaf_range(ensemble, 0).high, 2);
  EXPECT_EQ(leaf_range(ensemble, 1).low, 1);
  EXPECT_EQ(leaf_range(ensemble, 1).high, 7);
}

TEST(TreeEnsemble, TheLargestSumTakesTheLargestLeafOfEveryTree) {
  TreeEnsemble ensemble{.width = 1};
  EXPECT_EQ(largest_sum(ensemble, 0.25), 0.25);
  add_stump(ensemble, -3, 2);
  add_stump(ensemble, 7, 1);
  EXPECT_EQ(largest_sum(ensemble, 0.25), 0.25 + 3 + 7);
}

}  // namespace
}  // namespace croco
