// SPDX-License-Identifier: Apache-2.0
#include <croco/models/trees/tree_rows.hpp>

#include <algorithm>
#include <cmath>

namespace croco {

TreeWorkspace& tree_workspace() {
  thread_local TreeWorkspace work;
  return work;
}

bool many_tree_logits(const TreeModel& model, Rows rows, MutableView out) {
  if (std::ranges::any_of(rows.data, [](double value) { return std::isnan(value); })) return false;
  const auto conditions = model.conditions();
  std::vector<bool> varies(rows.width);
  for (std::size_t k = 1; k < rows.count(); ++k) {
    const View row = rows[k];
    for (std::size_t j = 0; j < rows.width; ++j) varies[j] = varies[j] || row[j] != rows[0][j];
  }
  std::vector<Known> known(conditions.size(), Known::open);
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::size_t first = conditions[i].column;
    const std::size_t end = first + conditions[i].columns();
    const bool open = std::any_of(varies.begin() + static_cast<std::ptrdiff_t>(first),
                                  varies.begin() + static_cast<std::ptrdiff_t>(end),
                                  [](bool varying) { return varying; });
    if (!open) known[i] = conditions[i].holds(rows[0]) ? Known::yes : Known::no;
  }
  const auto program = model.programs().get(model, known);
  if (!program) return false;
  const std::vector<std::uint32_t>& list = program->conditions;
  TreeWorkspace& work = tree_workspace();
  work.fit(list.size());
  Vector values(kTreeBlock);
  for (std::size_t first = 0; first < rows.count(); first += kTreeBlock) {
    const std::size_t n = std::min(kTreeBlock, rows.count() - first);
    for (std::size_t i = 0; i < list.size();) {
      const TreeCondition& condition = conditions[list[i]];
      if (condition.kind != TreeCondition::Kind::at_most) {
        work.conditions[i] = {};
        for (std::size_t k = 0; k < n; ++k) {
          if (condition.holds(rows[first + k])) work.conditions[i].set(k);
        }
        ++i;
        continue;
      }
      work.limits.clear();
      std::size_t end = i;
      for (; end < list.size() && conditions[list[end]].column == condition.column &&
             conditions[list[end]].kind == TreeCondition::Kind::at_most;
           ++end) {
        work.limits.push_back(conditions[list[end]].limit);
      }
      for (std::size_t k = 0; k < n; ++k) values[k] = rows[first + k][condition.column];
      values_at_most(values.data(), work.limits, &work.conditions[i]);
      i = end;
    }
    const auto finish = [&](auto* sums) {
      std::fill_n(sums, kTreeBlock, model.base());
      add_leaves(program->forest, work.conditions.data(), work.slots, sums);
      for (std::size_t k = 0; k < n; ++k) {
        out[first + k] = model.logit_of_sum(static_cast<double>(sums[k]));
      }
    };
    if (model.single_precision()) {
      float sums[kTreeBlock];
      finish(sums);
    } else {
      double sums[kTreeBlock];
      finish(sums);
    }
  }
  return true;
}

}  // namespace croco
