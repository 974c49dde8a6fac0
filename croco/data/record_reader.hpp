// SPDX-License-Identifier: Apache-2.0
/// From the rows of a table to records of a schema.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/data/schema.hpp>

namespace croco {

/// A person's values, in the order of the schema's features.
using Record = std::vector<std::string>;

/// The fields of a row that the schema asks for, in its order. Columns are matched by name, and
/// others are ignored. The table must outlive the reader.
class RecordReader {
 public:
  /// Throws DataError when the table lacks a column of the schema.
  RecordReader(const Schema& schema, const CsvTable& table);
  /// Throws DataError when the row has another number of fields than the header.
  [[nodiscard]] Record read(const CsvRow& row) const;
  /// "people.csv, line 7"
  [[nodiscard]] std::string where(const CsvRow& row) const;

 private:
  const CsvTable& table_;
  std::vector<std::size_t> columns_;
};

/// Throws DataError when the row has another number of fields than the header.
void check_field_count(const CsvTable& table, const CsvRow& row);

}  // namespace croco
