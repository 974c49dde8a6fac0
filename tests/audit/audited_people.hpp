// SPDX-License-Identifier: Apache-2.0
/// People of an audit with round numbers, in the world of tests/people.hpp.
#pragma once

#include <limits>
#include <vector>

#include <croco/audit/auditor.hpp>
#include <tests/people.hpp>

namespace croco::audited {

inline constexpr double kNoWay = std::numeric_limits<double>::infinity();

/// Home, which the model reads, and a town beside it.
inline std::vector<AuditAttribute> attributes() {
  return {{.column = "home",
           .cuts = {},
           .feature = 3,
           .groups = {"rent", "own"},
           .reference = 1,
           .swappable = true},
          {.column = "town <b>",
           .cuts = {},
           .feature = std::nullopt,
           .groups = {"East", "North, upper", "(missing)"},
           .reference = 0,
           .swappable = false}};
}

/// 80 people: renters of whom more are refused and pay more, a proof, an open case and a bad row.
inline std::vector<AuditedPerson> people() {
  std::vector<AuditedPerson> out;
  for (std::size_t row = 0; row < 80; ++row) {
    const bool rents = row % 2 == 0;
    AuditedPerson one{.row = row,
                      .groups = {rents ? 0U : 1U, row % 3 == 0 ? 1U
                                                  : row == 1   ? 2U
                                                               : 0U},
                      .recourse = Recourse::certified,
                      .score = 0.1 + 0.004 * static_cast<double>(row),
                      .cost = (rents ? 0.5 : 0.25) + 0.001 * static_cast<double>(row),
                      .plain = 0.2,
                      .changed = {0, 1}};
    if (!rents && row > 60) {
      one = {.row = row,
             .groups = one.groups,
             .recourse = Recourse::accepted,
             .score = 0.9,
             .cost = 0,
             .plain = 0};
    }
    if (row == 4 || row == 6) {
      one.recourse = row == 4 ? Recourse::impossible : Recourse::undecided;
      one.cost = kNoWay;
      one.changed = {};
      one.limits = {{0, LimitKind::maximum}, {2, LimitKind::fixed}};
    }
    one.swaps = {{0, rents ? 1U : 0U, rents ? 0.4 : 0.45}};
    out.push_back(one);
  }
  out.push_back({.row = 80});
  return out;
}

}  // namespace croco::audited
