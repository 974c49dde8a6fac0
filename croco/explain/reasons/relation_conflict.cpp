// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/reasons/relation_conflict.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/optim/l1_program.hpp>

namespace croco {

std::optional<RelationConflict> relation_conflict(const Codec& codec, View origin) {
  const Space& space = codec.space();
  if (space.relations.empty()) return std::nullopt;
  const ChangeProblem changes = change_problem(space, origin);
  if (changes.keeps_rows(Vector(origin.size()))) return std::nullopt;
  Vector lower;
  Vector upper;
  for (const Interval& interval : changes.intervals) {
    lower.push_back(interval.lower);
    upper.push_back(interval.upper);
  }
  L1Program program{changes.costs, lower, upper, {}};
  for (const LinearRow& row : changes.rows) program.rows.push_back({row.coefficients, row.bound});
  const L1Solution found = solve(program);
  if (found.verdict != ProgramVerdict::infeasible) return std::nullopt;

  RelationConflict conflict;
  Vector sum(origin.size());
  Vector size(origin.size());
  for (std::size_t i = 0; i < changes.rows.size(); ++i) {
    if (found.conflict[i] == 0) continue;
    conflict.relations.push_back(i);
    for (std::size_t j = 0; j < sum.size(); ++j) {
      const double term = found.conflict[i] * changes.rows[i].coefficients[j];
      sum[j] += term;
      size[j] += std::abs(term);
    }
  }
  for (std::size_t j = 0; j < sum.size(); ++j) {
    // Columns that the rows cancel out have no part in it.
    if (std::abs(sum[j]) <= 1e-9 * size[j]) continue;
    conflict.limits.push_back(
        {codec.feature_of(j), limit_at_end(space.columns[j], origin[j], sum[j] < 0)});
  }
  return conflict;
}

std::string ratio_fault(const Codec& codec, View origin, const std::string& where) {
  const std::vector<Relation>& relations = codec.space().relations;
  for (std::size_t i = 0; i < relations.size(); ++i) {
    if (relations[i].has_value(origin)) continue;
    const RelationRule& rule = codec.schema().relations[i];
    return fmt::format(
        "{}: relation '{}': '{}' is {}, so that there is nothing to divide by; it "
        "must be above 0",
        where, rule.name, rule.per, format_number(relations[i].denominator.at(origin)));
  }
  return {};
}

std::string relation_names(const Schema& schema, const std::vector<std::size_t>& relations) {
  std::vector<std::string> names;
  for (const std::size_t i : relations) names.push_back(schema.relations[i].name);
  return fmt::format("{} {}", names.size() == 1 ? "relation" : "relations", quoted_list(names));
}

std::vector<std::size_t> broken_relations(const Space& space, View origin, View point) {
  std::vector<std::size_t> broken;
  for (std::size_t i = 0; i < space.relations.size(); ++i) {
    if (!row_of(space.relations[i], origin).holds(point)) broken.push_back(i);
  }
  return broken;
}

LimitKind limit_at_end(const Column& column, double origin, bool up) noexcept {
  if (column.movement == Movement::fixed) return LimitKind::fixed;
  if (up && column.movement == Movement::down) return LimitKind::no_rise;
  if (!up && column.movement == Movement::up) return LimitKind::no_fall;
  const double end = up ? std::max(column.upper, origin) : std::min(column.lower, origin);
  if (column.max_change < std::abs(end - origin)) return LimitKind::max_change;
  return up ? LimitKind::maximum : LimitKind::minimum;
}

}  // namespace croco
