// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/row_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/data/csv.hpp>

namespace croco {
namespace {

using Json = nlohmann::json;

std::string csv_line(const std::vector<std::string>& fields) {
  for (const std::string& field : fields) {
    if (field.find_first_of("\r\n") == std::string::npos) continue;
    throw ModelError(
        fmt::format("'{}' has a line break, which ends a row of CSV; use another protocol", field));
  }
  return csv_record(fields);
}

std::string csv_text(const std::string& field) {
  std::string text = csv_line({field});
  text.pop_back();
  return text;
}

std::string json_text(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Levels that are all numbers are numbers to whoever learnt from the same data.
std::vector<std::string> json_levels(const std::vector<std::string>& levels) {
  std::vector<std::string> out;
  const bool numbers = std::ranges::all_of(levels, [](const std::string& level) {
    const Json value = try_parse_json<Json>(level);
    return value.is_number() && std::isfinite(value.get<double>());
  });
  for (const std::string& level : levels) out.push_back(numbers ? level : json_text(level));
  return out;
}

std::vector<std::string> names_of(const RecordColumns& columns) {
  std::vector<std::string> names;
  for (const RecordColumn& column : columns.all()) names.push_back(column.name);
  return names;
}

}  // namespace

RowText RowText::csv(const RecordColumns& columns) {
  RowText out;
  out.header_ = csv_line(names_of(columns));
  for (const RecordColumn& column : columns.all()) {
    Field field{.before = out.fields_.empty() ? "" : ",", .levels = {}};
    for (const std::string& level : column.levels) {
      // A single empty field would be a blank line, which ends a batch.
      field.levels.push_back(columns.size() == 1 || !level.empty() ? csv_text(level) : "");
    }
    out.fields_.push_back(std::move(field));
  }
  // A single empty field would be a blank line, which ends a batch.
  out.missing_ = columns.size() == 1 ? csv_text("") : "";
  out.after_row_ = "\n";
  return out;
}

RowText RowText::json_arrays(const RecordColumns& columns) {
  RowText out;
  out.header_ = "[";
  for (const RecordColumn& column : columns.all()) {
    const bool first = out.fields_.empty();
    out.header_ += (first ? "" : ",") + json_text(column.name);
    out.fields_.push_back({.before = first ? "[" : ",", .levels = json_levels(column.levels)});
  }
  out.header_ += "]";
  out.missing_ = "null";
  out.after_row_ = "]";
  out.between_rows_ = ",";
  return out;
}

RowText RowText::json_objects(const RecordColumns& columns) {
  RowText out = json_arrays(columns);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    out.fields_[c].before = (c == 0 ? "{" : ",") + json_text(columns[c].name) + ":";
  }
  out.after_row_ = "}";
  return out;
}

void RowText::append(Rows values, std::string& out) const {
  std::array<char, 32> number{};
  // The text of each column's last number: columns without noise stay the same all along.
  std::vector<std::string> last(fields_.size());
  for (std::size_t k = 0; k < values.count(); ++k) {
    if (k > 0) out += between_rows_;
    for (std::size_t c = 0; c < fields_.size(); ++c) {
      const double value = values[k][c];
      out += fields_[c].before;
      if (std::isnan(value)) {
        out += missing_;
        continue;
      }
      if (!fields_[c].levels.empty()) {
        out += fields_[c].levels[static_cast<std::size_t>(value)];
        continue;
      }
      if (k == 0 || value != values[k - 1][c]) {
        char* const end = std::to_chars(number.data(), number.data() + number.size(), value).ptr;
        last[c].assign(number.data(), end);
      }
      out += last[c];
    }
    out += after_row_;
  }
}

}  // namespace croco
