// SPDX-License-Identifier: Apache-2.0
#include <croco/data/record_reader.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/data/suggest.hpp>
#include <croco/data/written_number.hpp>

namespace croco {

RecordReader::RecordReader(const Schema& schema, const CsvTable& table) : table_(table) {
  std::vector<std::string> lacking;
  for (const Feature& feature : schema.features) {
    if (const auto column = table.find(feature.name)) {
      sources_.push_back({*column, feature.type == FeatureType::numeric, feature.unit});
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
  record.reserve(sources_.size());
  for (const Source& source : sources_) {
    const std::string& field = row.fields[source.column];
    record.push_back(source.numeric ? plain_cell(field, source.unit, table_.separator) : field);
  }
  return record;
}

std::string RecordReader::where(const CsvRow& row) const {
  return fmt::format("{}, line {}", table_.source, row.line);
}

void check_field_count(const CsvTable& table, const CsvRow& row) {
  const std::size_t count = row.fields.size();
  if (count == table.header.size()) return;
  const bool other_separator = std::ranges::any_of(table.header, [&](const std::string& name) {
    return table.separator == ',' && name.find_first_of(";\t") != std::string::npos;
  });
  throw DataError(fmt::format(
      "{}, line {}: has {} field{}, but the header has {}{}", table.source, row.line, count,
      count == 1 ? "" : "s", table.header.size(),
      other_separator ? "; the header has commas, so they separate the fields: if semicolons or "
                        "tabs do, put names that hold a comma in quotes"
                      : ""));
}

}  // namespace croco
