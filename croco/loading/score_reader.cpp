// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/score_reader.hpp>

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/missing.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

constexpr const char* kScoreColumn = "score";

/// `place` is where the text stands, for the complaint.
std::optional<double> parse_score(const std::string& text, const std::string& place) {
  if (is_missing(text)) return std::nullopt;
  const std::optional<double> number = parse_number(text);
  if (!number || !(*number >= 0) || !(*number <= 1)) {
    throw DataError(
        fmt::format("{}: the score is '{}'; it must be the probability of class 1, a number from 0 "
                    "to 1",
                    place, text.substr(0, 40)));
  }
  return number;
}

std::size_t score_column(const CsvTable& table) {
  if (table.header.size() == 1) return 0;
  if (const auto column = table.find(kScoreColumn)) return *column;
  throw DataError(fmt::format("{}: has {} columns, and none is called '{}' (columns: {})",
                              table.source, table.header.size(), kScoreColumn,
                              quoted_list(table.header)));
}

}  // namespace

ScoreReader::ScoreReader(const std::string& where, const RowSource& people) {
  rows_ = people.read();
  if (const auto column = rows_->table().find(where)) {
    source_ = fmt::format("column '{}' of {}", where, people.name());
    column_ = *column;
    for (std::optional<double> score; next_score(score);) continue;
    open(people);
    return;
  }
  if (!std::filesystem::exists(where)) {
    const CsvTable& table = rows_->table();
    throw InvalidArgument(
        fmt::format("scores is '{}'; it must be a file, or a column of {}{} (columns: {})", where,
                    table.source, did_you_mean(where, table.header), quoted_list(table.header)));
  }
  std::size_t rows = 0;
  for (CsvRow row; rows_->next(row);) ++rows;
  source_ = where;
  const RowSource file = RowSource::file(where);
  open(file);
  column_ = score_column(rows_->table());
  single_ = rows_->table().header.size() == 1;
  std::size_t count = 0;
  for (std::optional<double> score; next_score(score);) ++count;
  if (count != rows) {
    throw DataError(
        fmt::format("{} has {} scores and {} has {} rows; there must be one score for each row, in "
                    "order",
                    where, count, people.name(), rows));
  }
  open(file);
}

void ScoreReader::open(const RowSource& rows) {
  rows_ = rows.read();
  first_line_.reset();
  const std::vector<std::string>& header = rows_->table().header;
  // No header: the first score.
  if (rows.name() == source_ && header.size() == 1 && parse_number(header[0])) {
    first_line_ = header[0];
  }
}

bool ScoreReader::next_score(std::optional<double>& score) {
  if (first_line_) {
    score = parse_score(*first_line_, source_ + ", line 1");
    first_line_.reset();
    return true;
  }
  CsvRow row;
  if (!rows_->next(row)) return false;
  const CsvTable& table = rows_->table();
  if (single_ && row.fields.size() != 1) {
    throw DataError(fmt::format("{}, line {}: has {} fields; the first line has 1", table.source,
                                row.line, row.fields.size()));
  }
  // A row that is too short is nobody: the reader of records says so.
  score =
      column_ < row.fields.size()
          ? parse_score(row.fields[column_], fmt::format("{}, line {}, column '{}'", table.source,
                                                         row.line, table.header[column_]))
          : std::nullopt;
  return true;
}

StatedScores ScoreReader::next(std::size_t count) {
  StatedScores out{.source = source_, .scores = {}, .first = at_};
  for (std::optional<double> score; out.scores.size() < count && next_score(score); ++at_) {
    out.scores.push_back(score);
  }
  return out;
}

}  // namespace croco
