// SPDX-License-Identifier: Apache-2.0
/// The user's own scores of the people, some rows at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <croco/data/csv_reader.hpp>
#include <croco/data/row_source.hpp>

namespace croco {

/// Probabilities of class 1, by row of the data; nothing where a row has none.
struct StatedScores {
  std::string source;  ///< "column 'p' of people.csv", "scores.csv"
  std::vector<std::optional<double>> scores;
  std::size_t first = 0;  ///< the row of the first score
};

class ScoreReader {
 public:
  /// `where` is a column of the people's rows, or else a CSV file with one score for each of them,
  /// in order: of one column, whose header may be left out, or with a column called `score`. Reads
  /// all of them once. Throws InvalidArgument when it is neither, IoError, and DataError naming the
  /// file, the line and the rule: another number of scores, and what is no number from 0 to 1.
  /// Blanks are no scores.
  ScoreReader(const std::string& where, const RowSource& people);

  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  /// Those of the next `count` rows, from the first; fewer, and then none, at the end.
  [[nodiscard]] StatedScores next(std::size_t count);

 private:
  void open(const RowSource& rows);
  [[nodiscard]] bool next_score(std::optional<double>& score);

  std::string source_;
  std::unique_ptr<CsvReader> rows_;
  std::size_t column_ = 0;
  bool single_ = false;  ///< a file of one column
  std::optional<std::string> first_line_;
  std::size_t at_ = 0;
};

}  // namespace croco
