// SPDX-License-Identifier: Apache-2.0
#include <croco/data/infer.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/cell.hpp>
#include <croco/data/column_words.hpp>
#include <croco/data/date_text.hpp>
#include <croco/data/infer_label.hpp>
#include <croco/data/missing.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/data/sentinel.hpp>
#include <croco/data/suggest.hpp>
#include <croco/data/written_number.hpp>

namespace croco {
namespace {

/// One odd value in twenty looks like a slip in a column of numbers, not like a category.
constexpr std::size_t kRare = 20;
/// Below this, that all values differ says nothing.
constexpr std::size_t kEnoughRows = 20;

/// A cell, for messages.
struct Cell {
  std::string_view text;
  std::size_t line = 0;

  [[nodiscard]] bool empty() const noexcept { return line == 0; }
};

/// The values of one column, without blanks around them and without the missing ones.
struct Values {
  std::vector<std::string_view> texts;
  std::vector<double> numbers;  ///< of those texts that are finite numbers, in their order
  Cell odd;                     ///< the first that is none
  Cell foreign;                 ///< the first that is one in a notation that is not read
  Cell written;                 ///< the first that has a unit or commas
  Cell bare;                    ///< the first that has no unit
  Cell other_unit;              ///< the first with another unit than the one before
  std::string_view unit;
  std::size_t dates = 0;
  std::size_t missing = 0;
  std::size_t unreadable = 0;  ///< no numbers in any notation

  [[nodiscard]] bool numeric() const noexcept { return numbers.size() == texts.size(); }
};

/// Notes the unit of a number, and where the units of a column differ.
void add_number(const WrittenNumber& number, const Cell& cell, Values& values) {
  values.numbers.push_back(parse_number(number.plain).value_or(0.0));
  if (number.unit.empty() && values.bare.empty()) values.bare = cell;
  if (!parse_number(cell.text) && values.written.empty()) values.written = cell;
  if (number.unit.empty()) return;
  if (!values.unit.empty() && !same_currency(values.unit, number.unit)) {
    if (values.other_unit.empty()) values.other_unit = cell;
  } else if (values.unit.empty()) {
    values.unit = number.unit;
  }
}

Values collect(const CsvTable& table, std::size_t column) {
  Values values;
  for (const CsvRow& row : table.rows) {
    const Cell cell{trimmed(row.fields[column]), row.line};
    if (is_missing(cell.text)) {
      ++values.missing;
      continue;
    }
    values.texts.push_back(cell.text);
    const std::optional<WrittenNumber> number = written_number(cell.text);
    const bool unclear = number && number->ambiguous && table.separator == ';';
    if (number && !unclear) {
      add_number(*number, cell, values);
      continue;
    }
    if (values.odd.empty()) values.odd = cell;
    if (is_date(cell.text)) ++values.dates;
    if (!unclear && !foreign_number(cell.text)) {
      ++values.unreadable;
    } else if (values.foreign.empty()) {
      values.foreign = cell;
    }
  }
  return values;
}

/// A column of numbers that cannot all be read is refused: as a category it would be of no use.
void refuse_unclear_numbers(const CsvTable& table, const std::string& name, const Values& values) {
  const auto refuse = [&](const Cell& cell, const std::string& rule) {
    throw DataError(
        fmt::format("{}, line {}, column '{}': {}", table.source, cell.line, name, rule));
  };
  if (!values.foreign.empty() && values.unreadable == 0) {
    refuse(values.foreign, number_fault(values.foreign.text));
  }
  if (!values.numeric()) return;
  if (!values.other_unit.empty()) {
    refuse(values.other_unit,
           fmt::format("'{}' is not in {}, which the values before are in; a column needs one unit",
                       values.other_unit.text, values.unit));
  }
  if (values.unit == "%" && !values.bare.empty()) {
    refuse(values.bare,
           fmt::format("'{}' has no percent sign, but others such as '{}' on line {} have one; "
                       "write all of them in per cent, or none",
                       values.bare.text, values.written.text, values.written.line));
  }
}

std::vector<std::string> distinct_sorted(const std::vector<std::string_view>& texts) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> distinct;
  for (const std::string_view text : texts) {
    if (seen.insert(text).second) distinct.emplace_back(text);
  }
  std::sort(distinct.begin(), distinct.end());
  return distinct;
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2.0;
}

bool is_whole(double value) noexcept {
  constexpr double kExactWholeNumbers = 9007199254740992.0;
  return value == std::floor(value) && std::abs(value) < kExactWholeNumbers;
}

/// 1, or else the largest part of it that all values are multiples of: the unit of their last
/// decimal, and of many values also halves, quarters and twentieths; 0 for more than two decimals.
double step_of(const std::vector<double>& values) {
  for (const double parts : {1.0, 2.0, 4.0, 10.0, 20.0, 100.0}) {
    const bool decimal = parts == 1 || parts == 10 || parts == 100;
    if (!decimal && values.size() < kEnoughRows) continue;
    const bool fits = std::ranges::all_of(values, [&](double value) {
      // A decimal number is the double next to the quotient of whole numbers.
      const double count = std::round(value * parts);
      return is_whole(count) && count / parts == value;
    });
    if (fits) return 1.0 / parts;
  }
  return 0.0;
}

/// Keeps codes for "unknown" out of the range that advice may propose.
void set_range(const std::vector<double>& distinct, Feature& feature,
               std::vector<std::string>& notes) {
  feature.minimum = distinct.front();
  feature.maximum = distinct.back();
  const std::vector<double> codes = sentinels_of(distinct);
  if (codes.empty()) return;
  std::vector<double> rest;
  std::ranges::set_difference(distinct, codes, std::back_inserter(rest));
  feature.minimum = rest.front();
  feature.maximum = rest.back();
  std::string listed;
  for (const double code : codes) {
    listed += (listed.empty() ? "" : ", ") + format_number(code);
  }
  notes.push_back(fmt::format(
      "Column '{}' has the value{} {}, apart from the others ({} to {}), which may stand for "
      "'unknown'; it is not proposed. If it does, leave these cells empty in the data.",
      feature.name, codes.size() == 1 ? "" : "s", listed, format_number(rest.front()),
      format_number(rest.back())));
}

void infer_numeric(const Values& values, Feature& feature, ColumnSummary& summary,
                   std::vector<std::string>& notes) {
  std::vector<double> sorted = values.numbers;
  std::sort(sorted.begin(), sorted.end());
  summary.minimum = sorted.front();
  summary.median = median_of_sorted(sorted);
  summary.maximum = sorted.back();
  const double step = step_of(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  summary.distinct = sorted.size();

  feature.type = FeatureType::numeric;
  feature.movement = Movement::both;
  set_range(sorted, feature, notes);
  feature.unit = values.unit;
  feature.step = step == 0 && is_currency(values.unit) ? 0.01 : step;
  if (!values.written.empty()) {
    notes.push_back(fmt::format(
        "Column '{}': '{}' on line {} is read as {}{}.", feature.name, values.written.text,
        values.written.line, written_number(values.written.text)->plain,
        values.unit.empty() ? "" : fmt::format(", and '{}' is its unit", values.unit)));
  }
  if (summary.distinct == 1) {
    notes.push_back(fmt::format("Column '{}' is {} in every row, so nothing can be learnt from it.",
                                feature.name, format_number(summary.minimum)));
  } else if (summary.distinct == 2) {
    notes.push_back(fmt::format(
        "Column '{}' was taken as numeric but has only the values {} and {}; if they are codes, "
        "make it categorical.",
        feature.name, format_number(summary.minimum), format_number(summary.maximum)));
  }
}

void infer_categorical(const Values& values, std::size_t max_levels, Feature& feature,
                       ColumnSummary& summary, std::vector<std::string>& notes) {
  feature.type = FeatureType::categorical;
  feature.movement = Movement::fixed;
  feature.levels = distinct_sorted(values.texts);
  summary.distinct = feature.levels.size();

  const std::size_t odd = values.texts.size() - values.numbers.size();
  if (odd * kRare <= values.texts.size()) {
    notes.push_back(fmt::format(
        "Column '{}' was taken as categorical because {} of its {} values {} not a finite number, "
        "such as '{}' on line {}.",
        feature.name, odd, values.texts.size(), odd == 1 ? "is" : "are", values.odd.text,
        values.odd.line));
  }
  if (summary.distinct == 1) {
    notes.push_back(
        fmt::format("Column '{}' is '{}' in every row, so nothing can be learnt from it.",
                    feature.name, feature.levels.front()));
  } else if (summary.distinct == values.texts.size()) {
    notes.push_back(fmt::format(
        "Column '{}' has another text in each of its {} rows and looks like an identifier; leave "
        "it out of the features.",
        feature.name, values.texts.size()));
  } else if (summary.distinct > max_levels) {
    notes.push_back(fmt::format("Column '{}' has {} levels, each of which becomes a column.",
                                feature.name, summary.distinct));
  }
}

/// A running number: whole, never the same twice, and hardly a number left out.
bool counts_the_rows(const std::vector<double>& numbers) {
  std::unordered_set<double> seen;
  for (const double number : numbers) {
    if (!is_whole(number) || !seen.insert(number).second) return false;
  }
  const auto [smallest, largest] = std::ranges::minmax(numbers);
  constexpr double kSlack = 1.2;
  return largest - smallest < kSlack * static_cast<double>(numbers.size());
}

/// Why a column is no feature, as the end of a sentence; empty when it may be one.
std::string reason_to_leave_out(const std::string& name, const Values& values) {
  const std::size_t count = values.texts.size();
  if (count == 0) return "has no values";
  if (trimmed(name).empty()) return "has no name, as an index of the rows that was saved with them";
  const bool compact = values.numeric() && std::ranges::all_of(values.numbers, is_compact_date);
  if (values.dates == count || (compact && count >= kEnoughRows)) {
    return fmt::format(
        "holds dates such as '{}'; a number made of them, such as days until today, "
        "can be a feature",
        values.texts.front());
  }
  if (count < kEnoughRows) return {};
  const std::size_t distinct =
      std::unordered_set<std::string_view>(values.texts.begin(), values.texts.end()).size();
  if (names_an_identifier(name) && 2 * distinct > count) {
    return fmt::format("is named like an identifier and has {} values in {} rows", distinct, count);
  }
  const std::size_t odd = count - values.numbers.size();
  if (odd * kRare > count && distinct == count) {
    return fmt::format("has another text in each of its {} rows, as an identifier has", count);
  }
  if (values.numeric() && counts_the_rows(values.numbers)) {
    return fmt::format("numbers the rows, from {} to {}",
                       format_number(std::ranges::min(values.numbers)),
                       format_number(std::ranges::max(values.numbers)));
  }
  return {};
}

/// Fixes what no advice should touch, by its name.
void fix_by_name(Feature& feature, const ColumnSummary& summary, std::vector<std::string>& notes) {
  if (names_the_protected(feature.name)) {
    feature.movement = Movement::fixed;
    feature.changeable_by = ChangeableBy::nobody;
    notes.push_back(
        fmt::format("Column '{}' is named like something that nobody can change, or that no advice "
                    "should touch, so it is fixed and marked 'changeable_by: nobody'.",
                    feature.name));
  } else if (feature.type == FeatureType::numeric && summary.distinct > 2 &&
             (names_an_identifier(feature.name) || names_a_place_code(feature.name))) {
    feature.movement = Movement::fixed;
    notes.push_back(
        fmt::format("Column '{}' is named like a code, so it is fixed; if it is one, make it "
                    "categorical or leave it out.",
                    feature.name));
  }
}

/// One note, however many columns lack values.
void note_missing(std::size_t rows, Inference& inference) {
  std::vector<std::string> columns;
  for (std::size_t f = 0; f < inference.columns.size(); ++f) {
    if (inference.columns[f].missing == 0) continue;
    columns.push_back(
        fmt::format("'{}' {}", inference.schema.features[f].name, inference.columns[f].missing));
  }
  if (columns.empty()) return;
  inference.notes.push_back(fmt::format(
      "Missing values in {} rows: {}. Such rows are errors unless --missing says otherwise.", rows,
      fmt::join(columns, ", ")));
}

}  // namespace

Inference infer_schema(const CsvTable& table, const InferOptions& options) {
  if (options.label.empty() && !options.favourable.empty()) {
    throw InvalidArgument(
        fmt::format("favourable is '{}'; it is a value of the label column, and no label is named",
                    options.favourable));
  }
  std::optional<std::size_t> label;
  if (!options.label.empty()) label = table.column(options.label);
  require_rows(table);
  for (const CsvRow& row : table.rows) check_field_count(table, row);

  Inference inference;
  if (label) {
    inference.schema.label = infer_label(table, *label, options.favourable, inference.notes);
  }
  for (std::size_t column = 0; column < table.header.size(); ++column) {
    if (column == label) continue;
    const Values values = collect(table, column);
    Feature feature;
    feature.name = table.header[column];
    if (const std::string reason = reason_to_leave_out(feature.name, values); !reason.empty()) {
      inference.notes.push_back(
          fmt::format("Column '{}' was left out: it {}.", feature.name, reason));
      continue;
    }
    refuse_unclear_numbers(table, feature.name, values);
    ColumnSummary summary;
    summary.missing = values.missing;
    if (values.numeric()) {
      infer_numeric(values, feature, summary, inference.notes);
    } else {
      infer_categorical(values, options.max_levels, feature, summary, inference.notes);
    }
    fix_by_name(feature, summary, inference.notes);
    inference.schema.features.push_back(std::move(feature));
    inference.columns.push_back(summary);
  }
  note_missing(table.rows.size(), inference);
  try {
    validate(inference.schema);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", table.source, error.what()));
  }
  return inference;
}

}  // namespace croco
