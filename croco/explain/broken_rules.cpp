// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/broken_rules.hpp>

#include <algorithm>
#include <cmath>

#include <croco/space/admissible.hpp>
#include <croco/space/features.hpp>
#include <croco/space/levels.hpp>
#include <croco/space/relation.hpp>

namespace croco {
namespace {

/// As `is_admissible`: telling a value and encoding it again may move it so far.
constexpr double kSame = 1e-9;

void add_number(const Column& column, std::size_t feature, double origin, double point,
                std::vector<Limit>& out) {
  const double unit = column.step == 0 ? 1.0 : column.step;
  const double slack = kSame * unit;
  if (std::abs(point - origin) <= slack) return;
  const auto add = [&](LimitKind kind) { out.push_back({feature, kind}); };
  if (column.movement == Movement::fixed) {
    add(LimitKind::fixed);
    return;  // the other rules are about how far it may go
  }
  if (column.movement == Movement::up && point < origin) add(LimitKind::no_fall);
  if (column.movement == Movement::down && point > origin) add(LimitKind::no_rise);
  // Who is outside of a range may come nearer to it, and go no further out.
  if (point < std::min(column.lower, origin) - slack) add(LimitKind::minimum);
  if (point > std::max(column.upper, origin) + slack) add(LimitKind::maximum);
  if (std::abs(point - origin) > column.max_change + slack) add(LimitKind::max_change);
  if (column.step > 0) {
    const double steps = (point - column.step_origin) / column.step;
    if (std::abs(steps - std::round(steps)) > kSame) add(LimitKind::step);
  }
}

}  // namespace

BrokenRules broken_rules(const Codec& codec, View origin, View point) {
  const Space& space = codec.space();
  BrokenRules out;
  for (std::size_t j = 0; j < space.width(); ++j) {
    if (!space.columns[j].continuous) continue;
    add_number(space.columns[j], codec.feature_of(j), origin[j], point[j], out.limits);
  }
  for (const OneHotGroup& group : space.groups) {
    const std::size_t from = level_at(group, origin);
    const std::size_t to = level_at(group, point);
    if (from == to || find_move(group, from, to) != nullptr) continue;
    // Encoded columns are features of their own; the one that is reached stands for the move.
    out.limits.push_back({codec.feature_of(group.first + to),
                          group.moves.empty() ? LimitKind::fixed : LimitKind::levels});
  }
  std::ranges::stable_sort(out.limits, {}, &Limit::feature);
  for (std::size_t r = 0; r < space.relations.size(); ++r) {
    if (row_of(space.relations[r], origin).holds(point)) continue;
    out.limits.push_back({r, LimitKind::relation});
  }
  out.too_many_changes = space.most_changed < changed_features(space, origin, point).size();
  return out;
}

}  // namespace croco
