// SPDX-License-Identifier: Apache-2.0
/// The charts of an audit's page: SVG without scripts and without inline style.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <croco/audit/audit_table.hpp>

namespace croco {

/// Groups that are drawn at most; the table has them all.
inline constexpr std::size_t kMostCurves = 6;

/// The share of the refused with certified advice for at most a cost, for each group with its band;
/// small groups are left out. Empty when there is nothing to draw.
[[nodiscard]] std::string cost_curves(const AuditTable& table, const AuditAttribute& attribute);

/// Where a gap lies: zero in the middle, the ends of the axis at -+ `reach`.
[[nodiscard]] std::string gap_bar(const AuditRow& row, double reach);
/// The reach of an axis for gaps and their intervals, as far as they are finite; at least `least`.
[[nodiscard]] double gap_reach(std::span<const AuditRow* const> rows, double least);

}  // namespace croco
