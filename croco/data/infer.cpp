// SPDX-License-Identifier: Apache-2.0
#include <croco/data/infer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/cell.hpp>
#include <croco/data/missing.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

/// The values of one column, without blanks around them and without the missing ones.
struct Values {
  std::vector<std::string_view> texts;
  std::vector<double> numbers;  ///< of those texts that are finite numbers, in their order
  std::string_view odd_text;    ///< the first that is none, and its line
  std::size_t odd_line = 0;
  std::size_t missing = 0;

  [[nodiscard]] bool numeric() const noexcept { return numbers.size() == texts.size(); }
};

Values collect(const CsvTable& table, std::size_t column) {
  Values values;
  for (const CsvRow& row : table.rows) {
    const std::string_view text = trimmed(row.fields[column]);
    if (is_missing(text)) {
      ++values.missing;
      continue;
    }
    values.texts.push_back(text);
    if (const std::optional<double> number = cell_number(text)) {
      values.numbers.push_back(*number);
    } else if (values.odd_line == 0) {
      values.odd_text = text;
      values.odd_line = row.line;
    }
  }
  return values;
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

void infer_numeric(const Values& values, Feature& feature, ColumnSummary& summary,
                   std::vector<std::string>& notes) {
  std::vector<double> sorted = values.numbers;
  std::sort(sorted.begin(), sorted.end());
  summary.minimum = sorted.front();
  summary.median = median_of_sorted(sorted);
  summary.maximum = sorted.back();
  const bool whole = std::all_of(sorted.begin(), sorted.end(), is_whole);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  summary.distinct = sorted.size();

  feature.type = FeatureType::numeric;
  feature.movement = Movement::both;
  feature.minimum = summary.minimum;
  feature.maximum = summary.maximum;
  feature.step = whole ? 1.0 : 0.0;
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

  // One odd value in twenty looks like a slip in a column of numbers, not like a category.
  constexpr std::size_t kRare = 20;
  const std::size_t odd = values.texts.size() - values.numbers.size();
  if (odd * kRare <= values.texts.size()) {
    notes.push_back(fmt::format(
        "Column '{}' was taken as categorical because {} of its {} values {} not a finite number, "
        "such as '{}' on line {}.",
        feature.name, odd, values.texts.size(), odd == 1 ? "is" : "are", values.odd_text,
        values.odd_line));
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

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower;
}

/// Whether a name speaks of what nobody can change: one of its words does, such as in "age_years"
/// or "applicant sex". Words are runs of letters, also parted by a capital: "CustomerAge".
bool names_the_inherent(std::string_view name) {
  constexpr std::array<std::string_view, 14> kWords = {
      "age",       "sex",      "gender", "race", "ethnicity", "ethnic", "nationality",
      "birthdate", "birthday", "birth",  "dob",  "ancestry",  "caste",  "birthplace"};
  std::string word;
  const auto known = [&] {
    return std::find(kWords.begin(), kWords.end(), lowered(word)) != kWords.end();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char letter = name[i];
    const bool capital = letter >= 'A' && letter <= 'Z';
    const bool small = letter >= 'a' && letter <= 'z';
    const bool starts = capital && i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    if (!(capital || small) || starts) {
      if (known()) return true;
      word.clear();
    }
    if (capital || small) word += letter;
  }
  return known();
}

bool looks_favourable(std::string_view value) {
  constexpr std::array<std::string_view, 18> kWords = {
      "1",         "1.0",        "accept",  "accepted", "approve", "approved",
      "favorable", "favourable", "good",    "grant",    "granted", "pass",
      "passed",    "positive",   "success", "true",     "y",       "yes"};
  return std::find(kWords.begin(), kWords.end(), lowered(value)) != kWords.end();
}

bool larger(const std::string& a, const std::string& b) {
  const std::optional<double> x = parse_number(a);
  const std::optional<double> y = parse_number(b);
  return x && y && *x != *y ? *x > *y : a > b;
}

LabelColumn infer_label(const CsvTable& table, std::size_t column, const std::string& favourable,
                        std::vector<std::string>& notes) {
  const std::string& name = table.header[column];
  const Values seen = collect(table, column);
  std::vector<std::string> values = distinct_sorted(seen.texts);
  if (values.size() != 2) {
    constexpr std::size_t kShown = 5;
    const std::size_t count = values.size();
    values.resize(std::min(count, kShown));
    throw DataError(
        fmt::format("{}, column '{}': a label needs exactly two values, but there {} {}{}{}{}",
                    table.source, name, count == 1 ? "is" : "are", count, count == 0 ? "" : ": ",
                    quoted_list(values), count > kShown ? ", ..." : ""));
  }
  if (seen.missing != 0) {
    notes.push_back(fmt::format("Label '{}' is missing in {} of {} rows.", name, seen.missing,
                                table.rows.size()));
  }
  if (!favourable.empty()) {
    const auto found = std::find(values.begin(), values.end(), favourable);
    if (found == values.end()) {
      throw DataError(
          fmt::format("{}, column '{}': '{}' cannot be the favourable value; the values "
                      "are {}",
                      table.source, name, favourable, quoted_list(values)));
    }
    if (found != values.begin()) std::swap(values[0], values[1]);
    return {name, values[0], values[1]};
  }
  const bool first_good = looks_favourable(values[0]);
  const bool second_good = looks_favourable(values[1]);
  const bool by_word = first_good != second_good;
  if (by_word ? second_good : larger(values[1], values[0])) std::swap(values[0], values[1]);
  notes.push_back(fmt::format(
      "Label '{}': '{}' was guessed to be the favourable value and '{}' the unfavourable one{}.",
      name, values[0], values[1], by_word ? "" : ", only because it is the larger of the two"));
  return {name, values[0], values[1]};
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
    if (values.texts.empty()) {
      inference.notes.push_back(
          fmt::format("Column '{}' has no values and was left out.", feature.name));
      continue;
    }
    ColumnSummary summary;
    summary.missing = values.missing;
    if (values.missing != 0) {
      inference.notes.push_back(fmt::format("Column '{}' is missing in {} of {} rows.",
                                            feature.name, values.missing, table.rows.size()));
    }
    if (values.numeric()) {
      infer_numeric(values, feature, summary, inference.notes);
    } else {
      infer_categorical(values, options.max_levels, feature, summary, inference.notes);
    }
    if (names_the_inherent(feature.name)) {
      feature.movement = Movement::fixed;
      feature.changeable_by = ChangeableBy::nobody;
      inference.notes.push_back(
          fmt::format("Column '{}' is named like something that nobody can change, so it is fixed "
                      "and marked 'changeable_by: nobody'.",
                      feature.name));
    }
    inference.schema.features.push_back(std::move(feature));
    inference.columns.push_back(summary);
  }
  try {
    validate(inference.schema);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", table.source, error.what()));
  }
  return inference;
}

}  // namespace croco
