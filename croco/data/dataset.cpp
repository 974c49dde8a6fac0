// SPDX-License-Identifier: Apache-2.0
#include <croco/data/dataset.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/missing.hpp>
#include <croco/data/record_reader.hpp>

namespace croco {
namespace {

/// Equal as texts, or as numbers ("1" and "1.0").
bool same_value(std::string_view field, std::string_view value) {
  if (trimmed(field) == trimmed(value)) return true;
  const std::optional<double> a = parse_number(field);
  const std::optional<double> b = parse_number(value);
  return a && b && *a == *b;
}

/// The class of a row; throws when the label is missing or unknown.
std::uint8_t class_of(const std::string& field, const LabelColumn& label,
                      const std::string& where) {
  if (same_value(field, label.favourable)) return 1;
  if (same_value(field, label.unfavourable)) return 0;
  if (is_missing(field)) {
    throw MissingValue(
        fmt::format("{}, column '{}': the label is missing ('{}'); --missing drop "
                    "leaves such rows out",
                    where, label.name, field));
  }
  throw DataError(fmt::format("{}, column '{}': '{}' is neither '{}' nor '{}'", where, label.name,
                              field, label.favourable, label.unfavourable));
}

void require_both_classes(const Dataset& dataset, const CsvTable& table, const LabelColumn& label) {
  std::string dropped;
  if (dataset.dropped != 0) {
    dropped = fmt::format(" once {} with missing values {} dropped",
                          dataset.dropped == 1 ? "1 row" : fmt::format("{} rows", dataset.dropped),
                          dataset.dropped == 1 ? "is" : "are");
  }
  if (dataset.labels.empty()) {
    throw DataError(fmt::format("{}: no row is left{}", table.source, dropped));
  }
  const bool first = dataset.labels.front() == 1;
  if (std::adjacent_find(dataset.labels.begin(), dataset.labels.end(), std::not_equal_to<>()) !=
      dataset.labels.end()) {
    return;
  }
  throw DataError(fmt::format("{}, column '{}': every row is '{}'{}; both classes are needed",
                              table.source, label.name,
                              first ? label.favourable : label.unfavourable, dropped));
}

}  // namespace

Dataset encode_dataset(const CsvTable& table, const Codec& codec, MissingPolicy missing) {
  const LabelColumn& label = codec.schema().label;
  if (label.name.empty()) {
    throw DataError(
        fmt::format("{}: the schema names no label column, so the classes of the rows "
                    "are unknown",
                    table.source));
  }
  require_rows(table);
  const std::size_t label_column = table.column(label.name);
  const RecordReader reader(codec.schema(), table);

  Dataset dataset;
  dataset.points.width = codec.width();
  dataset.points.data.reserve(table.rows.size() * codec.width());
  dataset.labels.reserve(table.rows.size());
  for (const CsvRow& row : table.rows) {
    const std::string where = reader.where(row);
    const Record record = reader.read(row);
    try {
      const std::uint8_t value = class_of(row.fields[label_column], label, where);
      dataset.points.append(codec.encode(record, where, missing));
      dataset.labels.push_back(value);
    } catch (const MissingValue&) {
      if (missing != MissingPolicy::drop) throw;
      ++dataset.dropped;
    }
  }
  require_both_classes(dataset, table, label);
  return dataset;
}

}  // namespace croco
