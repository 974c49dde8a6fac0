// SPDX-License-Identifier: Apache-2.0
/// A tree ensemble as a classifier on encoded points. Each threshold becomes the largest encoded
/// value that the model still sees at or below it, so that comparing encoded values decides exactly
/// as comparing the model's own ones.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/model.hpp>
#include <croco/models/runtime_error.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

namespace croco {

class TreePrograms;

/// A question that splits ask of an encoded point; many splits share one.
struct TreeCondition {
  enum class Kind : std::uint8_t {
    at_most,  ///< `point[column] <= limit`
    zero,     ///< the same, but for values that mean 0: `zero_holds`
    code,     ///< the whole part of `point[column]` is in a set
    level,    ///< of the category that begins at `column`: `levels` of the level that it has
  };
  Kind kind = Kind::at_most;
  std::uint32_t column = 0;
  double limit = 0.0;
  double zero_from = 0.0;
  double zero_to = 0.0;
  bool zero_holds = false;
  CodeSet codes = {};
  std::vector<bool> levels = {};

  [[nodiscard]] bool holds(View point) const noexcept;
  /// How many encoded columns it looks at, from `column` on.
  [[nodiscard]] std::size_t columns() const noexcept {
    return kind == Kind::level ? levels.size() : 1;
  }
  bool operator==(const TreeCondition&) const = default;
};

class TreeModel final : public Model {
 public:
  struct Node {
    double number = 0.0;  ///< the limit of at_most; of a leaf, its value
    std::uint32_t child = 0;
    std::uint32_t column = 0;
    std::uint32_t condition = 0;
    bool plain = true;  ///< the condition is at_most
    bool missing_left = false;

    [[nodiscard]] bool is_leaf() const noexcept { return child == 0; }
  };

  /// Splits on constant columns are settled once and for all. Throws ModelError when the columns do
  /// not fit: their number, a category that is a number of the space with units of its own, or a
  /// missing one that the library would not take.
  TreeModel(const TreeEnsemble& ensemble, const InputColumns& columns);
  ~TreeModel() override;
  TreeModel(const TreeModel&) = delete;
  TreeModel& operator=(const TreeModel&) = delete;

  [[nodiscard]] std::size_t width() const noexcept override { return width_; }
  /// NaN means a missing value, which goes where the trees say.
  void logits(Rows rows, MutableView out) const override;

  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                          DrawnFlips flips) const override;
  [[nodiscard]] std::size_t evaluator_bytes_per_draw() const noexcept override {
    return width_ * (sizeof(std::uint16_t) + sizeof(double));
  }

  [[nodiscard]] double tolerance(double threshold) const noexcept override {
    return error_.at(threshold);
  }

  [[nodiscard]] ModelDescription describe() const override;

  [[nodiscard]] std::span<const Node> nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::span<const std::uint32_t> roots() const noexcept { return roots_; }
  [[nodiscard]] std::span<const TreeCondition> conditions() const noexcept { return conditions_; }
  /// What a sum of leaves, without the base, is as a logit; and how such sums are rounded.
  [[nodiscard]] double base() const noexcept { return base_; }
  [[nodiscard]] double divide() const noexcept { return divide_; }
  [[nodiscard]] double multiply() const noexcept { return multiply_; }
  [[nodiscard]] bool single_precision() const noexcept { return single_precision_; }
  [[nodiscard]] double logit_of_sum(double sum) const noexcept {
    return multiply_ * (sum / divide_);
  }
  [[nodiscard]] TreePrograms& programs() const noexcept { return *programs_; }

 private:
  void add_trees(const TreeEnsemble& ensemble, const InputColumns& columns);
  [[nodiscard]] double leaf_of(std::uint32_t root, View point) const noexcept;

  std::size_t width_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
  std::vector<TreeCondition> conditions_;
  double base_;
  double divide_;
  double multiply_;
  bool single_precision_;
  RuntimeError error_;
  std::unique_ptr<TreePrograms> programs_;  ///< of this model
};

}  // namespace croco
