// SPDX-License-Identifier: Apache-2.0
#include <croco/models/trees/tree_ensemble.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>

namespace croco {
namespace {

[[noreturn]] void fail(const std::string& where, std::size_t node, const std::string& rule) {
  throw ModelError(fmt::format("{}, node {}: {}", where, node, rule));
}

void check(const TreeEnsemble& ensemble, const ListedNode& listed, bool leaf, std::size_t number,
           const std::string& where) {
  const TreeNode& node = listed.node;
  if (leaf) {
    if (!std::isfinite(node.number)) {
      fail(where, number,
           fmt::format("the leaf has the value {}; it must be finite", format_number(node.number)));
    }
    return;
  }
  if (node.column >= ensemble.width) {
    fail(where, number,
         fmt::format("splits column {}; the model has columns 0 to {}", node.column,
                     ensemble.width - 1));
  }
  if (node.rule == SplitRule::in_set) {
    if (node.set >= ensemble.sets.size()) fail(where, number, "its set of categories is missing");
  } else if (std::isnan(node.number)) {
    fail(where, number, "the threshold is not a number");
  }
}

}  // namespace

bool CodeSet::left(double code) const noexcept {
  // Codes are whole numbers; what is not counts as the whole part, as the libraries have it.
  const bool member = code >= 0 && code < static_cast<double>(members.size()) &&
                      members[static_cast<std::size_t>(code)];
  return member == members_left;
}

bool TreeEnsemble::goes_left(const TreeNode& node, double value) const noexcept {
  if (std::isnan(value)) return node.missing_left;
  switch (node.rule) {
    case SplitRule::at_most:
      return value <= node.number;
    case SplitRule::at_most_zero_left:
      return value <= node.number || std::abs(value) <= kZeroReach;
    case SplitRule::at_most_zero_right:
      return value <= node.number && !(std::abs(value) <= kZeroReach);
    case SplitRule::in_set:
      return sets[node.set].left(value);
  }
  return false;
}

LeafRange leaf_range(const TreeEnsemble& ensemble, std::size_t tree) noexcept {
  const std::size_t end =
      tree + 1 < ensemble.roots.size() ? ensemble.roots[tree + 1] : ensemble.nodes.size();
  LeafRange out{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t k = ensemble.roots[tree]; k < end; ++k) {
    const TreeNode& node = ensemble.nodes[k];
    if (!node.is_leaf()) continue;
    out.low = std::min(out.low, node.number);
    out.high = std::max(out.high, node.number);
  }
  return out;
}

double largest_sum(const TreeEnsemble& ensemble, double start) noexcept {
  double sum = start;
  for (std::size_t tree = 0; tree < ensemble.roots.size(); ++tree) {
    const LeafRange leaves = leaf_range(ensemble, tree);
    sum += std::max(std::abs(leaves.low), std::abs(leaves.high));
  }
  return sum;
}

TreeEnsemble mirrored(TreeEnsemble ensemble) {
  ensemble.base = -ensemble.base;
  for (TreeNode& node : ensemble.nodes) {
    if (node.is_leaf()) node.number = -node.number;
  }
  std::ranges::reverse(ensemble.classes);
  if (ensemble.threshold) ensemble.threshold = 1 - *ensemble.threshold;
  return ensemble;
}

TreeEnsemble settled(const TreeEnsemble& ensemble, std::span<const std::optional<double>> values) {
  const auto reached = [&](std::uint32_t at) {
    const TreeNode* node = &ensemble.nodes[at];
    while (!node->is_leaf() && values[node->column]) {
      at = node->child + (ensemble.goes_left(*node, *values[node->column]) ? 0 : 1);
      node = &ensemble.nodes[at];
    }
    return at;
  };
  TreeEnsemble out = ensemble;
  out.nodes.clear();
  out.roots.clear();
  std::vector<std::uint32_t> order;  // of one tree, breadth first: siblings together
  for (const std::uint32_t root : ensemble.roots) {
    const auto base = static_cast<std::uint32_t>(out.nodes.size());
    out.roots.push_back(base);
    order.assign(1, reached(root));
    for (std::size_t k = 0; k < order.size(); ++k) {
      TreeNode node = ensemble.nodes[order[k]];
      if (!node.is_leaf()) {
        order.push_back(reached(node.child));
        order.push_back(reached(node.child + 1));
        node.child = base + static_cast<std::uint32_t>(order.size()) - 2;
      }
      out.nodes.push_back(node);
    }
  }
  return out;
}

void count_nodes(ModelBudget& budget, std::size_t nodes) {
  constexpr std::size_t kNodeBytes = 256;
  budget.keep(nodes, kNodeBytes, "its trees");
}

void count_codes(ModelBudget& budget, std::size_t codes) {
  budget.keep(codes / 8 + 1, 4, "its sets of categories");
  constexpr std::size_t kComparisons = 4;
  budget.work(codes, kComparisons, "its sets of categories");
}

std::uint32_t append_set(TreeEnsemble& ensemble, CodeSet set, const std::string& where) {
  ensemble.codes += set.members.size();
  if (ensemble.codes > kMaxTreeCodes) {
    throw ModelError(fmt::format("{}: the sets of categories up to here hold more than {} codes",
                                 where, kMaxTreeCodes));
  }
  ensemble.sets.push_back(std::move(set));
  return static_cast<std::uint32_t>(ensemble.sets.size() - 1);
}

void append_tree(TreeEnsemble& ensemble, const std::vector<ListedNode>& listed,
                 const std::string& where) {
  if (listed.empty()) throw ModelError(where + ": the tree has no nodes");
  struct Place {
    std::size_t number;  ///< in the list
    std::size_t depth;
  };
  std::vector<bool> seen(listed.size());
  std::vector<Place> order{{0, 0}};  // breadth first: siblings together, children behind
  seen[0] = true;
  const std::size_t base = ensemble.nodes.size();
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Place place = order[k];
    const ListedNode& from = listed[place.number];
    const bool leaf = from.left == -1 && from.right == -1;
    check(ensemble, from, leaf, place.number, where);
    TreeNode node = from.node;
    node.child = 0;
    if (!leaf) {
      node.child = static_cast<std::uint32_t>(base + order.size());
      if (place.depth == kMaxTreeDepth) {
        fail(where, place.number, fmt::format("lies deeper than {} levels", kMaxTreeDepth));
      }
      for (const std::int64_t child : {from.left, from.right}) {
        if (child < 0 || static_cast<std::size_t>(child) >= listed.size()) {
          fail(where, place.number,
               fmt::format("has the child {}; the tree has nodes 0 to {}", child,
                           listed.size() - 1));
        }
        const auto index = static_cast<std::size_t>(child);
        if (seen[index]) {
          fail(where, place.number,
               fmt::format("has the child {}, which has another parent", child));
        }
        seen[index] = true;
        order.push_back({index, place.depth + 1});
      }
    }
    ensemble.nodes.push_back(node);
    if (ensemble.nodes.size() > kMaxTreeNodes) {
      fail(where, place.number,
           fmt::format("is beyond the {} nodes that all trees may have", kMaxTreeNodes));
    }
  }
  ensemble.roots.push_back(static_cast<std::uint32_t>(base));
}

}  // namespace croco
