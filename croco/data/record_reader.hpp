// SPDX-License-Identifier: Apache-2.0
/// From the rows of a table to records of a schema.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/data/schema.hpp>

namespace croco {

/// The fields of a row that the schema asks for, in its order. Columns are matched by name, and
/// others are ignored. Numbers with a currency, commas between thousands or a percent sign become
/// plain ones (`plain_cell`). The table must outlive the reader.
class RecordReader {
 public:
  /// Throws DataError when the table lacks a column of the schema.
  RecordReader(const Schema& schema, const CsvTable& table);
  /// Throws DataError when the row has another number of fields than the header.
  [[nodiscard]] Record read(const CsvRow& row) const;
  /// "people.csv, line 7"
  [[nodiscard]] std::string where(const CsvRow& row) const;

 private:
  struct Source {
    std::size_t column = 0;
    bool numeric = false;
    std::string unit;
  };

  const CsvTable& table_;
  std::vector<Source> sources_;  ///< by feature
};

/// Throws DataError when the row has another number of fields than the header.
void check_field_count(const CsvTable& table, const CsvRow& row);

}  // namespace croco
