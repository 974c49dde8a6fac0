// SPDX-License-Identifier: Apache-2.0
/// Reading advice that any tool made, beside the people it is for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/data/schema.hpp>
#include <croco/explain/assess.hpp>

namespace croco {

/// Pairs the rows of `advised` with people: by its column `row` (0-based index of the person) when
/// it has one that is no feature, else row by row, which needs as many rows. Rows of croco's own
/// output that carry no advice (`status` other than found, unmet or undecided) are left out.
/// In croco's own output a feature that is named like a column of the report stands as
/// `feature:NAME`. The columns `kept` of the people's table go with them.
[[nodiscard]] std::vector<AdvisedPerson> pair_up(const CsvTable& people, CsvTable advised,
                                                 const Schema& schema,
                                                 std::span<const std::string> kept = {});

}  // namespace croco
