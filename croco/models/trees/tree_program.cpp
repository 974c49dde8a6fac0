// SPDX-License-Identifier: Apache-2.0
#include <croco/models/trees/tree_program.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace croco {
namespace {

/// Conditions and slots of a tree at most: beyond this the bits of a block fill no cache.
constexpr std::size_t kMostNumbers = 1'000'000;
/// Programs that are kept at most, and their splits together.
constexpr std::size_t kKept = 1024;
constexpr std::size_t kKeptSplits = 4'000'000;

/// A tree once settled conditions are followed: nodes in the order of the model, splits first seen
/// first, so that parents come before their children.
struct Pruned {
  struct Split {
    std::uint32_t node = 0;
    std::uint32_t slot = 0;
  };
  struct Leaf {
    double value = 0.0;
    std::uint32_t slot = 0;
  };
  std::vector<Split> splits;
  std::vector<Leaf> leaves;
};

Pruned prune(const TreeModel& model, std::uint32_t root, std::span<const Known> known) {
  const auto settled = [&](std::uint32_t node) {
    const auto nodes = model.nodes();
    while (!nodes[node].is_leaf() && known[nodes[node].condition] != Known::open) {
      node = nodes[node].child + (known[nodes[node].condition] == Known::yes ? 0 : 1);
    }
    return node;
  };
  Pruned out;
  struct Place {
    std::uint32_t node;
    std::uint32_t slot;
  };
  std::vector<Place> order{{settled(root), 0}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const TreeModel::Node& node = model.nodes()[order[i].node];
    if (node.is_leaf()) {
      out.leaves.push_back({node.number, order[i].slot});
      continue;
    }
    const auto k = static_cast<std::uint32_t>(out.splits.size());
    out.splits.push_back({order[i].node, order[i].slot});
    order.push_back({settled(node.child), 2 * k + 1});
    order.push_back({settled(node.child + 1), 2 * k + 2});
  }
  return out;
}

/// Bit lists of one tree: for each plane the slots of the largest subtrees all of whose leaves have
/// the bit.
void append_lists(const Pruned& tree, const std::vector<std::uint32_t>& values,
                  std::size_t empty_slot, BitForest& forest) {
  std::uint32_t largest = 0;
  for (const std::uint32_t value : values) largest = std::max(largest, value);
  std::uint32_t planes = 0;
  while (largest >> planes != 0) ++planes;
  forest.trees.back().planes = planes;
  // Bits that all leaves below a slot have.
  std::vector<std::uint32_t> common(2 * tree.splits.size() + 1);
  for (std::size_t l = 0; l < tree.leaves.size(); ++l) common[tree.leaves[l].slot] = values[l];
  for (std::size_t k = tree.splits.size(); k-- > 0;) {
    common[tree.splits[k].slot] = common[2 * k + 1] & common[2 * k + 2];
  }
  for (std::uint32_t b = 0; b < planes; ++b) {
    const std::size_t at = forest.lists.size();
    forest.lists.push_back(0);
    const auto has = [&](std::size_t slot) { return (common[slot] >> b & 1) != 0; };
    if (has(0)) forest.lists.push_back(0);
    for (std::size_t k = 0; k < tree.splits.size(); ++k) {
      if (has(tree.splits[k].slot)) continue;  // the parent, or one above it, stands for both
      for (const std::size_t child : {2 * k + 1, 2 * k + 2}) {
        if (has(child)) forest.lists.push_back(BitForest::place(child));
      }
    }
    if ((forest.lists.size() - at - 1) % 2 == 1)
      forest.lists.push_back(BitForest::place(empty_slot));
    forest.lists[at] = static_cast<BitForest::Place>(forest.lists.size() - at - 1);
  }
}

/// The open conditions of the trees, sorted as the program lists them.
std::vector<std::uint32_t> open_conditions(const TreeModel& model,
                                           const std::vector<Pruned>& trees) {
  std::vector<bool> used(model.conditions().size());
  for (const Pruned& tree : trees) {
    for (const Pruned::Split& split : tree.splits) used[model.nodes()[split.node].condition] = true;
  }
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) out.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::stable_sort(out, {}, [&](std::uint32_t i) {
    const TreeCondition& condition = model.conditions()[i];
    return std::pair{condition.column, condition.limit};
  });
  return out;
}

}  // namespace

double TreeProgram::offset_without(std::size_t skipped) const noexcept {
  // What is left out of a value is a half of its most, on average.
  double units = 0;
  for (const BitForest::Tree& tree : forest.trees) {
    const std::size_t left_out = std::min<std::size_t>(skipped, tree.planes);
    units += (std::exp2(static_cast<double>(left_out)) - 1) / 2;
  }
  return offset + step * units;
}

std::optional<TreeProgram> compile_trees(const TreeModel& model, std::span<const Known> known) {
  std::vector<Pruned> trees;
  trees.reserve(model.roots().size());
  double range = 0;
  double magnitude = std::abs(model.base());
  std::size_t most_splits = 0;
  for (const std::uint32_t root : model.roots()) {
    trees.push_back(prune(model, root, known));
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Pruned::Leaf& leaf : trees.back().leaves) {
      low = std::min(low, leaf.value);
      high = std::max(high, leaf.value);
    }
    range += high - low;
    magnitude += std::max(std::abs(low), std::abs(high));
    most_splits = std::max(most_splits, trees.back().splits.size());
  }
  TreeProgram out;
  out.conditions = open_conditions(model, trees);
  // Slots 0 .. 2 splits, and the empty one behind them.
  if (out.conditions.size() > kMostNumbers || 2 * most_splits + 2 > kMostNumbers) {
    return std::nullopt;
  }
  out.forest.slots = 2 * most_splits + 1;
  std::vector<BitForest::Place> place(model.conditions().size());
  for (std::size_t i = 0; i < out.conditions.size(); ++i) {
    place[out.conditions[i]] = BitForest::place(i);
  }
  // Rounding may add a half of a unit to each tree.
  const double units =
      std::exp2(static_cast<double>(kTreePlanes)) - 2 - static_cast<double>(trees.size());
  // Steps that are no normal numbers have no digits to count with.
  constexpr double kLeastStep = 1e-290;
  out.step = range > 0 && units > 1 ? std::max(range / units, kLeastStep) : 1.0;
  if (!std::isfinite(range) || units <= 1) return std::nullopt;
  out.offset = model.base();
  for (const Pruned& tree : trees) {
    out.forest.trees.push_back({static_cast<std::uint32_t>(tree.splits.size()), 0,
                                static_cast<std::uint32_t>(tree.leaves.size())});
    for (const Pruned::Split& split : tree.splits) {
      out.forest.splits.push_back(BitForest::place(split.slot));
      out.forest.splits.push_back(place[model.nodes()[split.node].condition]);
    }
    double low = std::numeric_limits<double>::infinity();
    for (const Pruned::Leaf& leaf : tree.leaves) low = std::min(low, leaf.value);
    double worst = 0;
    std::vector<std::uint32_t> values;
    for (const Pruned::Leaf& leaf : tree.leaves) {
      const double value = std::round((leaf.value - low) / out.step);
      worst = std::max(worst, std::abs(value * out.step - (leaf.value - low)));
      values.push_back(static_cast<std::uint32_t>(value));
      out.forest.leaves.push_back({leaf.value, leaf.slot});
    }
    out.offset += low;
    out.error += worst;
    append_lists(tree, values, out.forest.slots, out.forest);
  }
  // Each sum of the model is rounded once for each tree, as are those of this program.
  const double unit = model.single_precision() ? 0x1p-24 : 0x1p-53;
  const auto roundings = static_cast<double>(trees.size() + 8);
  out.error += 1.01 * roundings * (unit + 0x1p-52) * magnitude;
  return out;
}

struct TreePrograms::Store {
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const TreeProgram>> programs;
  std::size_t splits = 0;
};

TreePrograms::TreePrograms() : store_(std::make_unique<Store>()) {}
TreePrograms::~TreePrograms() = default;

std::shared_ptr<const TreeProgram> TreePrograms::get(const TreeModel& model,
                                                     std::span<const Known> known) {
  std::string key(known.size(), '\0');
  std::ranges::transform(known, key.begin(), [](Known k) { return static_cast<char>(k); });
  {
    const std::lock_guard lock(store_->mutex);
    const auto found = store_->programs.find(key);
    if (found != store_->programs.end()) return found->second;
  }
  std::shared_ptr<const TreeProgram> program;
  if (std::optional<TreeProgram> compiled = compile_trees(model, known)) {
    program = std::make_shared<const TreeProgram>(std::move(*compiled));
  }
  const std::lock_guard lock(store_->mutex);
  if (store_->programs.size() >= kKept || store_->splits > kKeptSplits) {
    store_->programs.clear();
    store_->splits = 0;
  }
  if (program) store_->splits += program->forest.splits.size() / 2;
  store_->programs.try_emplace(std::move(key), program);
  return program;
}

}  // namespace croco
