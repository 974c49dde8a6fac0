// SPDX-License-Identifier: Apache-2.0
/// `--scores`: the user's own scores, which the model has to give before a run begins.
#pragma once

#include <cstddef>
#include <string>

#include <apps/cli/command_line.hpp>
#include <croco/data/row_source.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/score_check.hpp>

namespace croco::cli {

struct ScoreOptions {
  std::string scores;

  void add_to(Command& command);
  /// Compares the scores of the people, the rows `begin .. end - 1`, and says on standard error
  /// that they agree; throws ModelError with the first rows when they do not. Without scores, notes
  /// that a model of another program should be given some.
  void check(const LoadedModel& loaded, const Goal& goal, const RowSource& rows, std::size_t begin,
             std::size_t end, MissingPolicy missing = MissingPolicy::error) const;
  /// The same without a note; returns what agrees, in a sentence. Scores must be given.
  [[nodiscard]] std::string compare(const LoadedModel& loaded, const Goal& goal,
                                    const RowSource& rows, std::size_t begin, std::size_t end,
                                    MissingPolicy missing = MissingPolicy::error) const;
};

/// Notes on standard error that scores are worth giving. `program` saved the model.
void recommend_scores(const std::string& program);

}  // namespace croco::cli
