// SPDX-License-Identifier: Apache-2.0
#include <croco/models/trees/tree_model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/trees/tree_evaluator.hpp>
#include <croco/models/trees/tree_program.hpp>
#include <croco/models/trees/tree_rows.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

std::string column_name(const TreeEnsemble& ensemble, std::size_t column) {
  return column < ensemble.names.size() ? fmt::format("'{}'", ensemble.names[column])
                                        : fmt::format("{}", column);
}

/// The question that a split asks, in the encoded space.
TreeCondition condition_of(const TreeEnsemble& ensemble, const TreeNode& node,
                           const InputColumn& input) {
  TreeCondition out;
  out.column = static_cast<std::uint32_t>(input.column);
  const auto left = [&](double value) { return ensemble.goes_left(node, value); };
  if (input.kind == InputColumn::Kind::code) {
    out.kind = TreeCondition::Kind::level;
    for (const double code : input.codes) out.levels.push_back(left(code));
    return out;
  }
  if (node.rule == SplitRule::in_set) {
    if (!input.plain()) {
      throw ModelError(
          fmt::format("the model splits column {} as a category; in the data it is a number with "
                      "units of its own: call it categorical in the schema",
                      column_name(ensemble, node.column)));
    }
    out.kind = TreeCondition::Kind::code;
    out.codes = ensemble.sets[node.set];
    return out;
  }
  out.limit = input.largest_at_most(node.number);
  // Zeros that go where their size says need no rule of their own.
  if (node.rule != SplitRule::at_most && left(0.0) != (0.0 <= node.number)) {
    out.kind = TreeCondition::Kind::zero;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double below = input.largest_at_most(std::nextafter(-kZeroReach, -kInfinity));
    out.zero_from = std::nextafter(below, kInfinity);
    out.zero_to = input.largest_at_most(kZeroReach);
    out.zero_holds = left(0.0);
  }
  return out;
}

/// The value of every constant column.
std::vector<std::optional<double>> constants_of(const InputColumns& columns) {
  std::vector<std::optional<double>> out(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].kind == InputColumn::Kind::constant) out[i] = columns[i].value(0);
  }
  return out;
}

/// Libraries that hash the texts of a category know no missing one.
void require_no_missing_text(const TreeEnsemble& ensemble, const InputColumns& columns) {
  for (std::size_t j = 0; j < std::min(ensemble.hashed_levels.size(), columns.size()); ++j) {
    if (!ensemble.hashed_levels[j] || columns[j].kind != InputColumn::Kind::constant) continue;
    throw ModelError(
        fmt::format("column {}: the category is missing, and the model takes no missing category; "
                    "if it was trained with a text in such places, write that text",
                    column_name(ensemble, j)));
  }
}

/// Sums of leaves must be numbers, whatever the row and the order of rounding.
void require_finite_sums(const TreeEnsemble& ensemble) {
  const double sum = largest_sum(ensemble, std::abs(ensemble.base));
  const double most = ensemble.single_precision ? 1e37 : 1e300;
  if (!(sum <= most)) {
    throw ModelError(fmt::format(
        "the leaves of its trees add up to {:.3g}; at most {:g} are allowed", sum, most));
  }
}

/// Finds equal conditions again.
class ConditionTable {
 public:
  std::uint32_t add(TreeCondition condition) {
    const Key key{condition.kind,       condition.column,        condition.limit,
                  condition.zero_holds, condition.codes.members, condition.codes.members_left,
                  condition.levels};
    const auto [found, fresh] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(conditions_.size()));
    if (fresh) conditions_.push_back(std::move(condition));
    return found->second;
  }
  [[nodiscard]] std::vector<TreeCondition> take() { return std::move(conditions_); }

 private:
  using Key = std::tuple<TreeCondition::Kind, std::uint32_t, double, bool, std::vector<bool>, bool,
                         std::vector<bool>>;
  std::map<Key, std::uint32_t> numbers_;
  std::vector<TreeCondition> conditions_;
};

}  // namespace

bool TreeCondition::holds(View point) const noexcept {
  const double value = point[column];
  switch (kind) {
    case Kind::at_most:
      return value <= limit;
    case Kind::zero:
      return value >= zero_from && value <= zero_to ? zero_holds : value <= limit;
    case Kind::code:
      return codes.left(value);
    case Kind::level:
      return levels[level_at({column, levels.size()}, point)];
  }
  return false;
}

TreeModel::TreeModel(const TreeEnsemble& ensemble, const InputColumns& columns)
    : width_(columns.encoded_width()),
      base_(ensemble.base),
      divide_(ensemble.divide),
      multiply_(ensemble.multiply),
      single_precision_(ensemble.single_precision),
      error_{ensemble.sum_error * std::abs(ensemble.multiply / ensemble.divide),
             ensemble.probability_error},
      programs_(std::make_unique<TreePrograms>()) {
  if (columns.size() != ensemble.width) {
    throw ModelError(
        fmt::format("the model takes {} columns; it is given {}", ensemble.width, columns.size()));
  }
  require_finite_sums(ensemble);
  require_no_missing_text(ensemble, columns);
  if (columns.has_constants()) {
    add_trees(settled(ensemble, constants_of(columns)), columns);
  } else {
    add_trees(ensemble, columns);
  }
}

void TreeModel::add_trees(const TreeEnsemble& ensemble, const InputColumns& columns) {
  roots_ = ensemble.roots;
  ConditionTable table;
  nodes_.reserve(ensemble.nodes.size());
  for (const TreeNode& from : ensemble.nodes) {
    Node node{.number = from.number, .child = from.child, .missing_left = from.missing_left};
    if (!from.is_leaf()) {
      TreeCondition condition = condition_of(ensemble, from, columns[from.column]);
      node.column = condition.column;
      node.number = condition.limit;
      node.plain = condition.kind == TreeCondition::Kind::at_most;
      node.condition = table.add(std::move(condition));
    }
    nodes_.push_back(node);
  }
  conditions_ = table.take();
}

TreeModel::~TreeModel() = default;

double TreeModel::leaf_of(std::uint32_t root, View point) const noexcept {
  const Node* node = &nodes_[root];
  while (!node->is_leaf()) {
    const double value = point[node->column];
    bool left = value <= node->number;
    if (std::isnan(value)) {
      left = node->missing_left;
    } else if (!node->plain) {
      left = conditions_[node->condition].holds(point);
    }
    node = &nodes_[node->child + (left ? 0 : 1)];
  }
  return node->number;
}

ModelDescription TreeModel::describe() const {
  return {.structure = fmt::format("{} trees of {} nodes", roots_.size(), nodes_.size()),
          .parameters = nodes_.size()};
}

void TreeModel::logits(Rows rows, MutableView out) const {
  // Fewer rows than these are sooner done one by one.
  constexpr std::size_t kMany = 48;
  if (rows.count() >= kMany && many_tree_logits(*this, rows, out)) return;
  for (std::size_t k = 0; k < rows.count(); ++k) {
    const View point = rows[k];
    double sum = base_;
    if (single_precision_) {
      auto single = static_cast<float>(base_);
      for (const std::uint32_t root : roots_) single += static_cast<float>(leaf_of(root, point));
      sum = static_cast<double>(single);
    } else {
      for (const std::uint32_t root : roots_) sum += leaf_of(root, point);
    }
    out[k] = logit_of_sum(sum);
  }
}

std::unique_ptr<DrawEvaluator> TreeModel::bind(Rows draws) const {
  if (auto bound = bind_trees(*this, draws, {})) return bound;
  return Model::bind(draws);
}

std::unique_ptr<DrawEvaluator> TreeModel::bind_flips(Rows draws, DrawnFlips flips) const {
  if (auto bound = bind_trees(*this, draws, flips)) return bound;
  return Model::bind_flips(draws, std::move(flips));
}

}  // namespace croco
