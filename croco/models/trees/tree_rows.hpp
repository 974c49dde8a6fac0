// SPDX-License-Identifier: Apache-2.0
/// The logits of many rows of a tree ensemble at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/kernels/bit_trees.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <croco/models/trees/tree_program.hpp>

namespace croco {

/// The logits of many rows, each exactly what `TreeModel` makes of it alone. False when the trees
/// are too large for it, or values are missing: then nothing has been written.
[[nodiscard]] bool many_tree_logits(const TreeModel& model, Rows rows, MutableView out);

/// What the cells of a category make of the level that a point has.
struct CategoryFates {
  bool known = false;
  bool one_hot = false;                   ///< the point is exactly one-hot there
  std::vector<std::size_t> targets = {};  ///< levels, by place among the cells of the chunk
};

/// Room that one thread needs; kept from call to call, for its memory is large.
struct TreeWorkspace {
  std::vector<Known> known = {};
  std::string key = {};
  std::vector<std::int16_t> cuts = {};
  Vector limits = {};
  std::vector<DrawBits> conditions = {};
  TreeSlots slots = {};
  std::vector<DrawBits> planes = std::vector<DrawBits>(kTreePlanes);
  Vector row = {};
  std::vector<CategoryFates> fates = {};  ///< by flipped category, of a point and a chunk

  /// Room for `count` conditions.
  void fit(std::size_t count) {
    count = std::max<std::size_t>(count, 1);  // kernels go along it even where there is none
    if (conditions.size() < count) conditions.resize(count);
    if (cuts.size() < count) cuts.resize(count);
  }
  /// Another point or chunk begins.
  void forget_fates(std::size_t categories) {
    if (fates.size() < categories) fates.resize(categories);
    for (CategoryFates& one : fates) one.known = false;
  }
};

/// That of the calling thread.
[[nodiscard]] TreeWorkspace& tree_workspace();

}  // namespace croco
