// SPDX-License-Identifier: Apache-2.0
#include <croco/data/record_reader.hpp>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/data/suggest.hpp>

namespace croco {

RecordReader::RecordReader(const Schema& schema, const CsvTable& table) : table_(table) {
  std::vector<std::string> lacking;
  for (const Feature& feature : schema.features) {
    if (const auto column = table.find(feature.name)) {
      columns_.push_back(*column);
    } else {
      lacking.push_back(feature.name);
    }
  }
  if (lacking.empty()) return;
  throw DataError(fmt::format("{}: lacks {} of the schema: {}{} (columns: {})", table.source,
                              lacking.size() == 1 ? "a column" : "columns", quoted_list(lacking),
                              did_you_mean(lacking.front(), table.header),
                              quoted_list(table.header)));
}

Record RecordReader::read(const CsvRow& row) const {
  check_field_count(table_, row);
  Record record;
  record.reserve(columns_.size());
  for (const std::size_t column : columns_) record.push_back(row.fields[column]);
  return record;
}

std::string RecordReader::where(const CsvRow& row) const {
  return fmt::format("{}, line {}", table_.source, row.line);
}

void check_field_count(const CsvTable& table, const CsvRow& row) {
  const std::size_t count = row.fields.size();
  if (count == table.header.size()) return;
  throw DataError(fmt::format("{}, line {}: has {} field{}, but the header has {}", table.source,
                              row.line, count, count == 1 ? "" : "s", table.header.size()));
}

}  // namespace croco
