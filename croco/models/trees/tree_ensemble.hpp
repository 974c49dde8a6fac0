// SPDX-License-Identifier: Apache-2.0
/// Sums of decision trees as their files describe them, in the model's own columns. Readers of all
/// formats end here; `tree_model` makes a model of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/model_budget.hpp>

namespace croco {

/// Files with more trees are refused.
inline constexpr std::size_t kMaxTrees = 1'000'000;

/// What sends a row to the left.
enum class SplitRule : std::uint8_t {
  at_most,             ///< the value is at most `number`
  at_most_zero_left,   ///< that, or it is 0
  at_most_zero_right,  ///< that, and it is not 0
  in_set,              ///< the value's whole part is in a set of codes
};

/// A node. Children are neighbours: `child` is the left one, `child + 1` the right one.
struct TreeNode {
  double number = 0.0;      ///< the largest number that goes left; of a leaf, its value
  std::uint32_t child = 0;  ///< 0 for a leaf
  std::uint32_t column = 0;
  std::uint32_t set = 0;  ///< of in_set
  SplitRule rule = SplitRule::at_most;
  bool missing_left = false;

  [[nodiscard]] bool is_leaf() const noexcept { return child == 0; }
};

/// Codes of a category, and where they go.
struct CodeSet {
  std::vector<bool> members = {};  ///< by code; codes beyond are none
  bool members_left = true;        ///< the others go the other way

  [[nodiscard]] bool left(double code) const noexcept;
  bool operator==(const CodeSet&) const = default;
};

/// Within this distance of 0, a value counts as 0 where zeros mean missing values.
inline constexpr double kZeroReach = 1e-35F;

/// `logit = multiply * ((base + leaves) / divide)`, leaves added in the order of the trees.
struct TreeEnsemble {
  std::size_t width = 0;                ///< columns that rows have
  std::vector<std::string> names = {};  ///< of the columns; may be empty
  /// By column, the levels whose places are its codes, where the file says so; may be empty.
  std::vector<std::vector<std::string>> levels = {};
  /// By column, whether it is a category whose codes may be numbers or places of levels, and the
  /// file does not say; may be empty.
  std::vector<bool> unexplained_codes = {};
  /// By column, for a category of texts: the hashes (the low 32 bits of `city_hash`) whose places
  /// are its codes. A text with another hash has the code behind the last; none may be missing.
  /// Nothing for other columns; may be empty.
  std::vector<std::optional<std::vector<std::int32_t>>> hashed_levels = {};
  /// What the file calls class 0 and class 1; may be empty.
  std::vector<std::string> classes = {};
  /// The probability of class 1 above which the library predicts it, where the file says so.
  std::optional<double> threshold = {};
  struct Rounds {
    std::size_t used = 0;
    std::size_t saved = 0;
  };
  Rounds rounds = {};  ///< of boosting
  std::vector<TreeNode> nodes = {};
  std::vector<std::uint32_t> roots = {};  ///< ascending; a tree's nodes lie between two of them
  std::vector<CodeSet> sets = {};
  std::size_t codes = 0;  ///< of all sets together
  double base = 0.0;
  double divide = 1.0;
  double multiply = 1.0;
  bool single_precision = false;  ///< sums are rounded to single precision, leaf by leaf
  /// How far a sum may be from the library's, where that adds in an order of its own.
  double sum_error = 0.0;
  /// Rounding error of the probability that the library makes of a sum.
  double probability_error = 0.0;

  /// Whether a split sends a value of its column to the left; NaN is a missing value.
  [[nodiscard]] bool goes_left(const TreeNode& node, double value) const noexcept;
};

/// The lowest and the highest leaf of a tree.
struct LeafRange {
  double low = 0.0;
  double high = 0.0;
};
[[nodiscard]] LeafRange leaf_range(const TreeEnsemble& ensemble, std::size_t tree) noexcept;

/// `start` and the largest absolute leaf of every tree, added in the order of the trees: no sum of
/// leaves can be larger.
[[nodiscard]] double largest_sum(const TreeEnsemble& ensemble, double start) noexcept;

/// The same classifier with its classes exchanged.
[[nodiscard]] TreeEnsemble mirrored(TreeEnsemble ensemble);

/// The same trees where the value of some columns is known, NaN for one that is missing: splits on
/// these are gone, and what they lead to takes their place. `values` has one entry per column.
[[nodiscard]] TreeEnsemble settled(const TreeEnsemble& ensemble,
                                   std::span<const std::optional<double>> values);

/// A split or leaf as files list them, by number. Readers fill this and `TreeBuilder` checks it.
struct ListedNode {
  TreeNode node = {};
  std::int64_t left = -1;  ///< -1, -1: a leaf
  std::int64_t right = -1;
};

inline constexpr std::size_t kMaxTreeNodes = std::size_t{1} << 27;
inline constexpr std::size_t kMaxTreeDepth = 2048;
inline constexpr std::size_t kMaxTreeColumns = kMaxModelColumns;
/// Codes that all sets hold together: a few bytes can name a code that takes megabytes.
inline constexpr std::size_t kMaxTreeCodes = std::size_t{1} << 28;

/// What a column takes: its name, its levels' list, where it comes from.
inline constexpr std::size_t kColumnBytes = 256;
/// Counts nodes of a tree, or a set of codes, that are about to be read: lists of the file, nodes
/// and conditions of the model. Sets are compared with each other.
void count_nodes(ModelBudget& budget, std::size_t nodes);
void count_codes(ModelBudget& budget, std::size_t codes);

/// Appends a set of codes and returns its number. Throws ModelError that begins with `where` when
/// all sets together are too large.
[[nodiscard]] std::uint32_t append_set(TreeEnsemble& ensemble, CodeSet set,
                                       const std::string& where);

/// Appends a tree whose root is number 0, children behind their parents, siblings together. Nodes
/// that nothing leads to are left out. Throws ModelError that begins with `where` and names the
/// node and the rule: a child that is not there, a node with two parents, a tree too deep or too
/// large, a column beyond the width, a limit or value that is not a number.
void append_tree(TreeEnsemble& ensemble, const std::vector<ListedNode>& listed,
                 const std::string& where);

}  // namespace croco
