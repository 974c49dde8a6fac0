// SPDX-License-Identifier: Apache-2.0
/// The user's own scores of the people, compared with the model's before anything is searched: what
/// croco certifies has to be the model that the user runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/data/csv.hpp>
#include <croco/loading/missing_values.hpp>
#include <croco/loading/people.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Probabilities of class 1, by row of the data; nothing where a row has none.
struct StatedScores {
  std::string source;  ///< "column 'p' of people.csv", "scores.csv"
  std::vector<std::optional<double>> scores;
};

/// `where` is a column of the people's table, or else a CSV file with one score for each of its
/// rows, in order: of one column, whose header may be left out, or with a column called `score`.
/// Throws InvalidArgument when it is neither, IoError, and DataError naming the file, the line and
/// the rule: another number of scores, and what is no number from 0 to 1. Blanks are no scores.
[[nodiscard]] StatedScores read_scores(const std::string& where, const CsvTable& people);

/// A row whose scores differ.
struct ScoreDifference {
  std::size_t row = 0;
  std::string where;
  double stated = 0.0;
  double model = 0.0;
  int stated_class = 0;
  int model_class = 0;
};

/// A mistake that explains all scores at once.
enum class ScoreMistake : std::uint8_t {
  none,         ///< that is known
  other_class,  ///< they are the probabilities of class 0
  labels,       ///< they are 0 and 1
  half_logit,   ///< the model's logits are twice those of the scores
};

struct ScoreCheck {
  /// Scores may differ by so much, when the decisions are the same.
  static constexpr double kTolerance = 1e-4;
  static constexpr std::size_t kShown = 5;

  std::size_t compared = 0;
  std::size_t skipped = 0;  ///< rows that cannot be read, or miss values
  std::size_t different = 0;
  double largest = 0.0;                ///< difference
  std::vector<ScoreDifference> first;  ///< at most kShown
  ScoreMistake mistake = ScoreMistake::none;

  [[nodiscard]] bool agrees() const noexcept { return different == 0; }
};

/// Compares the people whose records can be encoded under the policy, and whom the model answers
/// without the values that they lack. Throws DataError when one of them has no score, or there is
/// nobody to compare.
[[nodiscard]] ScoreCheck compare_scores(const Model& model, const Codec& codec, const Goal& goal,
                                        std::span<const Person> people, const StatedScores& stated,
                                        const MissingValues& missing = {});

/// How many of the people whose records can be read do not have the wanted answer yet.
[[nodiscard]] std::size_t count_refused(const Model& model, const Codec& codec, const Goal& goal,
                                        std::span<const Person> people,
                                        const MissingValues& missing = {});

/// That the scores agree, how far and in how many rows; or how many differ with the first rows, a
/// line each, and what explains them all. `model_source` is how messages name the model.
[[nodiscard]] std::string text_of(const ScoreCheck& check, const Goal& goal,
                                  const StatedScores& stated, const std::string& model_source);

}  // namespace croco
