// SPDX-License-Identifier: Apache-2.0
/// The trees of a model that are left once some of its conditions are settled, as logic on bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <croco/kernels/bit_trees.hpp>
#include <croco/models/trees/tree_model.hpp>

namespace croco {

/// What is known of a condition before any draw is made.
enum class Known : std::uint8_t { no, yes, open };

/// Immutable.
struct TreeProgram {
  /// The open conditions that are left, by column and then by limit, as numbers of the model's.
  /// The forest's conditions are places in this list.
  std::vector<std::uint32_t> conditions;
  BitForest forest;
  /// A sum of leaves is `offset + step * sum of planes`, but for at most `error`: of rounding leaf
  /// values and of the model's own sums.
  double offset = 0.0;
  double step = 1.0;
  double error = 0.0;

  /// The same for planes of which the lowest were skipped.
  [[nodiscard]] double offset_without(std::size_t skipped) const noexcept;
};

/// Nothing when a tree or their conditions are too many for the forest's numbers.
[[nodiscard]] std::optional<TreeProgram> compile_trees(const TreeModel& model,
                                                       std::span<const Known> known);

/// Programs that were compiled before. Thread-safe.
class TreePrograms {
 public:
  /// Null when there is none for this.
  [[nodiscard]] std::shared_ptr<const TreeProgram> get(const TreeModel& model,
                                                       std::span<const Known> known);
  TreePrograms();
  ~TreePrograms();
  TreePrograms(const TreePrograms&) = delete;
  TreePrograms& operator=(const TreePrograms&) = delete;

 private:
  struct Store;
  std::unique_ptr<Store> store_;
};

}  // namespace croco
