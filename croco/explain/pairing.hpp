// SPDX-License-Identifier: Apache-2.0
/// Reading advice that any tool made, beside the people it is for.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/data/schema.hpp>
#include <croco/explain/assess.hpp>

namespace croco {

/// How rows of advice are read: which of them are advice, and whose.
class AdviceRows {
 public:
  /// A table with or without its rows.
  AdviceRows(CsvTable advised, const Schema& schema);

  /// With the names that the schema has.
  [[nodiscard]] const CsvTable& table() const noexcept { return table_; }
  /// Whether its status says that something is recommended; without a status, all rows are advice.
  [[nodiscard]] bool is_advice(const CsvRow& row) const;
  /// Whether a column says whose advice a row is. Without it, rows are in the order of the people.
  [[nodiscard]] bool names_people() const noexcept { return person_.has_value(); }
  /// The index of the person, below the given count. Throws DataError naming the line. Only when
  /// `names_people`.
  [[nodiscard]] std::size_t person_of(const CsvRow& row, std::size_t people) const;

 private:
  CsvTable table_;
  std::optional<std::size_t> person_;
  std::optional<std::size_t> status_;
};

/// Throws DataError when rows that are paired in order are not as many.
void require_as_many(const std::string& people, std::size_t people_rows, const std::string& advised,
                     std::size_t advised_rows);

/// Pairs the rows of `advised` with people: by its column `row` (0-based index of the person) when
/// it has one that is no feature, else row by row, which needs as many rows. Rows of croco's own
/// output that carry no advice (`status` other than found, unmet or undecided) are left out.
/// In croco's own output a feature that is named like a column of the report stands as
/// `feature:NAME`. The columns `kept` of the people's table go with them.
[[nodiscard]] std::vector<AdvisedPerson> pair_up(const CsvTable& people, CsvTable advised,
                                                 const Schema& schema,
                                                 std::span<const std::string> kept = {});

}  // namespace croco
