// SPDX-License-Identifier: Apache-2.0
#include <croco/data/data_frame.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>

namespace croco {
namespace {

std::string cell_text(const DataColumn& column, std::size_t row) {
  if (const auto* numbers = std::get_if<NumberColumn>(&column.values)) {
    const double value = numbers->values[row];
    return std::isnan(value) ? std::string() : format_number(value);
  }
  const auto& texts = std::get<LevelColumn>(column.values);
  return texts.codes[row] < 0 ? std::string()
                              : texts.levels[static_cast<std::size_t>(texts.codes[row])];
}

}  // namespace

std::size_t DataColumn::size() const noexcept {
  const auto* numbers = std::get_if<NumberColumn>(&values);
  return numbers != nullptr ? numbers->values.size()
                            : std::get_if<LevelColumn>(&values)->codes.size();
}

std::size_t DataFrame::rows() const noexcept {
  return columns.empty() ? 0 : columns.front().size();
}

const DataColumn& DataFrame::column(const std::string& name) const {
  const auto found = std::ranges::find(columns, name, &DataColumn::name);
  if (found != columns.end()) return *found;
  throw DataError(fmt::format("{}: column '{}' is missing", source, name));
}

void validate(const DataFrame& frame) {
  std::set<std::string> names;
  for (const DataColumn& column : frame.columns) {
    if (!names.insert(column.name).second) {
      throw DataError(fmt::format("{}: two columns are called '{}'", frame.source, column.name));
    }
    if (column.size() != frame.rows()) {
      throw DataError(fmt::format("{}, column '{}': it has {} rows; the first column has {}",
                                  frame.source, column.name, column.size(), frame.rows()));
    }
    const auto* texts = std::get_if<LevelColumn>(&column.values);
    if (texts == nullptr) continue;
    const auto levels = static_cast<std::int64_t>(texts->levels.size());
    for (std::size_t row = 0; row < texts->codes.size(); ++row) {
      const std::int32_t code = texts->codes[row];
      if (code >= -1 && code < levels) continue;
      throw DataError(fmt::format("{}, row {}, column '{}': the code {} has no level; there are {}",
                                  frame.source, row, column.name, code, levels));
    }
  }
}

Record record_of(const DataFrame& frame, const Schema& schema, std::size_t row) {
  Record out;
  out.reserve(schema.features.size());
  for (const Feature& feature : schema.features) {
    out.push_back(cell_text(frame.column(feature.name), row));
  }
  return out;
}

}  // namespace croco
