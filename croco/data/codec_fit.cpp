// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/cell.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/distribution.hpp>
#include <croco/data/missing.hpp>
#include <croco/data/record_reader.hpp>
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

/// Of at least one value.
FeatureScale scale_of_numbers(std::vector<double> values) {
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
  return scale_of_numbers(std::move(values));
}

/// Of at least one row: how many of them have each level.
FeatureScale scale_of_counts(const Feature& feature, const std::vector<std::size_t>& counts) {
  const std::vector<std::string>& levels = feature.levels;
  const auto most = std::max_element(counts.begin(), counts.end());
  FeatureScale scale{0.0, 1.0, levels[static_cast<std::size_t>(most - counts.begin())]};
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (counts[k] == 0) scale.unseen.push_back(levels[k]);
  }
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
  if (std::ranges::count(counts, 0U) == std::ssize(counts)) column.fail_empty();
  return scale_of_counts(column.feature, counts);
}

/// One column of a data frame, with the means to name its cells.
struct FrameColumn {
  const DataFrame& frame;
  const Feature& feature;

  [[noreturn]] void fail(std::size_t row, std::string_view rule) const {
    throw DataError(
        fmt::format("{}, row {}, column '{}': {}", frame.source, row, feature.name, rule));
  }
  [[noreturn]] void fail_empty() const {
    throw DataError(fmt::format("{}, column '{}': every value is missing; a scale cannot be learnt",
                                frame.source, feature.name));
  }
};

FeatureScale fit_numeric(const FrameColumn& column) {
  std::vector<double> values;
  const DataColumn& data = column.frame.column(column.feature.name);
  if (const auto* numbers = std::get_if<NumberColumn>(&data.values)) {
    for (std::size_t row = 0; row < numbers->values.size(); ++row) {
      const double value = numbers->values[row];
      if (std::isnan(value)) continue;
      if (!std::isfinite(value)) column.fail(row, number_fault(format_number(value)));
      values.push_back(value);
    }
  } else {
    // Each level is read once, however many rows have it.
    const auto& texts = std::get<LevelColumn>(data.values);
    std::vector<std::optional<double>> meanings;
    for (const std::string& level : texts.levels) {
      meanings.push_back(cell_number(plain_cell(level, column.feature.unit, ',')));
    }
    for (std::size_t row = 0; row < texts.codes.size(); ++row) {
      if (texts.codes[row] < 0) continue;
      const auto code = static_cast<std::size_t>(texts.codes[row]);
      if (is_missing(texts.levels[code])) continue;
      if (!meanings[code]) column.fail(row, number_fault(texts.levels[code]));
      values.push_back(*meanings[code]);
    }
  }
  if (values.empty()) column.fail_empty();
  return scale_of_numbers(std::move(values));
}

FeatureScale fit_categorical(const FrameColumn& column) {
  std::vector<std::size_t> counts(column.feature.levels.size(), 0);
  const auto count = [&](const std::string& text, std::size_t row, std::size_t times) {
    if (const auto level = cell_level(column.feature, text)) {
      counts[*level] += times;
    } else if (!is_missing(text)) {
      column.fail(row, level_fault(column.feature, text));
    }
  };
  const DataColumn& data = column.frame.column(column.feature.name);
  if (const auto* numbers = std::get_if<NumberColumn>(&data.values)) {
    for (std::size_t row = 0; row < numbers->values.size(); ++row) {
      if (!std::isnan(numbers->values[row])) count(format_number(numbers->values[row]), row, 1);
    }
  } else {
    const auto& texts = std::get<LevelColumn>(data.values);
    std::vector<std::size_t> times(texts.levels.size(), 0);
    std::vector<std::size_t> first(texts.levels.size(), 0);
    for (std::size_t row = 0; row < texts.codes.size(); ++row) {
      if (texts.codes[row] < 0) continue;
      const auto code = static_cast<std::size_t>(texts.codes[row]);
      if (times[code]++ == 0) first[code] = row;
    }
    for (std::size_t k = 0; k < times.size(); ++k) {
      if (times[k] > 0) count(texts.levels[k], first[k], times[k]);
    }
  }
  if (std::ranges::count(counts, 0U) == std::ssize(counts)) column.fail_empty();
  return scale_of_counts(column.feature, counts);
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

Codec Codec::fit(Schema schema, const DataFrame& training, NumberEncoding encoding) {
  validate(schema);
  validate(training);
  if (training.rows() == 0) throw DataError(fmt::format("{}: it has no rows", training.source));
  std::vector<FeatureScale> scales;
  scales.reserve(schema.features.size());
  for (const Feature& feature : schema.features) {
    const FrameColumn column{training, feature};
    scales.push_back(feature.type == FeatureType::numeric ? fit_numeric(column)
                                                          : fit_categorical(column));
  }
  return {std::move(schema), std::move(scales), encoding};
}

}  // namespace croco
