// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/cell.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/missing.hpp>
#include <croco/data/written_number.hpp>

namespace croco {
namespace {

/// One column of the training table, with the means to name its cells.
struct TrainingColumn {
  const CsvTable& table;
  const Feature& feature;
  std::size_t index;

  [[noreturn]] void fail(const CsvRow& row, std::string_view rule) const {
    throw DataError(
        fmt::format("{}, line {}, column '{}': {}", table.source, row.line, feature.name, rule));
  }
  [[noreturn]] void fail_empty() const {
    throw DataError(fmt::format("{}, column '{}': every value is missing; a scale cannot be learnt",
                                table.source, feature.name));
  }
};

FeatureScale fit_numeric(const TrainingColumn& column) {
  std::vector<double> values;
  values.reserve(column.table.rows.size());
  for (const CsvRow& row : column.table.rows) {
    const std::string text =
        plain_cell(row.fields[column.index], column.feature.unit, column.table.separator);
    if (is_missing(text)) continue;
    const std::optional<double> value = cell_number(text);
    if (!value) column.fail(row, number_fault(text));
    values.push_back(*value);
  }
  if (values.empty()) column.fail_empty();
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  FeatureScale scale{*smallest, *largest, {}, {}, {}};
  // An element of the data, so that whole numbers are imputed by whole numbers.
  const auto middle =
      std::next(values.begin(), static_cast<std::ptrdiff_t>((values.size() - 1) / 2));
  std::nth_element(values.begin(), middle, values.end());
  scale.typical = format_number(*middle);
  scale.distribution = distribution_of(std::move(values));
  return scale;
}

FeatureScale fit_categorical(const TrainingColumn& column) {
  const std::vector<std::string>& levels = column.feature.levels;
  std::vector<std::size_t> counts(levels.size(), 0);
  for (const CsvRow& row : column.table.rows) {
    const std::string& text = row.fields[column.index];
    if (const auto level = cell_level(column.feature, text)) {
      ++counts[*level];
    } else if (!is_missing(text)) {
      column.fail(row, level_fault(column.feature, text));
    }
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  if (*most == 0) column.fail_empty();
  FeatureScale scale{0.0, 1.0, levels[static_cast<std::size_t>(most - counts.begin())]};
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (counts[k] == 0) scale.unseen.push_back(levels[k]);
  }
  return scale;
}

}  // namespace

Codec Codec::fit(Schema schema, const CsvTable& training, NumberEncoding encoding) {
  validate(schema);
  require_rows(training);
  // Checks that no column is lacking, and names all that are.
  static_cast<void>(RecordReader(schema, training));
  for (const CsvRow& row : training.rows) check_field_count(training, row);
  std::vector<FeatureScale> scales;
  scales.reserve(schema.features.size());
  for (const Feature& feature : schema.features) {
    const TrainingColumn column{training, feature, training.column(feature.name)};
    scales.push_back(feature.type == FeatureType::numeric ? fit_numeric(column)
                                                          : fit_categorical(column));
  }
  return {std::move(schema), std::move(scales), encoding};
}

}  // namespace croco
